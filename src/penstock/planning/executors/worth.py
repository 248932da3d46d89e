"""What numbers of executors are worth, told for some of them."""

from bisect import bisect_right

ExecutorWorth = tuple[tuple[float, float], ...]  # pairs of executors and utility, rising in the first


def worth_of(worth: ExecutorWorth, executors: float) -> float:
    """Straight lines between what was told, and level beyond; nothing where nothing was told.

    >>> [worth_of(((1.0, 2.0), (3.0, 10.0)), executors) for executors in (0.5, 1.5, 4.0)]
    [2.0, 4.0, 10.0]
    """
    if not worth:
        return 0.0
    at = bisect_right(worth, executors, key=lambda pair: pair[0])
    if at == 0:
        return worth[0][1]
    below, value = worth[at - 1]
    if at == len(worth):
        return value
    above, more = worth[at]
    return value + (more - value) * (executors - below) / (above - below)
