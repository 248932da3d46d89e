"""What each application is to have, for somebody else who carries that out, such as KEDA."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from penstock.engines.applications.book import Application

_ENOUGH = 0.99  # of what the most executors would be worth


@dataclass(frozen=True, slots=True)
class ExecutorWish:
    """One application. `wanted` are the executors that were decided; `needed` those beyond which more are worth next to
    nothing, whether the cluster has them or not. `cores` are those of one executor.
    """

    application: str
    tenants: tuple[str, ...]
    wanted: int
    needed: int
    cores: int
    silent_s: float


@dataclass(frozen=True, slots=True)
class Wishes:
    """Those of a fleet, as of a round so many seconds ago; after `stale_s` seconds there should have been another."""

    fleet: str
    all: tuple[ExecutorWish, ...]
    age_s: float
    stale_s: float
    silent_s: float  # an agent that was not heard for longer is not decided over


def wish_of(known: Application, even_s: float) -> ExecutorWish:
    """What it is to have now."""
    said = known.state.executors
    tenants = tuple(sorted(known.job_names().values()))
    needed = enough(known.state.worth, known.least, known.most_allowed)
    silent_s = max(0.0, even_s - known.heard_s)
    return ExecutorWish(
        known.name, tenants, known.wanted, known.wanted if needed is None else needed, said.cores, silent_s
    )


def enough(worth: Sequence[tuple[int, float]], least: int, most: int) -> int | None:
    """The fewest executors that are worth nearly as much as any number would be; None where nobody knows.

    >>> enough(((1, 0.0), (4, 9.0), (8, 10.0), (64, 10.0)), 1, 64)
    8
    >>> enough(((1, 0.0), (64, 0.0)), 2, 64), enough((), 1, 64)
    (2, None)
    """
    points = sorted((count, utility) for count, utility in worth if count <= most)
    if not points:
        return None
    asked = _ENOUGH * max(utility for _, utility in points)
    (below, before), *_ = points
    for count, utility in points:
        if utility >= asked:
            return max(least, _where(below, before, count, utility, asked))
        below, before = count, utility
    return max(least, points[-1][0])


def _where(below: int, before: float, above: int, after: float, asked: float) -> int:
    """The first number on a straight line between two that reaches what is asked."""
    if above == below or after <= before:
        return above
    return min(above, below + ceil((asked - before) / (after - before) * (above - below)))
