"""Schedules: every row is due once, when the curve says so."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.errors import ConfigError
from penstock.loading.schedule import Schedule
from penstock.workloads.rates import constant

CURVES = st.lists(st.integers(0, 40), min_size=1, max_size=20).filter(lambda rates: sum(rates) > 0)


def test_rows_are_due_evenly_within_a_second() -> None:
    schedule = Schedule.of(constant(100.0, 10))
    assert (schedule.rows, schedule.seconds) == (1000, 10.0)
    assert [schedule.due(at) for at in (0.0, 0.5, 1.0, 99.0)] == [0, 50, 100, 1000]


@given(CURVES, st.floats(0.0, 20.0))
def test_a_row_is_due_when_its_time_has_come(rates: list[int], at_s: float) -> None:
    schedule = Schedule.of(np.array(rates, dtype=float))
    due = schedule.due(at_s)
    times = schedule.times(0, schedule.rows)
    # Numbers are rounded: a row may count half a row's time before it is due.
    assert np.all(times[: max(0, due - 1)] <= at_s + 1e-6)
    assert np.all(np.diff(times) >= 0)


@given(CURVES)
def test_each_second_gets_its_rows(rates: list[int]) -> None:
    schedule = Schedule.of(np.array(rates, dtype=float))
    seconds = np.floor(schedule.times(0, schedule.rows) + 1e-9).astype(int)
    assert np.bincount(seconds, minlength=len(rates)).tolist() == rates


def test_a_curve_without_rows_is_refused() -> None:
    with pytest.raises(ConfigError, match="at least one row"):
        Schedule.of(constant(0.0, 5))
