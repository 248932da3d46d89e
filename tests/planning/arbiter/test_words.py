"""A decision's reason tells what is turned, and nothing that is not."""

from dataclasses import replace

import numpy as np
import pytest

from penstock.planning.arbiter.candidates import present
from penstock.planning.arbiter.outcome import foretell
from penstock.planning.arbiter.search import Found
from penstock.planning.arbiter.words import why
from tests.planning.arbiter.fleets import fleet, fleet_view, job

JOBS = (job("ads", 40.0, weight=4), job("b", 40.0))


@pytest.mark.parametrize(
    ("turned", "said"),
    [
        ({"weights": np.array([[1.0, 1.0]])}, "ads needs fewer slots"),
        (
            {"bounds": np.array([[np.inf, 500.0]])},
            "bounds that hold nothing back are removed, so that they do not once the load rises",
        ),
    ],
)
def test_what_helps_nobody_yet_is_told_as_what_it_is(turned: dict[str, np.ndarray], said: str) -> None:
    there = fleet(*JOBS, slots=8, cores=8, bounds=np.array([np.inf, 400.0]))
    now = foretell(there, present(there))
    assert why(fleet_view(*JOBS), there, Found(replace(present(there), **turned), now, now)) == said


def test_one_that_is_helped_by_another_having_more_is_told_so() -> None:
    there = fleet(*JOBS, slots=8, cores=8)
    now = foretell(there, present(there))
    ads_gains = replace(now, settled=now.settled + np.array([[2.0, 0.0]]))
    more = replace(present(there), weights=np.array([[1.0, 3.0]]))
    text = why(fleet_view(*JOBS), there, Found(more, ads_gains, now))
    assert text.endswith("; b gets more slots, so that its batches release them sooner")


def test_a_job_whose_own_batches_are_made_smaller_is_told_so() -> None:
    there = fleet(*JOBS, slots=8, cores=8)
    now = foretell(there, present(there))
    ads_gains = replace(now, settled=now.settled + np.array([[2.0, 0.0]]))
    bounded = replace(present(there), bounds=np.array([[40.0, np.inf]]))
    text = why(fleet_view(*JOBS), there, Found(bounded, ads_gains, now))
    assert text.endswith("; its own batches get smaller, so that each ends sooner")


def test_whoever_is_helped_before_it_misses_is_not_said_to_miss() -> None:
    there = fleet(*JOBS, slots=8, cores=8)
    now = foretell(there, present(there))
    ads_gains = replace(now, settled=now.settled + np.array([[2.0, 0.0]]))
    more = replace(present(there), weights=np.array([[6.0, 1.0]]))
    text = why(fleet_view(*JOBS), there, Found(more, ads_gains, now))
    assert text == "ads still meets mean latency <= 4s (now 1s) but is predicted to miss it; it gets more slots"
    late = (job("ads", 40.0, weight=4, utility=5.0), JOBS[1])
    assert why(fleet_view(*late), there, Found(more, ads_gains, now)).startswith(
        "ads misses mean latency <= 4s (now 1s);"
    )
