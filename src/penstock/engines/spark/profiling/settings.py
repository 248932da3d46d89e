"""How a trial is done, of one task or of a whole plan."""

from dataclasses import dataclass

from penstock.core.units import positive
from penstock.errors import ConfigError

_MB = 1_000_000


@dataclass(frozen=True, slots=True)
class TrialSettings:
    """Lengths, and what counts as all of a slot."""

    length_s: float = 6.0  # the paper: 12 minutes, of which up to 5 are warm-up
    warm_up_s: float = 1.5
    slot_memory_mb: float = 3500.0  # what counts as all of a slot's memory: the paper's machines have 3.5 GB a core

    def __post_init__(self) -> None:
        for field in ("length_s", "warm_up_s", "slot_memory_mb"):
            positive(getattr(self, field), field)
        if self.warm_up_s >= self.length_s:
            raise ConfigError("warm_up_s", self.warm_up_s, f"it must be less than the trial's {self.length_s:g} s")

    def memory_share(self, memory_bytes: int) -> float:
        """The share of a slot's memory."""
        return memory_bytes / (self.slot_memory_mb * _MB)
