"""Searches of Henge that are under way or over, for its tests."""

from collections.abc import Callable

from penstock.core.seen.view import JobView, View
from penstock.planning.henge.memory import HengeMemory, PastConfiguration, Pending, Phase
from penstock.planning.henge.policy import Henge
from tests.builders import view

HENGE = Henge()


def steady(jobs: Callable[[], list[JobView]], start: int, count: int, load: float = 1.0) -> list[View]:
    """The same fleet for `count` rounds of 10 s."""
    return [view(10.0 * n, jobs(), load) for n in range(start, start + count)]


def searching(
    *past: PastConfiguration, pending: Pending | None = None, recent: float = 10.0, **more: object
) -> HengeMemory:
    """A search that is under way for job "a", at a quiet level of utility."""
    return HengeMemory(
        jobs=("a", "b"),
        history=past,
        pending=pending,
        recent=(recent,) * 5,
        **more,  # type: ignore[arg-type]
    )


def converged(level: float, **more: object) -> HengeMemory:
    """A cluster at rest at that level."""
    return HengeMemory(
        state=Phase.CONVERGED,
        jobs=("a", "b"),
        recent=(level,) * 6,
        converged_utility=level,
        **more,  # type: ignore[arg-type]
    )
