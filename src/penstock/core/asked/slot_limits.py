"""The slots that a tenant is promised, and those that it may have."""

from dataclasses import dataclass

from penstock.errors import ConfigError


def most_weight(slots: int, jobs: int) -> int:
    """The highest weight of one of so many jobs: where all others have 1 it stands for all slots but one.

    A weight of as many as there are slots would not: beside three others it is four of seven parts of four slots.

    >>> slots, jobs = 4, 4
    >>> weight = most_weight(slots, jobs)
    >>> weight, slots * weight // (weight + jobs - 1), slots * slots // (slots + jobs - 1)
    (16, 3, 2)
    """
    return slots * max(1, jobs)


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

    def most_weight(self, slots: int, jobs: int) -> int:
        """The highest weight that it may have there: one that may have fewer slots than there are has no more of it.

        >>> SlotLimits(max_slots=3).most_weight(4, 4), SlotLimits(max_slots=8).most_weight(4, 4)
        (3, 16)
        """
        return most_weight(slots, jobs) if self.max_slots is None or self.max_slots >= slots else self.max_slots

    def held(self, threads: int) -> int:
        """So many threads as they may be.

        >>> SlotLimits(2, 4).held(1), SlotLimits(2, 4).held(6), SlotLimits(0).held(0)
        (2, 4, 1)
        """
        least = max(1, self.min_slots)
        return max(least, threads if self.max_slots is None else min(threads, self.max_slots))
