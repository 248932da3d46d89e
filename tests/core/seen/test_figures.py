"""Figures: percentiles between the known ones, and sums over operators."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.seen.figures import JobFigures, LatencyFigures, MachineFigures, OperatorFigures

EXPONENTIAL = LatencyFigures(1.0, ((50.0, 0.693147), (90.0, 2.302585), (99.0, 4.605170)))


@pytest.mark.parametrize(
    ("percentile", "expected"),
    [
        (None, 1.0),
        (50, 0.693147),
        (75, 1.386294),  # an exponential's percentiles are straight lines in the logarithm of the tail: ln 4
        (95, 2.995732),  # ln 20
        (99, 4.605170),
        (99.9, 4.605170),  # beyond what is known: the last
        (10, 0.693147),  # below it: the first
    ],
)
def test_a_percentile_is_interpolated_in_the_logarithm_of_the_tail(percentile: float | None, expected: float) -> None:
    assert EXPONENTIAL.at(percentile) == pytest.approx(expected, rel=1e-5)


def test_without_percentiles_only_the_mean_is_known() -> None:
    assert (LatencyFigures(1.0).at(None), LatencyFigures(1.0).at(95)) == (1.0, None)


def test_a_maximum_may_stand_for_the_hundredth_percentile() -> None:
    figures = LatencyFigures(1.0, ((99.0, 4.0), (100.0, 7.0)))
    # From a tail of 1e-2 to 1e-5: 99.9 is one of three decades on the way.
    assert figures.at(99.9) == pytest.approx(5.0)


@given(
    st.lists(st.floats(1.0, 100.0), min_size=1, max_size=6, unique=True).map(sorted),
    st.lists(st.floats(0.0, 100.0), min_size=6, max_size=6).map(sorted),
    st.tuples(st.floats(0.1, 99.99), st.floats(0.1, 99.99)).map(sorted),
)
def test_a_higher_percentile_is_never_lower(levels: list[float], values: list[float], asked: list[float]) -> None:
    figures = LatencyFigures(1.0, tuple(zip(levels, values, strict=False)))
    lower, higher = (figures.at(percentile) for percentile in asked)
    assert lower is not None
    assert higher is not None
    assert lower <= higher + 1e-9


def test_a_job_holds_the_threads_of_all_its_operators() -> None:
    job = JobFigures("job", (OperatorFigures("a", 2), OperatorFigures("b", 3)))
    assert (job.threads, job.operator("b").threads) == (5, 3)


@pytest.mark.parametrize(("load", "congested"), [(None, False), (4.0, False), (4.1, True)])
def test_a_machine_is_congested_with_more_runnable_threads_than_cores(load: float | None, congested: bool) -> None:
    assert MachineFigures("m", cores=4, load=load).congested is congested
