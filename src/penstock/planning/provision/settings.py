"""What may be tuned about putting threads on slots."""

from dataclasses import dataclass, field

from penstock.core.units import non_negative, positive
from penstock.errors import ConfigError


@dataclass(frozen=True, slots=True)
class DistanceWeights:
    """RSM's three weights (section 7.3); the paper leaves them open, here they are even."""

    memory: float = 1.0
    cpu: float = 1.0
    network: float = 1.0

    def __post_init__(self) -> None:
        for name in ("memory", "cpu", "network"):
            non_negative(getattr(self, name), f"weights.{name}")


@dataclass(frozen=True, slots=True)
class PlaceSettings:
    """How threads are put on slots, and how what comes of it is predicted."""

    routing: str = "proportional"  # or "even", see predict
    weights: DistanceWeights = field(default_factory=DistanceWeights)
    time_limit_s: float = 10.0  # for the solver of `best`
    # Algorithm 6 as it is printed gives a slot of its own to any group of as many threads as the model's peak has,
    # even to a lone thread that is to do a hundredth of its peak. Neither 280 tuples/s of the linear DAG nor 240 of
    # the star fit on 20 slots then, as they do in section 8.5; so a group is whole here when MBA gave it a whole slot.
    sam_as_printed: bool = False
    # Algorithm 5 as it is printed counts every thread as one that is alone on a slot. The 470 threads that MBA gives
    # the Blob task are 112 slots of memory then, while section 8.5 has RSM put them on 18; so a thread of a bundle
    # counts for no more than its part of the bundle's slot here. LSA's threads are counted as printed.
    rsm_as_printed: bool = False

    def __post_init__(self) -> None:
        positive(self.time_limit_s, "time_limit_s")
        if self.routing not in ("even", "proportional"):
            raise ConfigError("routing", self.routing, "choose one of even, proportional")
