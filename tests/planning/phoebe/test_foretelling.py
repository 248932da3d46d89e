"""What each kind of failure would cost is told before, and compared with what it cost."""

from dataclasses import replace

import pytest

from penstock.core.seen.batches import BatchFigures
from penstock.core.seen.failures import FailureKind
from penstock.core.seen.figures import JobFigures
from penstock.planning.phoebe.foretelling import MISSES_KEPT, told_by_kind, with_recovery
from penstock.planning.phoebe.memory import Foreseen, ForeseenKind, JobMemory, Miss, Recovering

EXECUTOR, QUERY, DRIVER = FailureKind
TOLD = Foreseen(1000.0, 120.0, (ForeseenKind(QUERY, (20.0, 40.0, 60.0)), ForeseenKind(DRIVER, (90.0, 90.0, 90.0))))
BEFORE = JobMemory(foreseen=TOLD)


def looked(known: JobMemory, at_s: float, quiet: bool, **figures: object) -> JobMemory:
    told: dict[str, object] = {"failed_at_s": 1130.0, "lost": QUERY, "downtime_s": 4.0}
    return with_recovery(known, JobFigures("a", (), **{**told, **figures}), at_s, quiet)  # type: ignore[arg-type]


def test_a_recovery_is_compared_with_what_was_foretold_of_its_kind_and_its_time() -> None:
    under_way = looked(BEFORE, 1140.0, quiet=False)
    assert under_way.recovering == Recovering(QUERY, 1130.0, 40.0)  # the second bin, from 1120 s on
    over = looked(under_way, 1180.0, quiet=True)
    assert (over.recovering, over.misses) == (None, (Miss(QUERY, 40.0, 50.0),))


def test_the_same_failure_is_not_counted_again_though_clocks_are_read_one_after_the_other() -> None:
    over = looked(looked(BEFORE, 1140.0, quiet=False), 1180.0, quiet=True)
    assert looked(over, 1200.0, quiet=True, failed_at_s=1130.2) == over


@pytest.mark.parametrize("figures", [{"settling": True}, {"downtime_s": None}])
def test_a_job_that_is_down_has_not_recovered_however_little_waits(figures: dict[str, object]) -> None:
    assert looked(BEFORE, 1140.0, quiet=True, **figures).misses == ()


@pytest.mark.parametrize(
    ("known", "figures"),
    [
        (JobMemory(), {}),  # nobody has looked at it
        (BEFORE, {"lost": EXECUTOR}),
        (BEFORE, {"lost": None}),
        (BEFORE, {"failed_at_s": 990.0}),  # told afterwards
        (BEFORE, {"failed_at_s": None}),
    ],
)
def test_of_what_was_not_foretold_there_is_no_miss(known: JobMemory, figures: dict[str, object]) -> None:
    after = looked(looked(known, 1140.0, quiet=False, **figures), 1180.0, quiet=True, **figures)
    assert (after.recovering, after.misses) == (None, ())


def test_two_failures_in_one_recovery_are_no_measurement_of_either() -> None:
    twice = looked(looked(BEFORE, 1140.0, quiet=False), 1150.0, quiet=False, failed_at_s=1145.0)
    assert looked(twice, 1180.0, quiet=True, failed_at_s=1145.0).misses == ()


def test_a_job_in_batches_is_back_with_the_first_that_began_afterwards_and_was_as_usual() -> None:
    in_batches = replace(BEFORE, foreseen=replace(TOLD, usual_wait_s=8.0))
    late = [BatchFigures(n, ended_s, took_s, 500.0) for n, ended_s, took_s in ((7, 1133.0, 10.0), (8, 1150.0, 14.0))]
    assert looked(in_batches, 1151.0, quiet=True, batches=tuple(late)).misses == ()
    # It began at 1150 and holds what came since 1136, when the batch before it began: 16 s, twice what is usual.
    usual = BatchFigures(9, 1152.0, 2.0, 500.0)
    assert looked(in_batches, 1160.0, quiet=False, batches=(*late, usual)).misses == (Miss(QUERY, 40.0, 22.0),)


def test_what_a_loss_costs_is_known_later_than_when_it_was_over() -> None:
    in_batches = replace(BEFORE, foreseen=replace(TOLD, usual_wait_s=8.0))
    batches = tuple(BatchFigures(n, 1123.0 + 5.0 * n, 2.0, 500.0) for n in range(12))
    lasts = looked(in_batches, 1145.0, quiet=True, downtime_s=None, batches=batches[:4])
    assert lasts.misses == ()
    # Only the last eight batches are told by then: of 1133, 3 s after the failure, nobody would know.
    over = looked(lasts, 1180.0, quiet=True, downtime_s=0.0, batches=batches[4:])
    assert over.misses == (Miss(QUERY, 40.0, 3.0),)


def test_an_interval_is_told_once_nine_of_a_kind_were_compared() -> None:
    misses = [Miss(QUERY, 10.0, 10.0 + number) for number in range(9)]
    query, driver = told_by_kind(TOLD, [*misses, Miss(DRIVER, 30.0, 90.0)])
    assert (query.seconds, query.low_s, query.high_s, query.of) == (20.0, 20.0 / 1.8, 36.0, 9)
    assert (driver.seconds, driver.low_s, driver.high_s, driver.of) == (90.0, None, None, 1)
    assert told_by_kind(TOLD, misses[:8])[0].high_s is None


def test_many_misses_of_a_query_do_not_push_out_those_of_a_driver() -> None:
    known = replace(BEFORE, misses=(Miss(DRIVER, 30.0, 60.0),))
    for number in range(40):
        failed_at_s = 1130.0 + 10.0 * number
        known = looked(known, failed_at_s + 1.0, quiet=False, failed_at_s=failed_at_s)
        known = looked(known, failed_at_s + 5.0, quiet=True, failed_at_s=failed_at_s)
    assert Miss(DRIVER, 30.0, 60.0) in known.misses
    assert len(known.misses) == 1 + MISSES_KEPT


def test_how_far_off_a_guess_was_says_nothing_of_what_is_foretold_once_one_was_seen() -> None:
    guess = replace(BEFORE, foreseen=replace(TOLD, kinds=(ForeseenKind(QUERY, (20.0,), guessed=True),)))
    assert looked(looked(guess, 1140.0, quiet=False), 1180.0, quiet=True).misses == ()
    (told,) = told_by_kind(guess.foreseen or TOLD, [Miss(QUERY, 10.0, 12.0)] * 9)
    assert (told.seconds, told.low_s, told.of) == (20.0, None, 9)
