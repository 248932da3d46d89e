"""Recovery time: the series of Phoebe, section III-B, and the laws that it obeys."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock as ps
from penstock.errors import ConfigError

RATES = st.floats(1.0, 1e6)
SPANS = st.floats(0.0, 600.0)


def test_at_a_constant_rate_the_series_sums_up() -> None:
    # 70 s x 100 rows/s wait; half of the capacity of 200 is left to work them off: 7,000 / 100 = 70 s.
    found = ps.recovery_time(100.0, capacity=200.0, checkpoint_interval=10.0, downtime=60.0)
    assert (found.downtime, found.catch_up, found.total) == (60.0, 70.0, 130.0)
    assert sum(found.steps) == pytest.approx(70.0, abs=0.1)


@pytest.mark.parametrize("arrivals", [200.0, 300.0, lambda t: 200.0, lambda t: 300.0 + t])
def test_a_job_without_room_never_recovers(arrivals: object) -> None:
    found = ps.recovery_time(arrivals, 200.0, 10.0, 60.0)  # type: ignore[arg-type]
    assert math.isinf(found.total)
    assert found.downtime == 60.0


def test_nothing_arrives_nothing_is_to_catch_up() -> None:
    assert ps.recovery_time(0.0, 100.0, "10s", "1m").total == 60.0
    assert ps.recovery_time(lambda t: 0.0, 100.0, "10s", "1m").total == 60.0


def test_a_falling_rate_is_caught_up_with_sooner_than_a_rising_one() -> None:
    falling = ps.recovery_time(lambda t: max(0.0, 150.0 - 0.2 * t), 200.0, 10.0, 60.0)
    rising = ps.recovery_time(lambda t: 150.0 + 0.1 * t, 200.0, 10.0, 60.0)
    assert falling.total < ps.recovery_time(150.0, 200.0, 10.0, 60.0).total < rising.total


def test_a_peak_above_capacity_that_passes_is_recovered_from() -> None:
    # 300 rows/s for 100 s, then 50: 10 s before the failure and 100 s after it are 33,000 rows; from second 60
    # on 200 rows/s are processed: 33,000 + 50 (x - 100) = 200 (x - 60) gives x = 266.7 s.
    found = ps.recovery_time(lambda t: 300.0 if t < 100.0 else 50.0, 200.0, 10.0, 60.0)
    assert found.total == pytest.approx(266.7, abs=5.0)


@given(rate=RATES, spare=st.floats(1.05, 20.0), interval=SPANS, downtime=SPANS)
def test_a_constant_function_counts_as_its_value(rate: float, spare: float, interval: float, downtime: float) -> None:
    as_number = ps.recovery_time(rate, rate * spare, interval, downtime)
    as_function = ps.recovery_time(lambda t: rate, rate * spare, interval, downtime)
    assert as_function.total == pytest.approx(as_number.total, abs=0.1, rel=1e-6)


@given(rate=RATES, spare=st.floats(1.05, 20.0), interval=SPANS, downtime=SPANS, more=st.floats(1.0, 5.0))
def test_more_capacity_is_never_slower_and_longer_gaps_never_faster(
    rate: float, spare: float, interval: float, downtime: float, more: float
) -> None:
    found = ps.recovery_time(rate, rate * spare, interval, downtime).total
    assert ps.recovery_time(rate, rate * spare * more, interval, downtime).total <= found * (1 + 1e-9)
    assert ps.recovery_time(rate, rate * spare, interval * more, downtime * more).total >= found * (1 - 1e-9)


@given(rate=RATES, spare=st.floats(1.05, 20.0), interval=SPANS, downtime=SPANS)
def test_the_steps_shrink_and_the_rows_are_conserved(
    rate: float, spare: float, interval: float, downtime: float
) -> None:
    found = ps.recovery_time(rate, rate * spare, interval, downtime)
    assert list(found.steps) == sorted(found.steps, reverse=True)
    # What is processed while catching up is all that arrived since the last checkpoint.
    assert found.catch_up * spare == pytest.approx(interval + downtime + found.catch_up, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"arrivals": -1.0}, "arrivals: -1.0 cannot be used"),
        ({"arrivals": "many"}, "arrivals: 'many' cannot be used; give rows per second, or a function"),
        ({"arrivals": lambda t: -5.0}, r"arrivals(-10): -5.0 cannot be used"),
        ({"arrivals": lambda t: math.nan if t > 0.0 else 1.0}, r"arrivals(5): nan cannot be used"),
        ({"arrivals": lambda t: math.inf if t > 0.0 else 1.0}, r"arrivals(5): inf cannot be used"),
        ({"capacity": math.nan}, "capacity: nan cannot be used"),
        ({"downtime": "soon"}, "downtime: 'soon' cannot be used"),
        ({"checkpoint_interval": -10}, "checkpoint_interval: -10 cannot be used"),
    ],
)
def test_what_cannot_be_used_is_refused(given: dict[str, object], message: str) -> None:
    usual: dict[str, object] = {"arrivals": 1.0, "capacity": 2.0, "checkpoint_interval": 10.0, "downtime": 60.0}
    with pytest.raises(ConfigError) as caught:
        ps.recovery_time(**{**usual, **given})  # type: ignore[arg-type]
    assert message in str(caught.value)
