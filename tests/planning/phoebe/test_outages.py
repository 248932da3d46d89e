"""What a failure is planned to cost: never less than a kind may that was not seen yet."""

from dataclasses import replace

import pytest

from penstock.core.seen.failures import Failure, FailureKind
from penstock.core.seen.figures import JobFigures
from penstock.core.seen.view import JobView
from penstock.planning.phoebe.memory import JobMemory, PhoebeMemory
from penstock.planning.phoebe.outages import guessed, plausible, worst
from penstock.planning.phoebe.settings import PhoebeSettings
from penstock.planning.phoebe.watching import watched
from tests.planning.phoebe.rounds import seen as job_seen
from tests.planning.phoebe.rounds import view

GUESSED = PhoebeSettings(downtime_s=120.0, query_downtime_s=15.0, executor_downtime_s=30.0)
EXECUTOR, QUERY, DRIVER = FailureKind


def planned(*seen: Failure, use: float = 0.5) -> float:
    return worst(plausible(seen, GUESSED), use).stop_s


@pytest.mark.parametrize(
    ("seen", "stop_s"),
    [
        ((), 120.0),
        ((Failure(QUERY, 3.0),), 120.0),  # the defect: 3 s were planned for every failure from here on
        ((Failure(QUERY, 3.0), Failure(EXECUTOR, 8.0)), 120.0),
        ((Failure(DRIVER, 47.0),), 47.0),  # more than a query or an executor may cost
        ((Failure(DRIVER, 12.0),), 30.0),  # no executor was lost yet
        ((Failure(DRIVER, 47.0), Failure(QUERY, 150.0)), 150.0),
        ((Failure(None, 3.0),), 120.0),  # whatever it was
        ((Failure(None, 200.0),), 200.0),
    ],
)
def test_the_worst_kind_is_planned_for_and_a_kind_not_seen_costs_what_is_guessed(
    seen: tuple[Failure, ...], stop_s: float
) -> None:
    assert planned(*seen) == stop_s


def test_of_many_failures_of_a_kind_the_one_that_a_tenth_exceeds_is_planned_for() -> None:
    drivers = [Failure(DRIVER, 100.0 + n) for n in range(19)]
    assert planned(*drivers[:8]) == 107.0  # of so few the longest
    assert planned(*drivers) == 117.0  # the 18th of 19: 0.9 x 20


def test_only_the_time_in_which_nothing_is_done_grows_with_the_use_of_the_capacity() -> None:
    noticed_late, still = Failure(DRIVER, 40.0, 100.0), Failure(DRIVER, 80.0)
    assert worst([(noticed_late,), (still,)], use=0.1) is noticed_late  # 144 s against 89 s
    assert worst([(noticed_late,), (still,)], use=0.6) is noticed_late  # 200 s each
    assert worst([(noticed_late,), (still,)], use=0.7) is still  # 233 s against 267 s


def after(known: JobMemory, **figures: object) -> JobMemory:
    job: JobView = job_seen(100.0, 2, **figures)  # type: ignore[arg-type]
    return watched(view(60.0, job), PhoebeMemory({"a": known}), 10.0, 600.0, 300.0).jobs["a"]


def test_a_failure_is_remembered_once_with_its_kind_and_its_two_parts() -> None:
    told = {"downtime_s": 40.0, "detect_s": 60.0, "lost": DRIVER}
    once = after(JobMemory(), **told)
    assert once.failures == (Failure(DRIVER, 40.0, 60.0),)
    assert after(once, **told).failures == once.failures


def test_losses_that_are_no_downtime_are_told_apart_by_when_they_came() -> None:
    told = {"downtime_s": 0.0, "lost": EXECUTOR, "short_of": 2.0}
    first = after(JobMemory(), **told, failed_at_s=10.0, short_s=9.0)
    assert first.failures == (Failure(EXECUTOR, 0.0, short_s=9.0, short_of=2.0),)
    again = after(first, **told, failed_at_s=10.4, short_s=9.0)  # clocks are read one after the other
    assert again.failures == first.failures
    second = after(first, **told, failed_at_s=50.0, short_s=13.0, slowed=0.5)
    assert [(one.short_s, one.slowed) for one in second.failures] == [(9.0, 1.0), (13.0, 0.5)]


def test_a_failure_as_it_was_remembered_before_instants_were_is_not_counted_again() -> None:
    known = JobMemory(last_downtime_s=40.0, failures=(Failure(DRIVER, 40.0),))
    assert after(known, downtime_s=40.0, lost=DRIVER, failed_at_s=10.0).failures == known.failures


def test_many_failures_of_a_query_do_not_push_out_what_a_driver_costs() -> None:
    known = after(JobMemory(), downtime_s=50.0, lost=DRIVER)
    for number in range(100):
        known = after(known, downtime_s=2.0 + number / 100, lost=QUERY)
    assert Failure(DRIVER, 50.0) in known.failures
    assert len(known.failures) == 31


def test_what_was_remembered_before_failures_had_kinds_counts_as_of_a_kind_that_nobody_told() -> None:
    assert JobMemory(downtimes_s=(130.0,)).seen == (Failure(None, 130.0),)
    assert planned(*JobMemory(downtimes_s=(130.0,)).seen) == 130.0


def test_figures_without_a_failure_tell_of_none() -> None:
    assert JobFigures("a", ()).lost is None
    assert after(JobMemory()).failures == ()


def test_an_executor_that_comes_back_slowly_is_dearer_where_few_are_left() -> None:
    lost, driver = Failure(EXECUTOR, 0.0, short_s=60.0, slowed=0.5), Failure(DRIVER, 40.0)
    assert worst([(lost,), (driver,)], use=0.8, scaleout=2) is lost  # three quarters of 60 s are missing: 45 s
    assert worst([(lost,), (driver,)], use=0.3, scaleout=10) is driver  # the others do all that comes
    half = replace(lost, slowed=1.0, short_of=5.0)  # it carried five of ten
    assert worst([(half,), (driver,)], use=0.8, scaleout=10) is driver  # half of 60 s are missing: 30 s
    assert worst([(half,), (driver,)], use=0.8, scaleout=6) is half  # five sixths of them: 50 s


def test_executors_and_drivers_of_other_jobs_tell_more_than_a_guess_and_their_queries_do_not() -> None:
    others = (Failure(DRIVER, 47.0), Failure(QUERY, 90.0), Failure(EXECUTOR, 8.0))
    assert plausible((), GUESSED, others) == ((others[2],), (Failure(QUERY, 15.0),), (others[0],))
    own = Failure(DRIVER, 60.0)
    assert plausible((own,), GUESSED, others)[2] == (own,)


def test_what_is_guessed_is_what_neither_this_job_nor_a_like_of_the_others_has_shown() -> None:
    others = (Failure(DRIVER, 47.0), Failure(QUERY, 90.0))
    assert guessed((Failure(EXECUTOR, 3.0),), others) == {QUERY}
    assert guessed(()) == frozenset(FailureKind)
