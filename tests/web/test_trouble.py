"""Trouble in words."""

import math
from dataclasses import replace

import pytest

from penstock.core.asked.intents import Intent, Juice, Latency, Recovery
from penstock.core.seen.figures import OperatorFigures
from penstock.core.seen.shares import Pool, Share
from penstock.core.seen.view import JobView
from penstock.telling.binding import Bind
from penstock.web.trouble import not_done, targets, why
from tests.recorded import a_job


def job(**figures: object) -> JobView:
    """A job that asks for a latency of 2 s and has 3."""
    plain = a_job("ads", intent=Intent(Latency("2s", percentile=95, utility=35)))
    return replace(plain, figures=replace(plain.figures, **figures))  # type: ignore[arg-type]


QUIET = (OperatorFigures("map", 2, capacity=0.1),)


@pytest.mark.parametrize(
    ("figures", "cause"),
    [
        ({"arrival_rps": 420.4, "processed_rps": 260.0}, "420 rows/s arrive, 260 are processed."),
        ({"operators": (OperatorFigures("map", 2, capacity=0.92),)}, "Operator map is busy 92 % of the time."),
        ({"operators": (OperatorFigures("*", 2, capacity=0.5),)}, "Its share of the slots is busy 50 % of the time."),
        ({"operators": QUIET, "backlog_rows": 1234.0}, "1,234 rows wait."),
        ({"settling": True}, "It is settling after a change."),
    ],
)
def test_why_names_what_stands_in_the_way(figures: dict[str, object], cause: str) -> None:
    assert why(job(**figures)) == f"p95 latency 3 s instead of 2 s. {cause}"


def test_a_share_that_is_not_enough_is_told_in_slots_beside_what_others_left() -> None:
    # Weight 2 of 11 on 8 slots is 1.45 slots; 3.45 times that is 5.
    busy = job(operators=(OperatorFigures("*", 2, capacity=3.45),))
    told = why(busy, share=Share(2, Pool(8, {"ads": 2, "fraud": 9}), busy=3.45)) or ""
    assert told.endswith("Its share, 1.5 of 8 slots, is busy all the time; with what others left it used 5.0.")


def test_an_error_that_ended_a_query_is_told_as_it_is() -> None:
    assert why(job(trouble="no credentials")) == "no credentials"


def test_nothing_is_said_to_be_missed_of_a_job_that_is_well_or_of_which_nobody_knows() -> None:
    assert why(replace(job(), utility=None)) is None
    assert why(replace(job(), met=True)) is None


def test_each_target_stands_beside_what_there_is() -> None:
    wanted = Intent(Latency("2s", percentile=95), Juice(0.9), Recovery("60s"))
    latency, juice, recovery = targets(a_job("ads", intent=wanted))
    assert (latency.now, latency.met) == (3.0, False)
    assert (juice.now, juice.met) == (0.9, True)
    assert (recovery.now, recovery.met) == (None, None)


def test_a_recovery_target_is_judged_by_the_estimate() -> None:
    recovering = a_job("ads", utility=0.5, intent=Intent(Recovery("60s")))
    assert targets(recovering, 45.0)[0].met
    assert (targets(recovering, math.inf)[0].met, targets(recovering, math.inf)[0].now) == (False, None)
    assert (why(recovering, 171.0) or "").startswith("recovery would take 171 s instead of 60 s.")
    assert (why(recovering, math.inf) or "").startswith("recovery would take for ever instead of 60 s.")


def test_nothing_was_done_for_a_job_without_figures_because_there_are_none() -> None:
    assert not_done(replace(job(), utility=None), "converged") == "Nothing yet: it has no figures."
    assert not_done(job(), "waiting until utilities are stable") == "Nothing yet: waiting until utilities are stable."
    assert not_done(job(), "") == "Nothing yet."


NONE_LEFT = "No lever was turned for it, and none would gain more than it costs others. "


@pytest.mark.parametrize(
    ("bind", "said"),
    [
        (
            Bind("it has all 2 slots that it may have", "a higher max_slots for it"),
            "What would help, penstock cannot turn: a looser target, or a higher max_slots for it.",
        ),
        (
            Bind("others use 5 of 8 slots: geo", "smaller batches of geo (a bound)", "cores, or fewer rows for geo"),
            "What would help, penstock cannot turn: a looser target, or cores, or fewer rows for geo.",
        ),
        (None, "No figure shows what holds it back. A looser target would help."),
    ],
)
@pytest.mark.parametrize(
    "note",
    [
        "converged",
        "waiting; converged",
        "ads below target; no other shares or bounds would give 0.5 % more or better",
    ],
)
def test_where_no_lever_is_left_what_helps_is_what_people_can_do(note: str, bind: Bind | None, said: str) -> None:
    assert not_done(job(), note, [bind] if bind else []) == NONE_LEFT + said


def test_a_policy_that_waits_has_levers_left() -> None:
    bind = Bind("it has all 2 slots that it may have", "a higher max_slots")
    assert not_done(job(), "waiting until utilities are stable", [bind]).startswith("Nothing yet: waiting")
