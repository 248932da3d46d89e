"""R-Storm's mapping: the nearest machine with room, thread by thread ("Model-driven scheduling", algorithm 5)."""

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence

from penstock.core.known.allocation import Allocation
from penstock.core.known.placement import Machine, Slot, Thread
from penstock.errors import PlacementError
from penstock.planning.provision.settings import DistanceWeights, PlaceSettings

ROUNDING = 1e-9  # ten tenths fill a slot, whatever floats make of them
ThreadNeed = Callable[[Allocation, str], tuple[float, float]]  # CPU and memory of one thread of an operator


def map_rsm(allocation: Allocation, machines: Sequence[Machine], settings: PlaceSettings) -> Mapping[Thread, Slot]:
    """One thread of each operator in every sweep, in topological order, each on the machine at the least distance.

    A machine needs CPU left for the thread in all its slots together, and one slot of it memory: Storm binds
    memory to slots, CPU only to machines.
    """
    return _mapped(allocation, machines, settings, alone_need)


def map_rsm_by_need(
    allocation: Allocation, machines: Sequence[Machine], settings: PlaceSettings
) -> Mapping[Thread, Slot]:
    """The same, with a thread counted for its part of what the allocation says that its operator needs.

    As printed, the 470 threads that MBA gives the Blob task at 280 rows/s are 31.7 slots of CPU and 112 of memory;
    section 8.5.1 has RSM put them on 18 of 20 slots, as this does.
    """
    return _mapped(allocation, machines, settings, shared_need)


def alone_need(allocation: Allocation, operator: str) -> tuple[float, float]:
    """What one thread takes that is alone on a slot, at its peak."""
    model = allocation.models[operator]
    return model.cpu(1), model.memory(1)


def shared_need(allocation: Allocation, operator: str) -> tuple[float, float]:
    """An equal part of what the allocation gives all threads of the operator."""
    threads = allocation.threads[operator]
    return allocation.cpu[operator] / threads, allocation.memory[operator] / threads


def _mapped(
    allocation: Allocation, machines: Sequence[Machine], settings: PlaceSettings, need: ThreadNeed
) -> Mapping[Thread, Slot]:
    left = {name: count for name, count in allocation.threads.items() if count}
    room = _Room(machines, settings.weights, left)
    needs = {name: need(allocation, name) for name in left}
    placed: dict[Thread, Slot] = {}
    while left:
        for name in [name for name in allocation.topology.operators if name in left]:
            cpu, memory = needs[name]
            slot = room.take(name, cpu, memory)
            placed[name, allocation.threads[name] - left[name]] = slot
            left[name] -= 1
            if not left[name]:
                del left[name]
    return placed


class _Room:
    """What the machines and slots have left, and the machine that was chosen last.

    Of machines that nothing is on yet only the first of each size and rack is looked at: the others are as far away.
    Of those with something on them only those that may still take a thread of the operator: what is left gets no more.
    """

    def __init__(self, machines: Sequence[Machine], weights: DistanceWeights, operators: Iterable[str]) -> None:
        self.machines, self.weights = machines, weights
        self.cpu = [float(machine.slots) for machine in machines]
        self.memory = list(self.cpu)
        self.most_memory = [1.0] * len(machines)  # of any slot of the machine
        self.slot_memory: dict[int, list[float]] = {}  # of machines with something on them
        self.fresh: dict[tuple[int, str], deque[int]] = {}
        for number, machine in enumerate(machines):
            self.fresh.setdefault((machine.slots, machine.rack), deque()).append(number)
        self.begun: dict[str, list[int]] = {name: [] for name in operators}
        self.reference = 0

    def take(self, operator: str, cpu: float, memory: float) -> Slot:
        """The first slot with memory of the nearest machine that has room for such a thread."""
        begun = self.begun[operator] = self._with_room(self.begun[operator], cpu, memory)
        heads = self._with_room([numbers[0] for numbers in self.fresh.values() if numbers], cpu, memory)
        if not begun and not heads:
            slots = sum(one.slots for one in self.machines)
            raise PlacementError(
                operator, slots, f"a thread of it needs {cpu:.0%} CPU of a machine, {memory:.0%} memory of a slot"
            )
        machine = self._nearest([*begun, *heads], cpu, memory)
        return Slot(machine, self._put(machine, cpu, memory))

    def _with_room(self, numbers: list[int], cpu: float, memory: float) -> list[int]:
        all_cpu, all_memory = self.cpu, self.most_memory
        cpu, memory = cpu - ROUNDING, memory - ROUNDING
        return [number for number in numbers if all_cpu[number] >= cpu and all_memory[number] >= memory]

    def _nearest(self, numbers: list[int], cpu: float, memory: float) -> int:
        """By d = wM (M_j - m)^2 + wC (C_j - c)^2 + wN NWDist(reference, j); of several the first."""
        weights, rack = self.weights, self.machines[self.reference].rack
        nearest: list[tuple[float, int]] = []
        for number in numbers:
            of_memory, of_cpu = self.memory[number] - memory, self.cpu[number] - cpu
            network = 0.0 if number == self.reference else 0.5 if self.machines[number].rack == rack else 1.0
            distance = weights.memory * (of_memory * of_memory) + weights.cpu * (of_cpu * of_cpu)
            nearest.append((distance + weights.network * network, number))
        return min(nearest)[1]

    def _put(self, machine: int, cpu: float, memory: float) -> int:
        if machine not in self.slot_memory:
            self._begin(machine)
        left = self.slot_memory[machine]
        slot = next(number for number, free in enumerate(left) if free >= memory - ROUNDING)
        left[slot] -= memory
        self.most_memory[machine] = max(left)
        self.cpu[machine] -= cpu
        self.memory[machine] -= memory
        self.reference = machine
        return slot

    def _begin(self, machine: int) -> None:
        there = self.machines[machine]
        self.fresh[there.slots, there.rack].popleft()
        self.slot_memory[machine] = [1.0] * there.slots
        for numbers in self.begun.values():
            numbers.append(machine)
