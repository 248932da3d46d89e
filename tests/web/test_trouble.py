"""Trouble in words."""

import math
from dataclasses import replace

import pytest

from penstock.core.figures import OperatorFigures
from penstock.core.intents import Intent, Juice, Latency, Recovery
from penstock.core.shares import Pool, Share
from penstock.core.view import JobView, View
from penstock.web.trouble import headline, not_done, state_of, targets, why
from tests.recorded import a_job, a_view


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
    broken = job(trouble="no credentials")
    assert (state_of(broken), why(broken)) == ("trouble", "no credentials")


def test_a_job_without_figures_is_unknown_and_one_that_is_well_needs_no_words() -> None:
    assert (state_of(replace(job(), utility=None)), why(replace(job(), utility=None))) == ("unknown", "No figures yet.")
    assert (state_of(replace(job(), met=True)), why(replace(job(), met=True))) == ("met", None)


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


def fleet(*utilities: float) -> View:
    return a_view(0.0, [a_job(f"job-{number}", utility) for number, utility in enumerate(utilities, start=1)])


def test_nothing_was_done_for_a_job_without_figures_because_there_are_none() -> None:
    assert not_done(replace(job(), utility=None), "converged") == "Nothing yet: it has no figures."
    assert not_done(job(), "waiting until utilities are quiet") == "Nothing yet: waiting until utilities are quiet."
    assert not_done(job(), "") == "Nothing yet."


def test_the_headline_of_a_fleet_without_figures_says_so() -> None:
    assert headline(a_view(0.0, [a_job("ads", None), a_job("fraud", None)])) == "No figures of any tenant yet."
    assert headline(a_view(0.0, [a_job("ads", 35.0), a_job("fraud", None)])) == "Settling."


def test_the_headline_names_the_worst_first() -> None:
    assert headline(fleet(35, 35)) == "All 2 tenants have what they asked for."
    assert headline(fleet(35, 3, 2)) == "2 of 3 tenants miss what was asked: job-3, job-2."
    assert headline(fleet(5, 4, 3, 2, 1)).endswith("job-5, job-4, job-3 and 2 more.")
