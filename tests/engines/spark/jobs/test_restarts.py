"""Back-off, decided without a clock of its own."""

import pytest

from penstock.core.asked.restart_policy import RestartPolicy
from penstock.core.seen.failures import FailureKind
from penstock.core.seen.trouble import TroubleId, TroubleKind
from penstock.engines.spark.jobs.restarts import Attempts, Commit, Health

POLICY = RestartPolicy(max_restarts=2, backoff_s=1.0, max_backoff_s=10.0, healthy_after_s=60.0)


def test_the_wait_doubles_from_failure_to_failure() -> None:
    once = Attempts().failed("boom", 100.0, POLICY)
    twice = once.started(101.0).failed("boom", 102.0, POLICY)
    assert (once.due_s, twice.due_s) == (101.0, 104.0)


def test_a_query_that_fails_too_often_is_given_up() -> None:
    found = Attempts()
    for at in (100.0, 101.0, 102.0):
        found = found.failed("boom", at, POLICY)
    assert found.health is Health.GIVEN_UP
    assert not found.due(1e9)


def test_a_healthy_while_forgives_earlier_failures() -> None:
    found = Attempts().failed("boom", 100.0, POLICY).started(101.0).failed("boom", 170.0, POLICY)
    assert found.failures == 1


def said(found: Attempts, now: float) -> str:
    """In words, of a job named ads."""
    wrong = found.of_job("ads", now)
    return "" if wrong is None else wrong.text


def test_it_is_one_trouble_for_as_long_as_its_cause_stays_whatever_is_counted_meanwhile() -> None:
    waiting = Attempts().failed("no topic", 100.0, POLICY)
    later = waiting.failed("no topic", 101.0, POLICY)
    troubles = [found.of_job("ads", now) for found, now in ((waiting, 100.5), (later, 101.2), (later, 102.0))]
    assert {wrong.id for wrong in troubles if wrong} == {TroubleId(TroubleKind.NOT_RUNNING, "no topic")}
    other, given_up = waiting.failed("no host", 101.0, POLICY), later.failed("no topic", 102.0, POLICY)
    assert [wrong.id.text for found in (other, given_up) if (wrong := found.of_job("ads", 103.0))] == [
        "not running: no host",
        "given up: no topic",
    ]


def test_what_is_wrong_is_said_until_it_runs_again() -> None:
    waiting = Attempts().failed("boom.", 100.0, POLICY)
    by_hand = "by `penstock control start ads`"
    assert waiting.text(100.5) == "failed 1 times, next start in 0 s; boom."
    assert said(waiting, 100.5) == f"not running: boom; tried once, next in 0 s, or now {by_hand}"
    given_up = waiting.failed("boom", 101.0, POLICY).failed("boom", 102.0, POLICY)
    assert said(given_up, 103.0) == f"not running: boom; tried 3 times and given up, or again {by_hand}"
    assert (waiting.started(101.0).text(102.0), waiting.started(101.0).of_job("ads", 102.0)) == (None, None)


def test_unless_its_policy_says_otherwise_it_is_tried_for_ever_at_last_every_two_minutes() -> None:
    found, now = Attempts(), 0.0
    waits = []
    for _ in range(100):
        found = found.failed("no such topic", now, RestartPolicy())
        assert found.due_s is not None
        waits.append(found.due_s - now)
        now = found.due_s
    assert waits == [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, *[120.0] * 93]
    assert "; tried 100 times, next in 2 min, or now by `" in said(found, now - 120.0)


@pytest.mark.parametrize("failures", [1, 3])
def test_who_asks_for_a_start_has_it_at_once_and_its_failures_counted_anew(failures: int) -> None:
    found = Attempts()
    for at in range(failures):
        found = found.failed("boom", 100.0 + at, POLICY)
    asked = found.asked(500.0)
    assert (asked.due(500.0), said(asked, 500.0)) == (
        True,
        "not running: its start was asked for and is about to begin",
    )
    assert asked.failed("boom", 501.0, POLICY).due_s == 502.0


def test_the_downtime_ends_when_rows_are_worked_on_again_not_with_the_first_long_batch() -> None:
    down = Attempts().failed("boom", 100.0, POLICY).started(102.0)
    first = down.committed(Commit(at_s=120.0, rows=1000.0, took_s=15.0))
    assert first.downtime_s is None
    # The second batch does 100 rows a second, so the first one's rows are worth 10 s: 120 - 10 - 100.
    assert first.committed(Commit(at_s=125.0, rows=500.0, took_s=5.0)).downtime_s == 10.0


def test_a_failure_before_the_second_batch_is_part_of_the_same_outage() -> None:
    down = Attempts().failed("boom", 100.0, POLICY).started(101.0).committed(Commit(110.0, 10.0, 1.0))
    again = down.failed("boom", 111.0, POLICY).started(113.0)
    told = again.committed(Commit(120.0, 10.0, 1.0)).committed(Commit(121.0, 10.0, 1.0))
    assert told.downtime_s == 19.0


def test_what_was_lost_is_told_with_the_downtime_that_it_cost() -> None:
    query = Attempts().failed("boom", 100.0, POLICY).started(102.0)
    assert query.lost is None  # not over yet
    over = query.committed(Commit(103.0, 10.0, 1.0)).committed(Commit(104.0, 10.0, 1.0))
    assert (over.lost, over.downtime_s) == (FailureKind.QUERY, 2.0)
    # The new driver's first start fails, too: one outage, and the driver was its cause.
    driver = Attempts.after_driver(200.0).started(240.0).failed("no room yet", 241.0, POLICY).started(243.0)
    over = driver.committed(Commit(250.0, 10.0, 1.0)).committed(Commit(251.0, 10.0, 1.0))
    assert (over.lost, over.downtime_s) == (FailureKind.DRIVER, 49.0)
    assert Attempts.after_driver(None) == Attempts()
