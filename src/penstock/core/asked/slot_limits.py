"""The slots that a tenant is promised, and those that it may have."""

import math
from dataclasses import dataclass

from penstock.core.asked.floors import LEAST_OF_OTHERS
from penstock.errors import ConfigError


def weight_for(part: float, slots: int, others: int) -> int:
    """The weight that stands for so many of the slots beside others that have so much weight together.

    As many as the slots would not do: beside three others a weight of 3 is three of six parts of four slots, so two.

    >>> weight_for(3, slots=4, others=3), 4 * 9 // (9 + 3)
    (9, 3)
    """
    return math.ceil(part * others / (slots - part))


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
        """The highest weight of one of so many jobs: it stands for the slots that it may have, or for all.

        That is beside others who have as much weight as there are slots, or 1 each: equal parts come to no more.

        >>> SlotLimits(max_slots=2).most_weight(4, jobs=4), SlotLimits().most_weight(4, jobs=4)
        (4, 60)
        >>> SlotLimits(max_slots=8).most_weight(4, jobs=4), SlotLimits().most_weight(8, jobs=1)
        (60, 8)
        """
        most = slots if self.max_slots is None else min(slots, self.max_slots)
        part = min(most, slots - LEAST_OF_OTHERS)
        return most if jobs < 2 else max(most, weight_for(part, slots, max(slots, jobs - 1)))

    def held(self, threads: int) -> int:
        """So many threads as they may be.

        >>> SlotLimits(2, 4).held(1), SlotLimits(2, 4).held(6), SlotLimits(0).held(0)
        (2, 4, 1)
        """
        least = max(1, self.min_slots)
        return max(least, threads if self.max_slots is None else min(threads, self.max_slots))
