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

    def __post_init__(self) -> None:
        positive(self.time_limit_s, "time_limit_s")
        if self.routing not in ("even", "proportional"):
            raise ConfigError("routing", self.routing, "choose one of even, proportional")
