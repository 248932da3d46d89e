"""Recovery of a job that goes on without a part of it: beside a queue that is worked off in small steps."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.known.batch_recovery import Batches, batch_recovery_time
from penstock.core.known.recovery import Short, recovery_time, short_recovery_time
from penstock.core.seen.failures import Failure, FailureKind
from penstock.errors import ConfigError

CALM = Batches(every_s=5.0, fixed_s=1.0, usual_wait_s=8.5)
KEPT = st.floats(0.0, 1.0)
SPANS = st.floats(0.0, 120.0)


def stepped_s(rate: float, capacity: float, interval_s: float, stop_s: float, short: Short) -> float:
    """When the queue is empty: an oracle that knows no series."""
    step_s, at_s, waiting = 0.01, 0.0, rate * interval_s
    while True:
        share = 0.0 if at_s < stop_s else short.kept if at_s < short.until_s else 1.0
        waiting += (rate - share * capacity) * step_s
        at_s += step_s
        if waiting <= 0.0 and at_s >= stop_s:
            return at_s


@given(share=st.floats(0.05, 0.8), kept=KEPT, stop_s=st.floats(0.0, 20.0), until_s=st.floats(0.0, 40.0))
def test_it_is_the_time_that_a_queue_takes_to_empty(share: float, kept: float, stop_s: float, until_s: float) -> None:
    short = Short(until_s, kept)
    found = short_recovery_time(share * 100.0, 100.0, 5.0, stop_s, short).total
    assert found == pytest.approx(stepped_s(share * 100.0, 100.0, 5.0, stop_s, short), abs=0.1, rel=0.01)


@given(share=st.floats(0.05, 0.9), kept=KEPT, more=st.floats(0.0, 1.0), stop_s=SPANS, until_s=SPANS)
def test_who_keeps_more_is_back_no_later_and_nobody_before_one_that_lost_nothing(
    share: float, kept: float, more: float, stop_s: float, until_s: float
) -> None:
    found = short_recovery_time(share, 1.0, 5.0, stop_s, Short(until_s, kept)).total
    better = short_recovery_time(share, 1.0, 5.0, stop_s, Short(until_s, kept + (1.0 - kept) * more)).total
    assert better <= found + 1e-6
    assert recovery_time(share, 1.0, 5.0, stop_s).total <= better + 1e-6


@given(share=st.floats(0.05, 0.9), stop_s=SPANS, until_s=SPANS)
def test_who_keeps_nothing_stands_still_until_it_is_whole(share: float, stop_s: float, until_s: float) -> None:
    found = short_recovery_time(share, 1.0, 5.0, stop_s, Short(until_s, 0.0)).total
    assert found == pytest.approx(recovery_time(share, 1.0, 5.0, max(stop_s, until_s)).total)


@pytest.mark.parametrize(
    ("short", "expected_s", "because"),
    [
        (Short(0.0, 0.5), 9.75, "whole before it was back"),
        (Short(100.0, 1.0), 9.75, "it misses nothing"),
        # The batch again: from 3.0 on 2.5 s of work at half speed until 8; then 900 rows: 4.5 s of work.
        (Short(8.0, 0.5), 13.5, "900 rows wait at 8.0: 1 + 4.5 s"),
    ],
)
def test_batches_take_their_rows_slower_while_one_is_missing(short: Short, expected_s: float, because: str) -> None:
    found = batch_recovery_time(lambda t: 100.0, 200.0, CALM, 2.0, into_s=1.0, short=short)
    assert found.total == pytest.approx(expected_s), because


@given(kept=KEPT, until_s=SPANS)
def test_in_batches_nobody_is_back_sooner_for_being_short(kept: float, until_s: float) -> None:
    whole = batch_recovery_time(lambda t: 100.0, 400.0, CALM, 2.0).total
    found = batch_recovery_time(lambda t: 100.0, 400.0, CALM, 2.0, short=Short(until_s, kept)).total
    assert found >= whole - CALM.every_s  # a batch that falls on the next trigger may take what one more would have
    assert math.isfinite(found)


def test_what_the_others_keep_is_their_number_times_their_speed() -> None:
    lost = Failure(FailureKind.EXECUTOR, 0.0, short_s=20.0, slowed=0.5)
    assert [lost.kept(executors) for executors in (1, 2, 4)] == [0.0, 0.25, 0.375]


def test_nobody_is_faster_for_a_loss() -> None:
    with pytest.raises(ConfigError, match="slowed"):
        Failure(FailureKind.EXECUTOR, 0.0, slowed=1.2)
