"""Two clusters of latencies: those that keep up and those that do not."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.analysis.models.validity import boundary


@given(
    valid=st.lists(st.floats(0.9, 1.6), min_size=3, max_size=20),
    late=st.lists(st.floats(10.0, 1e5), min_size=1, max_size=10),
)
def test_latencies_of_another_size_are_told_from_those_that_keep_up(valid: list[float], late: list[float]) -> None:
    assert max(valid) <= boundary([*valid, *late])
    assert boundary([*valid, max(late)]) < max(late)


@given(st.lists(st.floats(1.0, 1.5), max_size=30))
def test_latencies_of_one_size_are_all_valid(latencies: list[float]) -> None:
    assert boundary(latencies) == math.inf


def test_the_unit_does_not_matter() -> None:
    latencies = [1.0, 1.1, 0.9, 1.2, 20.0, 40.0]
    assert boundary([1000 * value for value in latencies]) == pytest.approx(1000 * boundary(latencies))
