"""R-Storm's mapping: the nearest machine with room, thread by thread ("Model-driven scheduling", algorithm 5)."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from penstock.core.allocation import Allocation
from penstock.core.arrays import Floats
from penstock.core.placement import Machine, Slot, Thread
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
    room = _Room(machines, settings.weights)
    left = {name: count for name, count in allocation.threads.items() if count}
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
    """What the machines and slots have left, and the machine that was chosen last."""

    def __init__(self, machines: Sequence[Machine], weights: DistanceWeights) -> None:
        self.sizes = np.array([machine.slots for machine in machines], dtype=float)
        self.cpu, self.memory = self.sizes.copy(), self.sizes.copy()
        # One row per machine; places beyond a smaller machine's slots have nothing left from the start.
        self.slot_memory = (np.arange(self.sizes.max()) < self.sizes[:, None]).astype(float)
        self.most_memory = np.minimum(self.sizes, 1.0)  # of any slot of the machine
        racks = [machine.rack for machine in machines]
        self.rack = np.array([racks.index(rack) for rack in racks])
        self.weights = weights
        self.reference = 0

    def take(self, operator: str, cpu: float, memory: float) -> Slot:
        """The first slot with memory of the nearest machine that has room for such a thread."""
        fits = (self.cpu >= cpu - ROUNDING) & (self.most_memory >= memory - ROUNDING)
        if not fits.any():
            slots = int(self.sizes.sum())
            raise PlacementError(
                operator, slots, f"a thread of it needs {cpu:.0%} CPU of a machine, {memory:.0%} memory of a slot"
            )
        machine = int(np.where(fits, self.distance(cpu, memory), np.inf).argmin())
        slot = int((self.slot_memory[machine] >= memory - ROUNDING).argmax())
        self.cpu[machine] -= cpu
        self.memory[machine] -= memory
        self.slot_memory[machine, slot] -= memory
        self.most_memory[machine] = self.slot_memory[machine].max()
        self.reference = machine
        return Slot(machine, slot)

    def distance(self, cpu: float, memory: float) -> Floats:
        """d = wM (M_j - m)^2 + wC (C_j - c)^2 + wN NWDist(reference, j)."""
        network = np.where(self.rack == self.rack[self.reference], 0.5, 1.0)
        network[self.reference] = 0.0
        weights = self.weights
        result: Floats = (
            weights.memory * (self.memory - memory) ** 2
            + weights.cpu * (self.cpu - cpu) ** 2
            + weights.network * network
        )
        return result
