"""What the operators of a job can do, as its profiles say."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from penstock.core.known.performance import PerformanceModel
from penstock.core.seen.topology import Edge, Topology
from penstock.core.units import positive


@dataclass(frozen=True, slots=True)
class JobModels:
    """The models of a job's operators; an operator without one is left alone."""

    by_operator: Mapping[str, PerformanceModel]
    selectivity: Mapping[Edge, float] = field(default_factory=dict)
    # Threads are for this many times what arrives. A model's peak is where queues begin to grow without end; at half
    # of it a row waits about as long as it is worked on, which is what intents on latency leave room for.
    headroom: float = 2.0
    topology: Topology | None = None  # of a job whose engine does not tell its operators, as on Spark

    def __post_init__(self) -> None:
        positive(self.headroom, "models.headroom")
