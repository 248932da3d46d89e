"""Runs become rows: medians and ranges by policy, and how far each is from the best of what was fixed."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from judged import Case, Judged, keep
from machine_use import MachineUse
from table import TITLES, rows
from trial_meter import Had, Measured, Moment

from penstock.core.asked.intents import Intent, Latency
from penstock.core.known.prediction import PredictionError
from penstock.core.levers import BatchBound
from penstock.core.plan import Decision, Reason, Step, StepOutcome
from penstock.core.run import DecisionRecord, Run, RunInfo
from penstock.governing.comparison import PolicyTurn, TrialResult

INTENTS = {"urgent": Intent(Latency("4s", utility=40)), "other": Intent(Latency("10s", utility=10))}


def stepped(at_s: float) -> DecisionRecord:
    move = BatchBound("other", None, 200)
    decision = Decision(Reason.RECONFIGURED, (move,), "shorter batches", at_s, 30.0)
    return DecisionRecord(decision, (StepOutcome(Step("other", (move,))),))


def judged(policy: str, latency_s: float, turn: int = 0, steps: tuple[float, ...] = ()) -> Judged:
    """A minute in which the urgent tenant has this latency after 20 s, and twice that before; the other has its own."""
    urgent = INTENTS["urgent"].objectives[0]
    assert isinstance(urgent, Latency)

    def had(at_s: float) -> dict[str, Had]:
        value = latency_s if at_s > 20 else 2 * latency_s
        share = urgent.share_at(value)
        return {"urgent": Had(value, 1.0, 40 * share, share == 1.0), "other": Had(1.0, 1.0, 10.0, met=True)}

    decisions = tuple(stepped(at_s) for at_s in steps)
    info = RunInfo("run", "run", policy, "spark")
    result = TrialResult(PolicyTurn(policy, 60.0, 15.0), (), decisions, Run(info, (), (), (), ()))
    moments = [Moment(float(at_s), had(at_s), 50.0) for at_s in range(1, 61)]
    machine = MachineUse({"spark": 1.8}, others=0.1, idle=0.1, steal=0.02, load=5.0)
    return Judged(Case("case", policy, turn, "urgent"), result, INTENTS, Measured(), 0.0, machine, moments)


def cells(row: str) -> dict[str, str]:
    """By title; of two columns of the same name the last."""
    return dict(zip(TITLES, (cell.strip() for cell in row.strip("|").split("|")), strict=True))


def test_what_came_before_the_counted_seconds_does_not_count() -> None:
    run = judged("fair", 8.0)
    # 5 s at 16 s, a quarter of 40, and 40 s at 8 s, half of it; the other has its 10
    assert run.utility() == pytest.approx((5 * (10 + 10) + 40 * (20 + 10)) / 45 / 50)
    assert run.utility(30.0) == pytest.approx(0.6)
    assert run.latency_s("urgent") == pytest.approx(8.0)
    assert (run.met(), judged("fair", 3.0).met()) == (0.0, 1.0)


def test_how_far_off_predictions_were_counts_by_what_a_tenant_is_worth_and_only_where_any_was_compared() -> None:
    told = (PredictionError("urgent", 0.1, 3), PredictionError("other", 0.6, 1))
    run = judged("penstock", 3.0)
    foretelling = replace(run, result=replace(run.result, run=replace(run.result.run, prediction_errors=told)))
    assert foretelling.off_by() == pytest.approx((0.1 * 40 + 0.6 * 10) / 50)
    assert run.off_by() is None


def test_a_row_has_medians_ranges_and_the_share_of_the_best_that_was_fixed() -> None:
    runs = [judged("penstock", 8.0, 0, (12.0, 22.0)), judged("short", 4.0), judged("long", 40.0)]
    runs += [judged("penstock", 16.0, 1), judged("short", 4.0, 1), judged("long", 40.0, 1)]
    found = {cells(row)["policy"]: cells(row) for row in rows(runs, {"short", "long"})}
    assert list(found) == ["penstock", "short", "long"]
    assert found["short"]["of the best fixed"] == "1.00"
    assert (
        found["penstock"]["of the best fixed"]
        == f"{(runs[0].utility() + runs[3].utility()) / 2 / runs[1].utility():.2f}"
    )
    assert found["penstock"]["its latency, s"] == "12.0"
    assert found["penstock"]["steps"] == "2/0"
    assert found["penstock"]["first, last step at s"] == "12,22 -"
    assert (found["long"]["steal"], found["long"]["load"]) == ("2.0%", "5.0")


def test_without_anything_fixed_nobody_is_compared_with_it() -> None:
    (row,) = rows([judged("fair", 4.0)])
    assert cells(row)["of the best fixed"] == "-"


def test_a_step_that_was_not_carried_out_is_none() -> None:
    run = judged("penstock", 4.0, steps=(12.0,))
    (told,) = run.result.decisions
    assert run.steps_at_s == [12.0]
    only_said = TrialResult(run.result.trial, (), (DecisionRecord(told.decision),), run.result.run)
    assert Judged(run.case, only_said, INTENTS, Measured(), 0.0, run.machine, run.moments).steps_at_s == []


def test_a_record_is_one_line_of_json_with_every_decision(tmp_path: Path) -> None:
    for turn in (0, 1):
        keep(judged("penstock", 4.0, turn, (12.0,)), tmp_path / "runs.jsonl")
    first, second = (json.loads(line) for line in (tmp_path / "runs.jsonl").read_text(encoding="utf-8").splitlines())
    assert (first["case"]["turn"], second["case"]["turn"]) == (0, 1)
    assert first["decisions"] == [
        {"at_s": 12.0, "text": "12 s Reconfigured did other batch bound none -> 200 rows | shorter batches"}
    ]
    assert first["urgent"]["in_its_target_after_30_s"] == 1.0
    assert first["machine"]["others"] == 0.1
    assert len(first["timeline"]["at_s"]) == 60
