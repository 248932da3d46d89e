"""Arrivals: whether as much comes to the jobs as did, so that what came of a decision is its own doing."""

from collections.abc import Mapping


def same_arrivals(then: Mapping[str, float], now: Mapping[str, float], within: float) -> bool:
    """Job by job, where both are known; they may differ by that share of the larger one.

    >>> same_arrivals({"ads": 100.0}, {"ads": 120.0, "geo": 5.0}, within=0.25)
    True
    """
    return all(abs(now[job] - then[job]) <= within * max(now[job], then[job]) for job in now.keys() & then.keys())
