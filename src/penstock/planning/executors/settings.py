"""The settings of how executors are divided among applications."""

from dataclasses import dataclass

from penstock.core.units import positive, positive_seconds
from penstock.errors import ConfigError


@dataclass(frozen=True, slots=True)
class ExecutorsSettings:
    """When executors move."""

    # Of what each of those concerned could have: so much of what it says of its executors may be wrong, and a move is
    # to gain more. What came of its moves counts beside it: it becomes more for who was wrong, and less for others.
    least_gain: float = 0.04
    move_costs: float = 0.01  # of what one application could have in the mean, for each executor that moves
    # An executor comes in 2 to 15 s, its first batches are slow, and figures look back for a while.
    settle_s: float = 30.0  # for so long the claims of whoever gave or got some may be wrong by more
    unsettled: float = 0.15  # by so much of what it could have: a spike that comes meanwhile is served all the same

    def __post_init__(self) -> None:
        positive_seconds(self.settle_s, "settle_s")
        for name in ("least_gain", "move_costs", "unsettled"):
            share = positive(getattr(self, name), name)
            if share >= 1:
                raise ConfigError(name, share, "write a share between 0 and 1")
