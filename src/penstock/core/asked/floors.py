"""Floors: the slots that pools are served first up to, and which of them can be kept together."""

import math
from collections.abc import Mapping

LEAST_OF_OTHERS = 0.25  # of a slot, all of them together: for less none is kept free


def floor_of(share: float, slots: int) -> int:
    """The slots that a pool is served first up to: its share of them rounded down, all where others have next to none.

    >>> [floor_of(share, 4) for share in (0.9, 3.5, 3.75)]
    [0, 3, 4]
    """
    return slots if share >= slots - LEAST_OF_OTHERS else math.floor(share)


def floors_kept(threads: Mapping[str, int], floors: Mapping[str, int], slots: int) -> dict[str, int]:
    """Floors that can be kept together: where they are more than the slots, the lightest pools have none of one slot.

    Of pools below their floor Spark serves the one first that is furthest below it: with a floor for everybody a pool
    without a task that runs comes before an urgent one that has one of its two. Who has no floor waits for no longer
    than for the floors of others; where these are all slots, until whoever has them pauses between its batches.

    >>> floors_kept({"a": 1, "b": 1, "c": 1, "urgent": 3}, {"a": 1, "b": 1, "c": 1, "urgent": 2}, 4)
    {'a': 0, 'b': 0, 'c': 0, 'urgent': 2}
    >>> floors_kept({"a": 1, "b": 1, "c": 1, "urgent": 2}, {"a": 1, "b": 1, "c": 1, "urgent": 1}, 2)
    {'a': 0, 'b': 0, 'c': 0, 'urgent': 1}
    """
    kept = dict(floors)
    for weight in sorted(set(threads.values())):
        if sum(kept.values()) <= slots:
            break
        kept.update((name, 0) for name, of in threads.items() if of == weight and kept[name] == 1)
    return kept
