"""Executors that come and go, and what a loss means for a job that runs on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pytest

from penstock.core.seen.failures import FailureKind
from penstock.engines.lost_executors import Crew, Departed, JobLoss, LastFailure, Shortage, Worked, with_shortage

FOUR = Crew({"1": 0.0, "2": 0.0, "3": 0.0, "4": 0.0})


def lost(one: str, at_s: float) -> Departed:
    return Departed(one, at_s, asked=False)


def left(one: str, at_s: float) -> Departed:
    return Departed(one, at_s, asked=True)


@dataclass(frozen=True)
class Look:
    """What is seen at an instant: who came since, and who went."""

    at_s: float
    came: Mapping[str, float]
    went: Sequence[Departed] = ()
    wanted: int | None = None


def after(*looks: Look) -> Shortage | None:
    """What is known of the last shortage of four executors."""
    crew, living, departed = FOUR, dict(FOUR.known or {}), list[Departed]()
    for look in looks:
        departed += look.went
        gone = {one.id for one in look.went}
        living = {one: at_s for one, at_s in {**living, **look.came}.items() if one not in gone}
        crew = crew.after(living, departed, look.at_s, look.wanted)
    return crew.shortage


@pytest.mark.parametrize(
    ("looks", "found"),
    [
        ([Look(20.0, {}, [left("4", 11.0)])], None),
        ([Look(20.0, {}, [lost("4", 11.0)])], Shortage(11.0, before=4, needed=4)),
        ([Look(20.0, {"5": 18.0}, [lost("4", 11.0)])], Shortage(11.0, 4, 4, until_s=18.0)),
        ([Look(12.0, {}, [lost("4", 11.0)]), Look(30.0, {"5": 26.0})], Shortage(11.0, 4, 4, until_s=26.0)),
        # A machine with two of them: whole again with the second that comes.
        (
            [Look(12.0, {}, [lost("4", 11.0), lost("3", 11.2)]), Look(30.0, {"5": 20.0, "6": 25.0})],
            Shortage(11.0, 4, 4, lost=2, until_s=25.0),
        ),
        ([Look(12.0, {}, [lost("4", 11.0), lost("3", 11.2)]), Look(30.0, {"5": 20.0})], Shortage(11.0, 4, 4, lost=2)),
        # One after the other: the second loss is told.
        (
            [Look(20.0, {"5": 18.0}, [lost("4", 11.0)]), Look(40.0, {"6": 33.0}, [lost("1", 31.0)])],
            Shortage(31.0, 4, 4, until_s=33.0),
        ),
        # Another was let go of meanwhile: one fewer is needed.
        (
            [Look(20.0, {}, [lost("4", 11.0), left("3", 12.0)]), Look(30.0, {"5": 25.0})],
            Shortage(11.0, 4, needed=3, until_s=25.0),
        ),
        ([Look(20.0, {"5": 10.0}, [left("4", 12.0)])], None),  # a successor was there before
        # Nobody is to come, or not in time.
        ([Look(20.0, {}, [lost("4", 11.0)], wanted=3)], None),
        ([Look(20.0, {}, [lost("4", 11.0)]), Look(700.0, {})], None),
        ([Look(20.0, {}, [lost("4", 11.0)]), Look(700.0, {}), Look(720.0, {"5": 710.0})], None),
        # More were to come anyhow: the next one is no successor.
        ([Look(20.0, {"5": 18.0}, [lost("4", 11.0)], wanted=6)], None),
        ([Look(20.0, {"5": 9.0})], None),
    ],
)
def test_a_shortage_is_from_a_loss_that_nobody_asked_for_until_as_many_run_again(
    looks: Sequence[Look], found: Shortage | None
) -> None:
    assert after(*looks) == found


def test_who_is_gone_without_a_word_was_not_lost() -> None:
    assert FOUR.after({"1": 0.0, "2": 0.0, "3": 0.0}, (), 20.0).shortage is None


def test_at_the_first_look_all_are_as_they_should_be() -> None:
    first = Crew().after({"2": 5.0}, [lost("1", 3.0)], 10.0)
    assert first == Crew({"2": 5.0})
    assert (first.lacks(["2", "3"]), first.lacks(["3"])) == (False, True)


@pytest.mark.parametrize(("by_s", "until_s"), [(100.0, 126.0), (-100.0, None)])
def test_a_clock_that_was_set_meanwhile_makes_no_start_up_time(by_s: float, until_s: float | None) -> None:
    short = FOUR.after({"1": 0.0, "2": 0.0, "3": 0.0}, [lost("4", 11.0)], 12.0)
    # Told by the clock as it is now, of which the loss is as long ago as before.
    over = short.clock_set(by_s).after({**(short.known or {}), "5": 126.0 if by_s > 0 else -90.0}, (), 130.0)
    assert over.shortage == (Shortage(111.0, 4, 4, until_s=until_s) if until_s else None)


def batch(ended_s: float, rows: float, staged_s: float) -> Worked:
    return Worked(ended_s - staged_s - 0.5, ended_s, rows, staged_s)


USUAL = [batch(5.0, 400.0, 2.0), batch(10.0, 400.0, 2.0)]  # 200 rows/s by four
LASTS = Shortage(11.0, before=4, needed=4)
OVER = replace(LASTS, until_s=26.0)


@pytest.mark.parametrize(
    ("meanwhile", "slowed"),
    [
        ([batch(20.0, 400.0, 4.0)], 2 / 3),  # 100 rows/s by three, which did 150 before
        ([batch(16.0, 400.0, 2.0), batch(21.0, 400.0, 6.0)], 2 / 3),  # 800 rows in 8 s
        ([batch(20.0, 400.0, 1.0)], 1.0),  # nobody is faster for a loss: its batches are larger, or less crowded
        ([], None),
        ([batch(12.0, 400.0, 8.0)], None),  # it was under way when the executor was lost
        ([batch(27.0, 400.0, 4.0)], None),  # it had not ended when the successor was there
        ([batch(20.0, 0.0, 4.0)], None),
    ],
)
def test_the_others_are_as_slow_as_the_batches_that_ran_wholly_meanwhile(
    meanwhile: list[Worked], slowed: float | None
) -> None:
    begun = with_shortage(None, LASTS, 8, USUAL)
    assert begun == JobLoss(11.0, threads=2.0, usual_rps=200.0)  # of eight threads on four executors
    over = with_shortage(begun, OVER, 8, [*USUAL, *meanwhile])
    assert over is not None
    assert (over.short_s, over.threads) == (15.0, 2.0)
    assert over.slowed == (None if slowed is None else pytest.approx(slowed))


@pytest.mark.parametrize(
    ("shortage", "ran"),
    [
        (Shortage(11.0, before=1, needed=1, until_s=26.0), [*USUAL, batch(20.0, 400.0, 4.0)]),  # all were lost
        (OVER, [batch(20.0, 400.0, 4.0)]),  # no batch had ended before
    ],
)
def test_without_anything_to_compare_nothing_is_said_of_the_pace(shortage: Shortage, ran: list[Worked]) -> None:
    over = with_shortage(None, shortage, 2, ran)
    assert over is not None
    assert (over.short_s, over.slowed) == (15.0, None)


def test_what_a_loss_costs_is_told_once_as_many_run_again_and_it_is_no_downtime() -> None:
    lasts = JobLoss(11.0, threads=2.0, usual_rps=200.0)
    assert lasts.failure == LastFailure(FailureKind.EXECUTOR, at_s=11.0)
    over = replace(lasts, short_s=15.0, slowed=0.8)
    assert over.failure == LastFailure(FailureKind.EXECUTOR, 11.0, 0.0, short_s=15.0, short_of=2.0, slowed=0.8)


def test_two_of_four_that_are_lost_at_once_leave_half() -> None:
    over = with_shortage(None, replace(OVER, lost=2), 4, [*USUAL, batch(20.0, 400.0, 4.0)])
    assert over is not None
    assert (over.threads, over.slowed) == (2.0, 1.0)  # 100 rows/s by two, which did as many before


def test_who_did_not_run_all_the_while_tells_of_the_loss_before_or_of_none() -> None:
    begun = with_shortage(None, LASTS, 8, USUAL)
    assert with_shortage(begun, OVER, 8, None) is None
    assert with_shortage(begun, Shortage(40.0, 4, 4), 8, None) == begun
