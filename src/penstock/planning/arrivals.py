"""Arrivals: whether as much comes to the jobs as did, so that what came of a decision is its own doing."""

from collections.abc import Mapping


def same_arrivals(then: Mapping[str, float], now: Mapping[str, float], within: float) -> bool:
    """Job by job, where both are known; they may differ by that share of the larger one.

    >>> same_arrivals({"ads": 100.0}, {"ads": 120.0, "geo": 5.0}, within=0.25)
    True
    """
    return all(same_rate(then[job], now[job], within) for job in now.keys() & then.keys())


def same_rate(then_rps: float, now_rps: float, within: float) -> bool:
    """Whether two rates differ by no more than that share of the larger one."""
    return abs(now_rps - then_rps) <= within * max(now_rps, then_rps)
