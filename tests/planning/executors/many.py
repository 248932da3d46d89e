"""Builders: a view of many applications, each with executors of its own."""

from collections.abc import Sequence

from penstock.core.levers import Dial
from penstock.core.seen.figures import MachineFigures
from penstock.core.seen.view import JobView, View
from tests.builders import job

EASY = ((1, 4.0), (2, 10.0), (8, 10.0))  # two are as good as any number
HARD = ((1, 0.0), (8, 10.0))


def application(
    name: str,
    now: int,
    worth: tuple[tuple[float, float], ...] = (),
    least: int = 1,
    most: int = 8,
    asked: int | None = None,
    cores: int = 1,
) -> Dial:
    """The executors of an application."""
    return Dial("executors", name, now, least, most, asked, worth=worth, costs=cores)


def fleet(dials: Sequence[Dial], cores: int = 4, at_s: float = 0.0, jobs: Sequence[JobView] | None = None) -> View:
    """Applications with one tenant each, of their name, on a cluster of so many cores."""
    tenants = tuple(jobs or (job(dial.job, utility=5.0) for dial in dials))
    machines = (MachineFigures("worker", cores, slots=cores),)
    utility = sum(one.utility or 0.0 for one in tenants)
    return View(at_s, tenants, machines, utility, sum(one.max_utility for one in tenants), levers=tuple(dials))


def round_of(at_s: float, clicks: int = 5, worth: tuple[tuple[float, float], ...] = EASY) -> View:
    """Clicks has what it asks for, fraud has not, and of new nobody knows; executors of two cores."""
    dials = (
        application("clicks", clicks, worth, cores=2),
        application("fraud", 3, HARD, cores=2),
        application("new", 1, cores=2),
    )
    return fleet(dials, 20, at_s, [job("clicks", 10.0), job("fraud", 3.0), job("new", 0.0)])
