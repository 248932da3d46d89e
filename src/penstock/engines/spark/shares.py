"""From threads to pool shares: what each tenant's pool may claim of the slots. Pure arithmetic."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from penstock.core.floors import floors_kept
from penstock.core.shares import slot_share
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


@dataclass(frozen=True, slots=True)
class PoolShare:
    """A FAIR pool's floor (slots it is served first up to) and its weight for the rest."""

    weight: int
    min_share: int


class Sharing(StrEnum):
    """How tenants share the slots."""

    GOVERNED = "governed"  # a pool each, with the share that its threads stand for
    FAIR = "fair"  # a pool each, all alike, as Spark makes them by itself
    FIFO = "fifo"  # one pool for all, the oldest work first: as an application does whose mode is not FAIR

    @classmethod
    def of_policy(cls, policy: str) -> "Sharing":
        """The two baselines are Spark's own scheduling; every other policy moves shares."""
        return cls(policy) if policy in (cls.FAIR, cls.FIFO) else cls.GOVERNED


def pool_shares(threads: Mapping[str, int], limits: Mapping[str, SlotLimits], slots: int) -> dict[str, PoolShare]:
    """The share of each pool: weight = threads, floor = its slots rounded down, within the tenant's limits.

    >>> pool_shares({"a": 6, "b": 2, "c": 8}, {}, 8)["a"]
    PoolShare(weight=6, min_share=3)
    """
    total = sum(threads.values())
    floors = {name: _floor(count, total, slots, limits.get(name, SlotLimits())) for name, count in threads.items()}
    kept = floors_kept(threads, floors, slots)
    return {name: PoolShare(weight=max(1, count), min_share=kept[name]) for name, count in threads.items()}


def _floor(threads: int, total: int, slots: int, limits: SlotLimits) -> int:
    floor = max(math.floor(slot_share(threads, total, slots)), limits.min_slots)
    return min(floor, slots if limits.max_slots is None else min(slots, limits.max_slots))


def check_threads(job: str, threads: int, limits: SlotLimits, slots: int) -> str | None:
    """Why a job may not have so many threads, or None when it may."""
    ceiling = slots if limits.max_slots is None else limits.max_slots
    if threads < max(1, limits.min_slots):
        return f"{job}: {threads} slots are fewer than its min_slots, {max(1, limits.min_slots)}"
    if threads > ceiling:
        name = "the slots there are" if limits.max_slots is None else "its max_slots"
        return f"{job}: {threads} slots are more than {name}, {ceiling}"
    return None


def first_threads(wanted: int | None, kept: int | None, limits: SlotLimits, slots: int, jobs: int) -> int:
    """What an earlier controller left in the pool, else what the tenant asked for, else an equal share.

    >>> [first_threads(None, None, SlotLimits(), 8, 2), first_threads(3, None, SlotLimits(), 8, 2)]
    [4, 3]
    >>> first_threads(3, 12, SlotLimits(max_slots=6), 8, 2)
    6
    """
    first = kept if kept is not None else wanted or max(1, slots // jobs)
    return max(1, limits.min_slots, min(slots if limits.max_slots is None else limits.max_slots, first))
