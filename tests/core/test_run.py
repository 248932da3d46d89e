"""Decisions find their outcomes and their verdicts."""

from dataclasses import replace

import pytest

from penstock.core.asked.intents import Intent, Juice, Latency, Objective
from penstock.core.levers import Memory
from penstock.core.plan import Effect, Outcome, Plan, Reason, Step, StepOutcome, Verdict
from penstock.core.run import DecisionRecord, as_of, asked_latency_s, late_for_s, records_of, with_verdicts
from tests.recorded import a_cycle, a_decision, a_job


def test_each_decision_gets_the_steps_of_its_own_jobs() -> None:
    decisions = (a_decision(10.0, "ads"), a_decision(10.0, "fraud"))
    steps = tuple(StepOutcome(Step(name, ()), error) for name, error in (("fraud", "no slot"), ("ads", None)))
    cycle = replace(a_cycle(10.0, plan=Plan(decisions)), outcome=Outcome(steps))
    assert [(record.decision.jobs, record.errors) for record in records_of(cycle)] == [
        (("ads",), ()),
        (("fraud",), ("fraud: no slot",)),
    ]


def test_a_decision_on_several_jobs_gets_their_steps_in_the_order_in_which_they_were_taken() -> None:
    decision = replace(a_decision(10.0), moves=(*a_decision(10.0, "ads").moves, *a_decision(10.0, "fraud").moves))
    steps = tuple(
        StepOutcome(Step(name, ()), f"error {n}") for n, name in enumerate(("fraud", "ads", "clicks", "fraud"))
    )
    (record,) = records_of(replace(a_cycle(10.0, plan=Plan((decision,))), outcome=Outcome(steps)))
    assert record.outcomes == (steps[0], steps[1], steps[3])


def test_verdicts_on_decisions_of_one_instant_come_in_their_order() -> None:
    records = [DecisionRecord(a_decision(at_s)) for at_s in (10.0, 10.0, 20.0)]
    verdicts = [Verdict(10.0, 70.0, 61.0, "first"), Verdict(10.0, 70.0, 62.0, "second")]
    told = [record.verdict and record.verdict.text for record in with_verdicts(records, verdicts)]
    assert told == ["first", "second", None]


def test_the_latency_of_a_job_is_the_one_that_its_intent_asks_for() -> None:
    asked: dict[str, Objective] = {"p50": Latency("1s", percentile=50), "mean": Latency("1s"), "none": Juice(1.0)}
    told = {name: asked_latency_s(a_job("ads", intent=Intent(objective))) for name, objective in asked.items()}
    assert told == {"p50": 1.0, "mean": 1.5, "none": 1.5}


def test_a_job_is_late_for_the_latency_that_it_asks_for_and_has_not() -> None:
    asked: dict[str, Objective] = {"p50": Latency("1s", percentile=50), "mean": Latency("1s"), "none": Juice(1.0)}
    late = {name: late_for_s(a_job("ads", intent=Intent(objective))) for name, objective in asked.items()}
    assert late == {"p50": None, "mean": 1.0, "none": None}


def test_of_several_verdicts_on_a_decision_the_last_one_holds() -> None:
    records = [DecisionRecord(a_decision(10.0)) for _ in range(2)]
    first = Verdict(10.0, 70.0, 50.0, "worse", Effect.WORSE, place=0)
    other = Verdict(10.0, 70.0, 62.0, "better", Effect.BETTER, place=1)
    later = Verdict(10.0, 130.0, 64.0, "better after all", Effect.BETTER, place=0)
    told = [record.verdict and record.verdict.text for record in with_verdicts(records, [first, other, later])]
    assert told == ["better after all", "better"]


DONE = DecisionRecord(a_decision(20.0), (StepOutcome(Step("ads", ())),))
MEMORY = replace(DONE, decision=replace(DONE.decision, moves=(Memory(1024, 2048),)))
SOON = "not judged: the run ended too early"
MISSED = "not judged: governing restarted before the result could be measured"


@pytest.mark.parametrize(
    ("record", "last_s", "goes_on", "told"),
    [
        (DONE, 40.0, False, SOON),
        (DONE, 380.0, True, None),  # 20 s + (5 + 1) times a minute: its last look may be under way
        (DONE, 381.0, True, MISSED),
        (DONE, 381.0, False, MISSED),
        (MEMORY, 740.0, True, None),  # memory needs two minutes to show
        (MEMORY, 741.0, True, MISSED),
        (DecisionRecord(DONE.decision), 900.0, False, None),  # nothing was done of it
        (replace(DONE, outcomes=(StepOutcome(Step("ads", ()), "no slot"),)), 900.0, False, None),  # nor of this one
        (replace(DONE, decision=replace(DONE.decision, reason=Reason.ADVISED)), 900.0, False, None),
    ],
)
def test_no_decision_waits_for_ever_for_a_verdict(
    record: DecisionRecord, last_s: float, goes_on: bool, told: str | None
) -> None:
    (found,) = as_of([record], last_s, goes_on)
    assert (found.verdict and found.verdict.text) == told
    assert not (told and found.waits_for_verdict)


def test_verdicts_recorded_by_earlier_penstocks_are_read_the_same_way() -> None:
    first = Verdict(0.0, 60.0, 5.0, "worse; to be looked at again", Effect.WORSE, again=True)
    assert first.as_of(90.0, goes_on=False).text == "worse; the record ends before the next check"
