"""Arrivals: whole rows, none lost between two looks."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.engines.sim.microbatch.arrivals import ArrivalCurve

rows_a_second = st.lists(st.floats(0.0, 500.0), min_size=1, max_size=30)


def test_rows_come_evenly_within_their_second() -> None:
    curve = ArrivalCurve(np.array([10.0, 20.0]), 0.0, math.inf)
    assert [curve.by(at_s) for at_s in (0.0, 0.1, 0.55, 1.0, 1.05, 2.0, 99.0)] == [0, 1, 5, 10, 11, 30, 30]


def test_parts_of_rows_carry_over_to_the_next_second() -> None:
    curve = ArrivalCurve(np.full(10, 0.5), 0.0, math.inf)
    assert [curve.by(float(second)) for second in range(1, 7)] == [0, 1, 1, 2, 2, 3]


def test_only_rows_between_start_and_end_count() -> None:
    curve = ArrivalCurve(np.full(10, 10.0), 2.5, 5.0)
    assert [curve.by(at_s) for at_s in (2.5, 3.0, 5.0, 9.0)] == [0, 5, 25, 25]


@pytest.mark.parametrize(("row", "at_s"), [(0, 2.6), (4, 3.0), (5, 3.1), (24, 5.0), (25, math.inf), (999, math.inf)])
def test_a_row_has_its_time(row: int, at_s: float) -> None:
    assert ArrivalCurve(np.full(10, 10.0), 2.5, 5.0).time_of(row) == pytest.approx(at_s)


@given(rows_a_second, st.floats(0.0, 10.0))
def test_at_its_time_a_row_has_arrived_and_just_before_it_has_not(rows: list[float], starts_at_s: float) -> None:
    curve = ArrivalCurve(np.array(rows), starts_at_s, math.inf)
    for row in range(0, curve.by(1000.0), 7):
        at_s = curve.time_of(row)
        assert curve.by(at_s) > row
        assert curve.by(at_s - 1e-6) <= row


@given(rows_a_second, st.lists(st.floats(0.0, 40.0), min_size=2).map(sorted))
def test_arrivals_never_go_back(rows: list[float], moments: list[float]) -> None:
    curve = ArrivalCurve(np.array(rows), 0.0, math.inf)
    counts = [curve.by(at_s) for at_s in moments]
    assert counts == sorted(counts)
    assert counts[-1] <= sum(rows) + 1e-6
