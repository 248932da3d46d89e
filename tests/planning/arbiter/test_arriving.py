"""How much arrives: what comes in portions is no change of its rate, and a change is followed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.planning.arbiter.arriving import SteadyRate, steady


def after(begun: SteadyRate, *batches: tuple[float, float]) -> float:
    """The rate once so many rows came in so many seconds, each after the other."""
    for rows, in_s in batches:
        begun = begun.with_rows(rows, in_s)
    return float(begun.rate_rps)


STEADY = SteadyRate(*steady(200.0, 12.0))


@pytest.mark.parametrize(
    ("batches", "rate_rps"),
    [
        ([(200.0, 1.0)] * 5, (199.0, 201.0)),
        ([(400.0, 1.1)], (190.0, 220.0)),  # a source that gives a second's rows at once: two portions in one batch
        ([(400.0, 1.1), (200.0, 1.2), (200.0, 0.9), (0.0, 0.5)], (185.0, 215.0)),
        ([(1200.0, 1.0)] * 6, (1_050.0, 1_250.0)),  # six times as much, seen for six seconds
        ([(0.0, 1.0)] * 8, (0.0, 20.0)),  # nothing comes any more
    ],
)
def test_portions_are_averaged_and_changes_followed(
    batches: list[tuple[float, float]], rate_rps: tuple[float, float]
) -> None:
    assert rate_rps[0] <= after(STEADY, *batches) <= rate_rps[1]


def test_a_second_of_rows_that_comes_a_batch_early_is_no_rise_where_the_rate_is_known_to_some_percent() -> None:
    known = SteadyRate(191.0, 12.0, 46.0, 0.0, 0.0)  # of 200 a second, as it was after twenty batches on Spark
    assert after(known, (400.0, 1.02)) < 215.0


@pytest.mark.parametrize(("known_rps", "rows", "rate_rps"), [(60.0, 1080.0, 270.0), (270.0, 240.0, 60.0)])
def test_a_step_is_read_at_its_height_by_one_batch_that_is_far_beyond_a_portion(
    known_rps: float, rows: float, rate_rps: float
) -> None:
    assert after(SteadyRate(*steady(known_rps, 12.0)), (rows, 4.0)) == pytest.approx(rate_rps, rel=0.1)


def test_what_goes_up_and_down_again_and_again_is_planned_for_as_its_mean() -> None:
    up, down = [(220.0, 1.0)] * 10, [(20.0, 1.0)] * 10
    assert after(STEADY, *down) < 40.0  # the first time it is a change
    waves = [*up, *down, *up, *down, *up]
    seen = [after(STEADY, *waves[:count]) for count in range(35, len(waves) + 1)]
    assert all(80.0 <= rate_rps <= 160.0 for rate_rps in seen)


def test_two_changes_with_a_minute_between_them_are_followed_each_by_itself() -> None:
    risen = [(600.0, 1.0)] * 60
    assert after(STEADY, *risen, *[(200.0, 1.0)] * 8) == pytest.approx(200.0, abs=25.0)
    assert after(STEADY, *risen, *[(200.0, 1.0)] * 60, *[(600.0, 1.0)] * 8) == pytest.approx(600.0, abs=50.0)


def test_the_first_interval_is_the_rate() -> None:
    assert after(SteadyRate(*steady(0.0)), (300.0, 2.0)) == pytest.approx(150.0)


@given(st.lists(st.floats(0.3, 3.0), min_size=20, max_size=40), st.floats(1.0, 1e5))
def test_a_source_that_gives_whole_seconds_is_known_within_a_tenth_after_a_while(
    intervals: list[float], rate_rps: float
) -> None:
    now_s, told_s, known = 0.0, 0, SteadyRate(*steady(rate_rps, 12.0))
    for interval_s in intervals:
        now_s += interval_s
        known = known.with_rows(rate_rps * (int(now_s) - told_s), interval_s)
        told_s = int(now_s)
    assert known.rate_rps == pytest.approx(rate_rps, rel=0.1)
