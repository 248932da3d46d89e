"""Builders: a view of many applications, each with executors of its own."""

from collections.abc import Sequence

from penstock.core.figures import MachineFigures
from penstock.core.levers import Dial
from penstock.core.view import JobView, View
from tests.builders import job


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
