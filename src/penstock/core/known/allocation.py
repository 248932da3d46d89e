"""How much each operator of a job is to have for a rate: threads, CPU, memory, before any of it has a place."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from penstock.core.known.performance import PerformanceModel
from penstock.core.seen.topology import Edge, Topology


@dataclass(frozen=True, slots=True)
class Allocation:
    """Threads, and the slots' worth of CPU and memory that they need, by operator."""

    topology: Topology
    rate_rps: float  # what the sources are to take in
    method: str
    models: Mapping[str, PerformanceModel]
    selectivity: Mapping[Edge, float]
    rates_rps: Mapping[str, float]
    threads: Mapping[str, int]
    cpu: Mapping[str, float]
    memory: Mapping[str, float]

    @property
    def slots(self) -> int:
        """rho: the slots whose CPU and memory, taken together, are enough ("Model-driven scheduling", 6.2)."""
        return max(whole_slots(sum(self.cpu.values())), whole_slots(sum(self.memory.values())))


def whole_slots(share: float) -> int:
    """That much of slots, rounded up; ten tenths are one slot, whatever floats make of them.

    >>> whole_slots(sum([0.1] * 10)), whole_slots(1.2)
    (1, 2)
    """
    return math.ceil(round(share, 9))
