"""Views: the fleet as a whole."""

import pytest

from penstock.core.asked.intents import Intent, Juice
from penstock.core.seen.figures import JobFigures, MachineFigures
from penstock.core.seen.view import JobView, View


def a_view(*machines: MachineFigures, fresh: tuple[bool, ...] = (True,)) -> View:
    intent = Intent(Juice(1.0, utility=10))
    jobs = tuple(JobView(JobFigures(f"job{i}", ()), intent, 5.0, False, new) for i, new in enumerate(fresh))
    return View(0.0, jobs, machines, utility=5.0, max_utility=10.0)


def with_load(load: float | None, alive: bool = True) -> MachineFigures:
    return MachineFigures("m", cores=4, load=load, alive=alive)


@pytest.mark.parametrize(
    ("machines", "congested"),
    [
        ((), False),
        ((with_load(5.0),), True),
        ((with_load(5.0), with_load(1.0)), False),  # half is no majority
        ((with_load(5.0), with_load(5.0), with_load(1.0)), True),
        ((with_load(5.0), with_load(1.0), with_load(None, alive=False)), False),
        ((with_load(5.0), with_load(None, alive=False)), True),  # of those that are there
    ],
)
def test_a_cluster_is_congested_when_most_of_its_living_machines_are(
    machines: tuple[MachineFigures, ...], congested: bool
) -> None:
    assert a_view(*machines).congested is congested


def test_one_job_with_old_figures_makes_the_view_old() -> None:
    assert a_view(fresh=(True, True)).fresh
    assert not a_view(fresh=(True, False)).fresh


def test_a_job_is_found_by_name_with_its_worth() -> None:
    job = a_view(fresh=(True, True)).job("job1")
    assert (job.name, job.max_utility) == ("job1", 10.0)


def test_slots_are_those_that_executors_offer_where_they_tell() -> None:
    offered = (MachineFigures("m", cores=2, slots=8), MachineFigures("gone", cores=2, slots=8, alive=False))
    assert View(0.0, (), offered, 0.0, 0.0).slots == 8
    assert View(0.0, (), offered, 0.0, 0.0, max_threads=5).slots == 5
    assert View(0.0, (), (MachineFigures("m", cores=2),), 0.0, 0.0).slots == 2
