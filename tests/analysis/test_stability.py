"""Stable or not, by the latency of the tuples."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.analysis.stability import StabilitySettings, judge, latency_slope
from penstock.core.seen.trial import Measured, Trial
from penstock.errors import ConfigError


def measured(*latency_s: float) -> Measured:
    points = tuple((float(at), latency) for at, latency in enumerate(latency_s))
    return Measured(Trial(2, 10.0), points, 9.5, 0.4, 0.1, others_share=0.05)


def test_a_latency_that_keeps_still_is_stable() -> None:
    assert judge(measured(0.10, 0.11, 0.10, 0.09, 0.10)).stable


def test_a_latency_that_rises_is_not_and_the_slope_is_told() -> None:
    done = judge(measured(0.1, 0.2, 0.3, 0.4, 0.5))
    assert not done.stable
    assert done.slope == pytest.approx(0.1)


def test_one_pause_of_the_machine_tips_nothing() -> None:
    assert judge(measured(0.1, 0.1, 0.1, 0.1, 0.1, 2.0, 0.1, 0.1)).stable


def test_a_backlog_that_stays_is_unstable_too() -> None:
    assert not judge(measured(6.0, 6.0, 6.0, 6.0, 6.0)).stable


def test_a_trial_in_which_nothing_was_done_is_unstable() -> None:
    done = judge(measured())
    assert (done.stable, done.slope) == (False, None)


def test_figures_go_through_unchanged() -> None:
    done = judge(measured(0.1, 0.1, 0.1, 0.1))
    assert (done.trial, done.processed_rps, done.cpu_share, done.memory_share) == (Trial(2, 10.0), 9.5, 0.4, 0.1)
    assert done.others_share == 0.05


@given(slope=st.floats(-1, 1), offset=st.floats(0, 10))
def test_the_slope_of_a_straight_line_is_its_slope(slope: float, offset: float) -> None:
    points = [(float(at), offset + slope * at) for at in range(8)]
    assert latency_slope(points) == pytest.approx(slope, abs=1e-9)


def test_bad_limits_and_bad_trials_are_refused() -> None:
    with pytest.raises(ConfigError, match="max_slope"):
        StabilitySettings(max_slope=0)
    with pytest.raises(ConfigError, match="threads"):
        Trial(0, 1.0)
    with pytest.raises(ConfigError, match="rate_rps"):
        Trial(1, -1.0)
