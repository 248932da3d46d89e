"""Where each thread of a job goes, and what is expected of it there."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from penstock.core.known.allocation import Allocation

Thread = tuple[str, int]  # the operator, and which of its threads, from 0


class Slot(NamedTuple):
    """A slot of a machine, both counted from 0."""

    machine: int
    slot: int


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine with its slots. Machines of one rack are near each other."""

    slots: int
    name: str = ""
    rack: str = ""


@dataclass(frozen=True, slots=True)
class Prediction:
    """What comes of threads on slots when rows are routed to them in this way.

    CPU and memory are slots' worth per machine at `at_rps`, which is the planned rate, or `rate_rps` where that
    is lower.
    """

    routing: str
    rate_rps: float  # the highest rate of the sources at which every operator keeps up
    bottleneck: str | None  # the operator that sets it
    at_rps: float
    cpu: tuple[float, ...]
    memory: tuple[float, ...]
    # The highest rate at which no machine is asked for more than it has: operators are modelled each alone on a
    # slot, so a mapping that crowds them can promise a rate that the machines do not have the CPU for.
    within_machines_rps: float


@dataclass(frozen=True, slots=True)
class Placement:
    """Every thread of an allocation on a slot."""

    allocation: Allocation
    machines: tuple[Machine, ...]
    method: str
    slot_of: Mapping[Thread, Slot]
    prediction: Prediction
    least_slots: int | None = None  # no packing by the same rules needs fewer, where that is known

    @property
    def predicted_rate(self) -> float:
        """Rows per second of the sources at which every operator keeps up."""
        return self.prediction.rate_rps

    @property
    def predicted_cpu(self) -> tuple[float, ...]:
        """Slots' worth of CPU in use, per machine."""
        return self.prediction.cpu

    @property
    def predicted_memory(self) -> tuple[float, ...]:
        """Slots' worth of memory in use, per machine."""
        return self.prediction.memory

    @property
    def slots_used(self) -> int:
        """The slots that have a thread."""
        return len(set(self.slot_of.values()))

    def threads_on(self) -> dict[Slot, Counter[str]]:
        """How many threads of each operator are on each slot that has any."""
        found: dict[Slot, Counter[str]] = {}
        for (operator, _), slot in self.slot_of.items():
            found.setdefault(slot, Counter())[operator] += 1
        return dict(sorted(found.items()))
