"""The settings of routing: whether routes are governed, how even tables are, and what a move is assumed to cost."""

from dataclasses import dataclass
from enum import StrEnum

from penstock.core.units import non_negative, positive
from penstock.errors import ConfigError

IMBALANCE = 1.03  # METIS's own default, and the paper's alpha


class RoutingMode(StrEnum):
    """Whether routes are left alone, advised on, or changed."""

    OFF = "off"
    ADVISE = "advise"
    ACT = "act"


@dataclass(frozen=True, slots=True)
class CostSettings:
    """What is assumed of moves before any was seen, and what a wait is worth."""

    first_pause_s: float = 3.0  # assumed pause of a move, whatever its size
    first_s_per_key: float = 1e-5  # assumed time for each key: together 4 s for 100,000
    guesses_weigh: float = 1.0  # number of past moves for which these assumptions count
    delay_worth: float = 1.0  # cost of one waiting row, in rows over the network
    payback_s: float = 600.0  # time in which a move must pay for itself

    def __post_init__(self) -> None:
        non_negative(self.first_pause_s, "first_pause_s")
        non_negative(self.first_s_per_key, "first_s_per_key")
        positive(self.guesses_weigh, "guesses_weigh", "write how many past moves the first guess counts for")
        non_negative(self.delay_worth, "delay_worth")
        positive(self.payback_s, "payback_s")


@dataclass(frozen=True, slots=True)
class RoutingSettings:
    """How routes are governed."""

    mode: RoutingMode | str = RoutingMode.OFF
    imbalance: float = IMBALANCE  # limit for the rows of the fullest server, relative to the mean
    most_keys: int = 0  # largest number of keys to move at a time; 0: no limit
    min_gain: float = 0.02  # smallest gain of the local share; less is noise
    # Keep keys where the present table has them, and lower a server's cap by what it carried beyond the others. By
    # default each table is computed from scratch. Keeping balances better under bursts, with a fraction of the moves,
    # and may stay far below the best local share: New York's taxi trips lost 14 points.
    keep: bool = False
    cost: CostSettings = CostSettings()

    def __post_init__(self) -> None:
        if self.mode not in tuple(RoutingMode):
            raise ConfigError("routing", self.mode, f"choose one of {', '.join(RoutingMode)}")
        non_negative(self.most_keys, "most_keys", "write how many keys may move at a time; 0 sets no bound")
        non_negative(self.min_gain, "min_gain", "write a share of rows, such as 0.02")
