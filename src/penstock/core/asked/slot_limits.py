"""The slots that a tenant is promised, and those that it may have."""

from dataclasses import dataclass

from penstock.errors import ConfigError


@dataclass(frozen=True, slots=True)
class SlotLimits:
    """The slots that a tenant is promised, and those it may ask for at most (None: all there are)."""

    min_slots: int = 1
    max_slots: int | None = None

    def __post_init__(self) -> None:
        if self.min_slots < 0:
            raise ConfigError("min_slots", self.min_slots, "write a number of slots, zero or more")
        if self.max_slots is not None and self.max_slots < max(1, self.min_slots):
            raise ConfigError("max_slots", self.max_slots, f"write at least {max(1, self.min_slots)}")

    def held(self, threads: int) -> int:
        """So many threads as they may be.

        >>> SlotLimits(2, 4).held(1), SlotLimits(2, 4).held(6), SlotLimits(0).held(0)
        (2, 4, 1)
        """
        least = max(1, self.min_slots)
        return max(least, threads if self.max_slots is None else min(threads, self.max_slots))
