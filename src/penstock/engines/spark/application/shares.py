"""From threads to pool shares: what each tenant's pool may claim of the slots. Pure arithmetic."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from penstock.core.asked.floors import floor_of, floors_kept
from penstock.core.asked.slot_limits import SlotLimits
from penstock.core.seen.shares import slot_share


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
    """The share of each pool: weight = threads, floor = its slots rounded down or all, within the tenant's limits.

    >>> pool_shares({"a": 6, "b": 2, "c": 8}, {}, 8)["a"]
    PoolShare(weight=6, min_share=3)
    """
    total = sum(threads.values())
    floors = {name: _floor(count, total, slots, limits.get(name, SlotLimits())) for name, count in threads.items()}
    kept = floors_kept(threads, floors, slots)
    return {name: PoolShare(weight=max(1, count), min_share=kept[name]) for name, count in threads.items()}


def _floor(threads: int, total: int, slots: int, limits: SlotLimits) -> int:
    floor = max(floor_of(slot_share(threads, total, slots), slots), limits.min_slots)
    return min(floor, slots if limits.max_slots is None else min(slots, limits.max_slots))


def check_threads(job: str, threads: int, limits: SlotLimits, slots: int, jobs: int) -> str | None:
    """Why one of so many jobs may not have so many threads, or None when it may."""
    ceiling = limits.most_weight(slots, jobs)
    if threads < max(1, limits.min_slots):
        return f"{job}: {threads} slots are fewer than its min_slots, {max(1, limits.min_slots)}"
    if threads <= ceiling:
        return None
    if ceiling == limits.max_slots:
        return f"{job}: {threads} slots are more than its max_slots, {ceiling}"
    enough = "all slots that it can have" if limits.max_slots is None else f"its max_slots, {limits.max_slots}"
    return f"{job}: a weight of {threads} is more than {ceiling}, which is enough for {enough}"


def first_threads(wanted: int | None, kept: int | None, limits: SlotLimits, slots: int, jobs: int) -> int:
    """What an earlier controller left in the pool, else what the tenant asked for, else an equal share.

    >>> [first_threads(None, None, SlotLimits(), 8, 2), first_threads(3, None, SlotLimits(), 8, 2)]
    [4, 3]
    >>> first_threads(3, 30, SlotLimits(max_slots=6), 8, 2), first_threads(3, 30, SlotLimits(), 8, 2)
    (24, 30)
    """
    first = kept if kept is not None else wanted or max(1, slots // jobs)
    return max(1, limits.min_slots, min(limits.most_weight(slots, jobs), first))
