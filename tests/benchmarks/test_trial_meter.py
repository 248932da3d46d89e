"""Every policy is judged by the same ten seconds: what a tenant had is worked out from batches and arrivals alone."""

import pytest
from trial_meter import Measured, done_rps

from penstock.core.asked.intents import Intent, Juice, Latency
from penstock.engines.spark.watch.arrivals import ArrivedBy
from penstock.engines.spark.watch.progress import Batch

START_S = 1000.0


def batches(length_s: float, count: int, rows: float = 500.0, first: int = 0) -> list[Batch]:
    """One after the other, each with what arrived while the one before it ran."""
    begins = [START_S + length_s * number for number in range(count)]
    return [
        Batch("run", first + number, begin, begin + length_s, rows, offset_end=rows * (number + 1))
        for number, begin in enumerate(begins)
    ]


def arrivals(rate_rps: float, seconds: int, before: float = 0.0) -> list[ArrivedBy]:
    """What the broker said once a second."""
    return [ArrivedBy(START_S + at_s, before + rate_rps * at_s) for at_s in range(seconds + 1)]


def test_rows_that_wait_for_a_batch_as_long_as_their_own_have_its_length_and_a_half() -> None:
    # 100 rows/s in batches of 5 s: a row waits 0 to 5 s for its batch, and 5 s for its commit.
    measured = Measured({"a": batches(5.0, 12)}, {"a": arrivals(100.0, 60, before=500.0)})
    had = measured.moments({"a": Intent(Latency("4s", utility=40))}, START_S, 60.0)[49].had["a"]
    assert had.latency_s == pytest.approx(7.5, abs=0.3)
    assert had.latency_s is not None
    assert had.utility == pytest.approx(40 * 4 / had.latency_s)
    assert not had.met


def test_juice_is_what_was_done_of_what_came() -> None:
    # 500 rows in 5 s of which 200 rows/s arrive
    measured = Measured({"a": batches(5.0, 12)}, {"a": arrivals(200.0, 60, before=500.0)})
    had = measured.moments({"a": Intent(Juice(0.8, utility=10))}, START_S, 60.0)[49].had["a"]
    assert had.juice == pytest.approx(0.5, abs=0.02)
    assert had.juice is not None
    assert had.utility == pytest.approx(10 * had.juice / 0.8)


def test_a_tenant_that_ends_no_batch_any_more_is_worth_less_from_second_to_second() -> None:
    measured = Measured({"a": batches(2.0, 10, rows=200.0)}, {"a": arrivals(100.0, 60, before=200.0)})
    moments = measured.moments({"a": Intent(Latency("4s", utility=40))}, START_S, 60.0)
    at = {moment.at_s: moment.had["a"] for moment in moments}
    assert at[20.0].met
    assert [at[second].utility > at[second + 10].utility for second in (25.0, 35.0, 45.0)] == [True] * 3


def test_a_tenant_of_which_nothing_is_known_yet_is_worth_nothing() -> None:
    moments = Measured().moments({"a": Intent(Latency("4s", utility=40))}, START_S, 3.0)
    assert [(moment.at_s, moment.utility) for moment in moments] == [(1.0, 0.0), (2.0, 0.0), (3.0, 0.0)]


def test_utility_is_the_share_of_what_all_could_have_together() -> None:
    intents = {"a": Intent(Latency("30s", utility=40)), "b": Intent(Latency("30s", utility=10))}
    measured = Measured({"a": batches(2.0, 10, rows=200.0)}, {"a": arrivals(100.0, 20, before=200.0)})
    assert measured.moments(intents, START_S, 20.0)[-1].utility == pytest.approx(40 / 50)


def test_the_rate_of_what_was_done_goes_from_commit_to_commit() -> None:
    # commits at 5, 10, ..., 30 s: from the first on 5 x 500 rows in 25 s
    assert done_rps(batches(5.0, 6)) == pytest.approx(100.0)
    assert done_rps(batches(5.0, 2)) is None
