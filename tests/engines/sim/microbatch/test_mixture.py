"""Mixtures of uniforms: percentiles against the definition."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.engines.sim.microbatch.mixture import Uniform, latency_of

parts = st.lists(
    st.builds(
        lambda rows, low, width: Uniform(rows, low, low + width), st.integers(1, 1000), st.floats(0, 9), st.floats(0, 9)
    ),
    min_size=1,
    max_size=8,
)


def test_one_uniform_has_its_own_percentiles() -> None:
    latency = latency_of([Uniform(100, 1.0, 3.0)])
    assert latency.mean_s == 2.0
    assert latency.quantiles == ((50.0, 2.0), (90.0, 2.8), (95.0, 2.9), (99.0, 2.98))


def test_a_small_slow_part_makes_the_tail() -> None:
    latency = latency_of([Uniform(90, 0.0, 1.0), Uniform(10, 10.0, 11.0)])
    assert latency.mean_s == pytest.approx(0.9 * 0.5 + 0.1 * 10.5)
    assert latency.at(50) == pytest.approx(0.5 / 0.9)  # the first part holds 0.9 of all rows
    assert latency.at(95) == pytest.approx(10.5)  # half of the last tenth


def test_rows_that_took_equally_long_have_that_for_every_percentile() -> None:
    assert latency_of([Uniform(5, 2.0, 2.0)]).at(99) == pytest.approx(2.0)


@given(parts)
def test_percentiles_rise_and_lie_within_the_parts(parts: list[Uniform]) -> None:
    latency = latency_of(parts)
    values = [value for _, value in latency.quantiles]
    low, high = min(part.low_s for part in parts), max(part.high_s for part in parts)
    assert values == sorted(values)
    assert low - 1e-6 <= min(*values, latency.mean_s) <= max(*values, latency.mean_s) <= high + 1e-6


@given(parts)
def test_the_share_of_rows_up_to_a_percentile_is_that_percentile(parts: list[Uniform]) -> None:
    total = sum(part.rows for part in parts)
    for level, value in latency_of(parts).quantiles:
        below = sum(part.rows for part in parts if part.high_s <= value - 1e-6)
        up_to = sum(part.rows for part in parts if part.low_s <= value + 1e-6)
        assert below / total <= level / 100 + 1e-9
        assert up_to / total >= level / 100 - 1e-9
