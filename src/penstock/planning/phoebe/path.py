"""Scale-down hysteresis: of all ways through the coming intervals the cheapest, reconfigurations counted in."""

from collections.abc import Sequence


def first_step(now: int, needs: Sequence[int], interval_s: float, change_cost_s: float) -> int:
    """The scale-out for the first interval, none below its need.

    A path costs the executor-seconds it holds and, for each change, `change_cost_s` seconds of the larger of both
    scale-outs. So a dip that will soon be over is sat out, and of two rises that follow one another closely the
    first goes up the whole way. Ties are for staying.

    >>> first_step(10, [8, 8, 8], 600.0, 120.0)
    8
    >>> first_step(10, [9, 10, 10], 600.0, 120.0)
    10
    >>> first_step(4, [6, 7, 7], 600.0, 120.0)
    7
    """
    sizes = sorted({now, *needs})
    # The cheapest way from each size at the end of an interval to the end of the path, from behind.
    onward = dict.fromkeys(sizes, 0.0)
    chosen: dict[int, int] = {}
    for wanted in reversed(needs):
        costs: dict[int, float] = {}
        for before in sizes:
            ways = [
                (interval_s * size + _change(before, size, change_cost_s) + onward[size], size != before, size)
                for size in sizes
                if size >= wanted
            ]
            costs[before], _, chosen[before] = min(ways)
        onward = costs
    return chosen[now]


def _change(before: int, after: int, change_cost_s: float) -> float:
    return 0.0 if before == after else change_cost_s * max(before, after)
