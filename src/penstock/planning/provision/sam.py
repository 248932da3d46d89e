"""Slot-aware mapping: full bundles alone on a slot, the rest where it fits best (algorithm 6)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from penstock.core.known.allocation import Allocation
from penstock.core.known.placement import Machine, Slot, Thread
from penstock.errors import PlacementError
from penstock.planning.provision.settings import PlaceSettings

ROUNDING = 1e-9


class Bundle(NamedTuple):
    """Threads of one operator that go to one slot together, and what they take of it."""

    operator: str
    first: int
    threads: int
    cpu: float
    memory: float
    whole: bool  # has the slot for itself


def map_sam(allocation: Allocation, machines: Sequence[Machine], settings: PlaceSettings) -> Mapping[Thread, Slot]:
    """One bundle of each operator in every sweep, in topological order.

    Any group of as many threads as the model's peak has gets a slot of its own, even a lone thread that is to do a
    hundredth of its peak: neither 280 rows/s of the linear DAG nor 240 of the star fit on 20 slots, as in section 8.5.
    """
    return _mapped(bundles(allocation, as_printed=True), machines)


def map_sam_by_need(
    allocation: Allocation, machines: Sequence[Machine], settings: PlaceSettings
) -> Mapping[Thread, Slot]:
    """The same, but a group has a slot for itself only when the allocation says that it needs all of it."""
    return _mapped(bundles(allocation), machines)


def _mapped(found: Iterable[Bundle], machines: Sequence[Machine]) -> Mapping[Thread, Slot]:
    room = SlotsLeft(machines)
    placed: dict[Thread, Slot] = {}
    for bundle in found:
        slot = room.take(bundle)
        placed.update({(bundle.operator, bundle.first + k): slot for k in range(bundle.threads)})
    return placed


def bundles(allocation: Allocation, as_printed: bool = False) -> Iterator[Bundle]:
    """The bundles of all operators in the order in which algorithm 6 places them."""
    left = dict(allocation.threads)
    cpu, memory = dict(allocation.cpu), dict(allocation.memory)
    pending = [name for name in allocation.topology.operators if left[name]]
    while pending:
        for name in pending:
            size = allocation.models[name].peak.threads
            first = allocation.threads[name] - left[name]
            needs_all = as_printed or cpu[name] > 1 - ROUNDING or memory[name] > 1 - ROUNDING
            if left[name] >= size and needs_all:
                yield Bundle(name, first, size, 1.0, 1.0, whole=True)
                left[name], cpu[name], memory[name] = left[name] - size, cpu[name] - 1, memory[name] - 1
            else:
                # An allocation that is not MBA's can count less than nothing for what is left.
                yield Bundle(name, first, left[name], max(cpu[name], 0.0), max(memory[name], 0.0), whole=False)
                left[name] = 0
        pending = [name for name in pending if left[name]]


def slots_for(found: Sequence[Bundle]) -> int:
    """The fewest slots on which these bundles find a place; more empty slots do not change where parts fit best.

    >>> slots_for([Bundle("a", 0, 9, 1.0, 1.0, True), *(Bundle(name, 0, 2, 0.6, 0.1, False) for name in "bc")])
    3
    """
    parts = [bundle for bundle in found if not bundle.whole]
    room = SlotsLeft([Machine(len(parts))])
    for part in parts:
        room.take(part)
    return len(found) - len(parts) + int((~room.empty).sum())


class SlotsLeft:
    """What the slots have left, and the machine that was chosen last."""

    def __init__(self, machines: Sequence[Machine]) -> None:
        sizes = [machine.slots for machine in machines]
        self.first = np.concatenate([[0], np.cumsum(sizes)])  # the number of each machine's first slot
        self.machine_of = np.repeat(np.arange(len(sizes)), sizes)
        self.cpu, self.memory = np.ones(len(self.machine_of)), np.ones(len(self.machine_of))
        self.empty = np.ones(len(self.machine_of), dtype=bool)
        self.reference = 0

    def take(self, bundle: Bundle) -> Slot:
        """The next empty slot for a whole bundle; the best fitting one for another."""
        number = self._next_empty() if bundle.whole else self._best_fit(bundle)
        if number is None:
            needs = (
                "an empty slot" if bundle.whole else f"{bundle.cpu:.0%} CPU and {bundle.memory:.0%} memory of a slot"
            )
            raise PlacementError(bundle.operator, len(self.cpu), f"{bundle.threads} threads of it need {needs}")
        return self.occupy(number, bundle.cpu, bundle.memory)

    def occupy(self, number: int, cpu: float, memory: float) -> Slot:
        """Take that much of the slot with this number."""
        self.cpu[number] -= cpu
        self.memory[number] -= memory
        self.empty[number] = False
        self.reference = int(self.machine_of[number])
        return Slot(self.reference, int(number - self.first[self.reference]))

    def _next_empty(self) -> int | None:
        """In the machine chosen last, else in the next one that has an empty slot, round the ring."""
        start = int(self.first[self.reference])
        for begin, part in ((start, self.empty[start:]), (0, self.empty[:start])):
            at = int(part.argmax()) if len(part) else 0
            if len(part) and part[at]:
                return begin + at
        return None

    def _best_fit(self, bundle: Bundle) -> int | None:
        """The slot that has least left, CPU and memory together, and still takes the bundle."""
        fits = (self.cpu >= bundle.cpu - ROUNDING) & (self.memory >= bundle.memory - ROUNDING)
        if not fits.any():
            return None
        return int(np.where(fits, self.cpu + self.memory, np.inf).argmin())
