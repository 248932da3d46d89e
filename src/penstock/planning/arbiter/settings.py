"""The settings of the arbiter."""

from dataclasses import dataclass

from penstock.core.units import positive, positive_seconds
from penstock.errors import ConfigError


@dataclass(frozen=True, slots=True)
class ArbiterSettings:
    """When it acts. Shares are of the utility that all tenants together could have."""

    horizon_s: float = 40.0  # looked ahead for so long
    least_gain: float = 0.015  # that is worth a turn of levers
    # Waited for the first two batches of each job, before batches are bounded on costs guessed from the others'.
    patience_s: float = 30.0
    taken_back_below: float = 0.05  # a fall of utility by that, where a rise was foretold, is taken back
    lost_above: float = 0.3  # mean error of a job's foretold utility: beyond it Henge searches for that job
    lost_after: int = 5  # comparisons, at the least

    def __post_init__(self) -> None:
        positive_seconds(self.horizon_s, "horizon_s")
        positive_seconds(self.patience_s, "patience_s")
        for name in ("least_gain", "taken_back_below", "lost_above"):
            share = positive(getattr(self, name), name)
            if share >= 1:
                raise ConfigError(name, share, "write a share between 0 and 1")
        if self.lost_after < 1:
            raise ConfigError("lost_after", self.lost_after, "write a whole number of comparisons, at least 1")
