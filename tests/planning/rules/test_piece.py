"""Tasks that hold slots for long beside somebody in a hurry are cut shorter, and no others are."""

from collections.abc import Iterable
from dataclasses import replace

import pytest

from penstock.core.asked.intents import Intent, Juice, Latency
from penstock.core.levers import ALL_OPERATORS, Dial, Move, Piece
from penstock.core.plan import Decision
from penstock.core.seen.batches import BatchFigures
from penstock.core.seen.figures import LatencyFigures
from penstock.core.seen.view import JobView, View
from penstock.planning.by_rules import RuleMemory
from penstock.planning.combined_settings import CombinedSettings
from penstock.planning.rules.piece import rule
from tests.builders import job, operator, view

IN_A_HURRY = Intent(Latency("4s", utility=40))


def batches(rows: float, row_s: float, tasks: int, left_rows: float = 0.0) -> tuple[BatchFigures, ...]:
    """Two, whose tasks were in slots for so long by row."""
    one = BatchFigures(1, 10.0, 5.0, rows, left_rows, stages=1, tasks=tasks, busy_s=rows * row_s)
    return one, replace(one, number=2)


def reading(
    name: str = "clicks",
    rows: float = 4000.0,
    row_s: float = 0.002,
    tasks: int = 4,
    now: float | None = None,
    left_rows: float = 0.0,
    **dial: bool,
) -> JobView:
    """Tasks of two seconds, unless told otherwise; nobody waits for its results."""
    figures = {
        "batches": batches(rows, row_s, tasks, left_rows),
        "levers": (Dial("piece", name, now, 1, **dial),),  # type: ignore[arg-type]
    }
    one = job(name, 10.0, operators=[operator(ALL_OPERATORS)], **figures)  # type: ignore[arg-type]
    return replace(one, intent=Intent(Juice(0.8, utility=10)))


def hurried(intent: Intent = IN_A_HURRY, name: str = "payments", utility: float = 5.0) -> JobView:
    """Who misses that, unless it has a utility of ten: results come after a second then."""
    return replace(job(name, utility, operators=[operator(ALL_OPERATORS)]), intent=intent)


def decided(views: Iterable[View]) -> list[Decision]:
    memory: RuleMemory = {}
    found = list[Decision]()
    for view_ in views:
        decisions, memory = rule(view_, memory, CombinedSettings())
        found += decisions
    return found


def moves(*jobs: JobView) -> tuple[Move, ...]:
    decisions = decided([view(10.0, jobs)])
    return decisions[0].moves if decisions else ()


def test_tasks_that_others_wait_for_are_cut_to_a_tenth_of_what_these_ask_for() -> None:
    (decision,) = decided([view(10.0, [hurried(), reading()])])
    assert decision.moves == (Piece("clicks", None, 200),)
    assert decision.why == (
        "tasks of clicks hold their slots for up to 2.0 s, and payments asks for 4s; each reads fewer rows, so that "
        "slots are free within 400ms; batches stay as they are"
    )


@pytest.mark.parametrize(
    ("jobs", "why"),
    [
        ([hurried(), reading(rows=1500.0)], "tasks of 0.75 s are not cut for so little"),
        ([hurried(), reading(by_people=True)], "its options say how many rows a task reads"),
        ([hurried(Intent(Juice(0.8, utility=10))), reading()], "nobody asks for results within seconds"),
        ([reading()], "nobody else is there"),
        ([hurried(utility=10.0), reading()], "results come in far less time than is asked for"),
        ([hurried(), replace(reading(), fresh=False)], "its figures are old"),
        ([hurried(), reading(now=200.0)], "tasks are short enough as they are"),
        ([hurried(), reading(now=110.0)], "they are shorter than they need be, but not by much"),
        ([hurried(), reading(rows=0.0)], "nothing is known of what rows take"),
    ],
)
def test_nothing_is_cut(jobs: list[JobView], why: str) -> None:
    assert moves(*jobs) == (), why


def test_who_has_no_such_lever_is_left_alone() -> None:
    one = reading()
    assert moves(hurried(), replace(one, figures=replace(one.figures, levers=()))) == ()


@pytest.mark.parametrize(("target", "cut"), [("1200ms", True), ("2900ms", True), ("3100ms", False)])
def test_tasks_are_cut_for_whoever_would_miss_its_target_by_a_wait_for_one_more_of_them(target: str, cut: bool) -> None:
    met = hurried(Intent(Latency(target, utility=40)), utility=10.0)  # results come after a second
    assert bool(moves(met, reading())) == cut  # tasks of two seconds


@pytest.mark.parametrize(("percentile", "cut"), [(None, False), (50, False), (95, True)])
def test_time_to_wait_is_told_by_the_percentile_that_is_asked_for(percentile: float | None, cut: bool) -> None:
    met = hurried(Intent(Latency("4s", percentile=percentile, utility=40)), utility=10.0)
    slow = replace(met.figures, latency=LatencyFigures(1.0, ((50.0, 0.5), (95.0, 3.0))))
    assert bool(moves(replace(met, figures=slow), reading())) == cut  # tasks of two seconds


def test_who_has_no_time_to_wait_is_cut_for_though_somebody_in_a_greater_hurry_has() -> None:
    has_time = hurried(Intent(Latency("3500ms", utility=40)), utility=10.0)
    assert moves(has_time, hurried(Intent(Latency("6s", utility=10)), "reports"), reading()) == (
        Piece("clicks", None, 300),
    )


@pytest.mark.parametrize(("target", "rows"), [("1200ms", 620), ("2600ms", 2000), ("4s", 2500), ("60s", 2500)])
def test_tasks_are_as_long_as_half_of_the_time_that_is_left(target: str, rows: int) -> None:
    met = hurried(Intent(Latency(target, utility=40)), utility=10.0)  # results come after a second
    assert moves(met, reading(row_s=0.0004, now=200.0)) == (Piece("clicks", 200, rows),)


def test_time_that_one_has_left_is_no_time_of_another() -> None:
    has_time, has_none = hurried(utility=10.0), hurried(Intent(Latency("6s", utility=10)), "reports")
    assert moves(has_time, has_none, reading(row_s=0.002, now=225.0)) == ()  # 0.45 s of 0.6 s


def test_the_one_in_a_hurry_is_cut_only_for_others_who_are() -> None:
    own = replace(reading("payments", rows=6000.0), intent=IN_A_HURRY, met=False)
    assert moves(own, reading(rows=10.0)) == ()
    assert moves(own, hurried(Intent(Latency("10s", utility=10)), "reports")) == (Piece("payments", None, 500),)


@pytest.mark.parametrize(("target", "rows"), [("100ms", 120), ("4s", 200), ("60s", 500)])
def test_a_task_is_neither_cut_to_nothing_nor_left_long(target: str, rows: int) -> None:
    assert moves(hurried(Intent(Latency(target, utility=40))), reading(rows=12_000.0)) == (Piece("clicks", None, rows),)


def test_it_is_looked_at_anew_once_two_batches_began_since() -> None:
    def at(second: float, row_s: float, now: float | None, began_s: float) -> View:
        one = reading(row_s=row_s, now=now)
        batches = tuple(replace(batch, ended_s=began_s + batch.took_s) for batch in one.figures.batches)
        return view(second, [hurried(), replace(one, figures=replace(one.figures, batches=batches))])

    warmer = [at(10, 0.002, None, 0.0), at(20, 0.0004, 200.0, 9.0), at(30, 0.0004, 200.0, 9.0)]
    first, then = decided([*warmer, at(40, 0.0004, 200.0, 32.0), at(50, 0.0004, 1000.0, 42.0)])
    assert first.moves == (Piece("clicks", None, 200),)
    assert (then.at_s, then.moves) == (40.0, (Piece("clicks", 200, 1000),))
    assert then.why == (
        "tasks of clicks are over sooner than anybody needs; each reads more rows, for a task has its own cost"
    )


def test_what_does_not_come_is_not_said_every_round() -> None:
    def uncut(second: float) -> View:
        one = reading()
        batches = tuple(replace(batch, ended_s=second) for batch in one.figures.batches)
        return view(second, [hurried(), replace(one, figures=replace(one.figures, batches=batches))])

    assert [decision.at_s for decision in decided(map(uncut, range(10, 150, 10)))] == [10, 70, 130]


def test_a_large_batch_is_not_cut_into_more_tasks_than_a_driver_can_send() -> None:
    assert moves(hurried(), reading(left_rows=4_000_000.0)) == (Piece("clicks", None, 10_000),)
