"""The settings of how executors are divided among applications."""

from dataclasses import dataclass

from penstock.core.units import positive, positive_seconds
from penstock.errors import ConfigError


@dataclass(frozen=True, slots=True)
class ExecutorsSettings:
    """When executors move between applications."""

    # Assumed error of an application's claims, as a share of its maximum utility. A move must gain more. It grows for
    # applications whose claims proved wrong, and shrinks for the others.
    least_gain: float = 0.04
    move_costs: float = 0.01  # cost of each moved executor, as a share of an application's mean maximum
    # Time after a move in which the claims of those concerned may be wrong by `unsettled`. An executor comes in 2 to
    # 15 s, its first batches are slow, and metrics look back for a while.
    settle_s: float = 30.0
    unsettled: float = 0.15  # share of the maximum utility; a larger gain, as in a spike, still moves executors

    def __post_init__(self) -> None:
        positive_seconds(self.settle_s, "settle_s")
        for name in ("least_gain", "move_costs", "unsettled"):
            share = positive(getattr(self, name), name)
            if share >= 1:
                raise ConfigError(name, share, "write a share between 0 and 1")
