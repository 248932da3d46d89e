"""Recovery of a job that takes its rows in batches: worked examples, and how it lies to the series."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.known.batch_recovery import AS_USUAL, Batches, batch_recovery_time
from penstock.core.known.recovery import recovery_time
from penstock.errors import ConfigError

CALM = Batches(every_s=5.0, fixed_s=1.0, usual_wait_s=8.5)  # 500 rows a batch, which take 2.5 s and one more


@pytest.mark.parametrize(
    ("downtime_s", "into_s", "expected_s", "because"),
    [
        (2.0, 1.0, 9.75, "500 rows again until 5.5; 650 rows wait, no trigger to wait for: 4.25 s"),
        (0.0, 4.0, 3.0, "it had ended: 400 rows wait and are taken at once"),
        (2.0, 0.5, 9.5, "500 rows again until 5.5, the trigger at 4.5 is past: 600 rows take 4 s"),
        (0.2, 0.0, 8.5, "500 rows again until 3.7, then it waits for the trigger at 5: 500 rows take 3.5 s"),
    ],
)
def test_the_batch_that_failed_is_done_again_and_the_next_has_its_trigger(
    downtime_s: float, into_s: float, expected_s: float, because: str
) -> None:
    found = batch_recovery_time(lambda t: 100.0, 200.0, CALM, downtime_s, into_s)
    assert found.total == pytest.approx(expected_s), because
    assert found.downtime == downtime_s


def test_without_an_instant_the_batch_is_nearly_done() -> None:
    worst = batch_recovery_time(lambda t: 100.0, 200.0, CALM, 2.0)
    assert worst == batch_recovery_time(lambda t: 100.0, 200.0, CALM, 2.0, into_s=3.5)
    assert worst.total >= max(batch_recovery_time(lambda t: 100.0, 200.0, CALM, 2.0, part).total for part in (0.0, 4.9))


@pytest.mark.parametrize("rate", [250.0, 1000.0])
def test_more_than_it_can_do_is_never_caught_up_with(rate: float) -> None:
    assert math.isinf(batch_recovery_time(lambda t: rate, 200.0, CALM, 30.0).total)
    assert math.isinf(batch_recovery_time(lambda t: rate, 0.0, CALM, 30.0).total)


def test_what_each_batch_costs_beside_its_rows_may_be_too_much_to_come_back_to_what_is_usual() -> None:
    # Batches of 150 rows/s settle at 0.9 / (1 - 150/200) = 3.6 s each, a wait of 7.2 s; usual were 2 s.
    assert math.isinf(batch_recovery_time(lambda t: 150.0, 200.0, Batches(1.0, 0.9, 2.0), 30.0).total)


def test_a_rate_that_falls_is_caught_up_with() -> None:
    found = batch_recovery_time(lambda t: 300.0 if t < 100.0 else 20.0, 200.0, CALM, 30.0)
    assert 100.0 < found.total < 300.0


@given(
    share=st.floats(0.05, 0.9),
    capacity=st.floats(10.0, 1e5),
    every_s=st.floats(0.5, 30.0),
    downtime_s=st.floats(0.0, 600.0),
)
def test_it_is_the_series_to_within_a_few_batches(
    share: float, capacity: float, every_s: float, downtime_s: float
) -> None:
    rate = share * capacity
    usual_wait_s = every_s * (1.0 + share)
    found = batch_recovery_time(lambda t: rate, capacity, Batches(every_s, 0.0, usual_wait_s), downtime_s).total
    series = recovery_time(rate, capacity, every_s, downtime_s).total
    assert abs(found - series) <= 2 * AS_USUAL * usual_wait_s / (1.0 - share)
    assert found >= downtime_s


def test_a_batch_that_never_begins_is_refused() -> None:
    with pytest.raises(ConfigError, match="every_s"):
        Batches(0.0, 1.0, 5.0)
