"""Floors: the slots that pools are served first up to, and which of them can be kept together."""

from collections.abc import Mapping


def floors_kept(threads: Mapping[str, int], floors: Mapping[str, int], slots: int) -> dict[str, int]:
    """Floors that can be kept together: where there are fewer slots than jobs, the largest weights keep theirs.

    Of pools that are below their floor, all without a task that runs, Spark serves the first by name, whatever their
    weights: a floor for everybody would be none. Those of the least weight have none then.

    >>> floors_kept({"a": 1, "b": 1, "c": 1, "urgent": 2}, {"a": 1, "b": 1, "c": 1, "urgent": 1}, 2)
    {'a': 0, 'b': 0, 'c': 0, 'urgent': 1}
    """
    if len(threads) <= slots or sum(floors.values()) <= slots:
        return dict(floors)
    left, least = slots, min(threads.values())
    kept = dict.fromkeys(threads, 0)
    for name in sorted(threads, key=lambda one: (-threads[one], one)):
        if threads[name] > least and floors[name] <= left:
            kept[name] = floors[name]
            left -= floors[name]
    return kept
