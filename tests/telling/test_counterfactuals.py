"""How it would have gone without decisions, in words: never more sure than the simulator is."""

import pytest

from penstock.core.known.counterfactual import JobWithout, Untold, Without, worth_of
from penstock.telling.counterfactuals import without_text, worth_text
from penstock.telling.explain import explain
from penstock.telling.report import page
from penstock.telling.summary import summarise
from tests.telling.sample import sample_run

HELPED = Without(1, 120.0, 0.70, 0.72, 0.61, 0.04, jobs=(JobWithout("ads", 0.9, 0.4), JobWithout("geo", 0.5, 0.5)))


def test_those_whose_lot_it_was_are_named() -> None:
    assert without_text(HELPED) == (
        "without it 61 % of the utility over the next 2 min instead of 72 %: ads 40 % instead of 90 % "
        "(simulated; off by 4.0 %)"
    )


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (Without(1, 60.0, 0.7, 0.72, 0.70, 0.06), "(simulated; off by 6.0 %, more than the difference)"),
        (Without(1, 60.0, 0.7, 0.72, 0.72, 0.06), "without it the same, 72 % of the utility over the next 1 min"),
        (Without(1, 60.0, 0.7, 0.3, 0.1, 0.4), "unknown, the simulator was off by 40 % over the next 1 min"),
        (Untold(1, "it was not carried out"), "without it: unknown, it was not carried out"),
    ],
)
def test_what_proves_nothing_is_not_told_as_a_proof(found: Without | Untold, said: str) -> None:
    assert said in without_text(found)


def test_nothing_is_summed_up_where_nothing_is_known() -> None:
    assert worth_text(worth_of([])) == ""
    assert worth_text(worth_of([Untold(1, "too short")])) == ""


def test_slot_hours_are_told_from_a_tenth_on() -> None:
    saved, spent = (Without(1, 600.0, 0.7, 0.7, 0.7, 0.02, slot_s_saved=s) for s in (7200.0, -3600.0))
    assert ", 2 slot-hours saved; " in worth_text(worth_of([saved]))
    assert ", 1 slot-hours more spent; " in worth_text(worth_of([spent]))
    assert "slot-hours" not in worth_text(worth_of([HELPED]))


def test_reports_and_stories_tell_it_of_the_decisions_that_were_tried() -> None:
    run = sample_run(cycles=60, jobs=2, outage=False)
    told = "without it 61 % of the utility over the next 2 min instead of 72 %"
    assert told in " ".join(explain(run, tried=[HELPED]).split())
    assert "Without it" in page(run, [HELPED])
    assert "Without it" not in page(run)
    assert summarise(run, [HELPED]).sentences[-1].startswith("Decisions brought +11 points of utility by 1 decision")
