"""Core values as rows of the tables."""

from collections.abc import Iterable
from dataclasses import asdict
from functools import partial
from typing import Any

from penstock.core.cycle import Cycle
from penstock.core.known.outlook import JobOutlook
from penstock.core.plan import Decision, StepOutcome, Verdict
from penstock.core.run import RunInfo, asked_latency_s
from penstock.core.seen.deeds import Deed
from penstock.core.seen.figures import LatencyFigures, MachineFigures
from penstock.core.seen.states import possible_utility, state_of
from penstock.core.seen.view import JobView, View, snapshot_of
from penstock.store.archive import beginning
from penstock.store.codec import encode
from penstock.store.fitting import LeftOut, snapshot_text
from penstock.store.packing import deflated, packed

TableRow = dict[str, Any]

OF_RUNS = ("id", "name", "policy", "engine", "master", "started_at_s")


def run_row(run: RunInfo) -> TableRow:
    told = {name: getattr(run, name) for name in OF_RUNS}
    price = run.price
    return {
        **told,
        "slot_hour_price": None if price is None else price.slot_hour,
        "currency": None if price is None else price.currency,
    }


def cycle_row(cycle: Cycle, run: int, started_at_s: float | None, left_out: LeftOut) -> TableRow:
    view, errors = cycle.view, cycle.plan.errors
    return {
        "run": run,
        "at_s": cycle.at_s,
        "epoch_s": None if started_at_s is None else started_at_s + cycle.at_s,
        "policy": cycle.policy,
        "utility": view.utility,
        "max_utility": view.max_utility,
        "note": cycle.plan.note,
        "snapshot": deflated(snapshot_text(snapshot_of(view), left_out)),
        "error": cycle.error,
        "shortfall": cycle.plan.shortfall or None,
        "prediction_errors": left_out.unless_too_large("how far off predictions are is", lambda: packed(errors))
        if errors
        else None,
        "possible_utility": possible_utility(view),
    }


def job_row(job: JobView, cycle_id: int, intent_id: int) -> TableRow:
    figures, which = job.figures, job.figures.which_trouble
    return {
        "cycle_id": cycle_id,
        "intent_id": intent_id,
        "utility": job.utility,
        "met": job.met,
        "fresh": job.fresh,
        "settling": figures.settling,
        "threads": figures.threads,
        "latency_s": asked_latency_s(job),
        **_latency_columns(figures.latency),
        "juice": figures.juice,
        "arrival_rps": figures.arrival_rps,
        "processed_rps": figures.processed_rps,
        "backlog_rows": figures.backlog_rows,
        "trouble": None if figures.trouble is None else beginning(figures.trouble),
        "trouble_id": None if which is None else beginning(which.text),
        "state": state_of(job).value,
        "urgency": None if job.urgency == 1.0 else job.urgency,
        "spent": None if job.spent is None else encode(job.spent),
    }


def _latency_columns(latency: LatencyFigures | None) -> TableRow:
    def at(percentile: float) -> float | None:
        return None if latency is None else latency.at(percentile)

    return {
        "latency_mean_s": None if latency is None else latency.mean_s,
        "latency_p50_s": at(50),
        "latency_p95_s": at(95),
        "latency_p99_s": at(99),
        "latency_estimated": None if latency is None else latency.estimated,
    }


def window_rows(view: View, name: str) -> list[TableRow]:
    """The present windows of all that have an error budget; `name` is that of runs that go on from one another."""
    return [
        {"name": name, "job": job.name, "windows_s": job.spent.asked.windows_s, **asdict(job.window)}
        for job in view.jobs
        if job.spent is not None and job.window is not None
    ]


def machine_row(machine: MachineFigures, cycle_id: int) -> TableRow:
    return {
        "cycle_id": cycle_id,
        "machine": machine.name,
        "cores": machine.cores,
        "load": machine.load,
        "memory_share": machine.memory_share,
        "executors": machine.executors,
        "alive": machine.alive,
    }


def decision_rows(decisions: Iterable[Decision], cycle_id: int, left_out: LeftOut) -> list[TableRow]:
    return [
        {
            "cycle_id": cycle_id,
            "position": position,
            "at_s": decision.at_s,
            "reason": decision.reason.value,
            "why": decision.why,
            "changes": encode(decision.moves),
            "utility_before": decision.utility_before,
            "expected_utility": decision.expected_utility,
            "foretold": left_out.unless_too_large("what is foretold is", partial(encode, decision.foretold))
            if decision.foretold
            else None,
        }
        for position, decision in enumerate(decisions)
    ]


def outcome_rows(outcomes: Iterable[StepOutcome], cycle_id: int) -> list[TableRow]:
    return [
        {
            "cycle_id": cycle_id,
            "position": position,
            "job": outcome.step.job,
            "changes": encode(outcome.step.moves),
            "error": outcome.error,
            "undone": outcome.undone,
        }
        for position, outcome in enumerate(outcomes)
    ]


def verdict_rows(verdicts: Iterable[Verdict], cycle_id: int) -> list[TableRow]:
    return [
        {
            "cycle_id": cycle_id,
            "position": position,
            "decided_at_s": verdict.decided_at_s,
            "judged_at_s": verdict.judged_at_s,
            "utility_came": 0.0 if verdict.utility_came is None else verdict.utility_came,
            "text": verdict.text,
            "effect": None if verdict.effect is None else verdict.effect.value,
            "place": verdict.place,
            "again": verdict.again,
            "again_until_s": verdict.again_until_s,
        }
        for position, verdict in enumerate(verdicts)
    ]


def outlook_rows(outlooks: Iterable[JobOutlook], cycle_id: int) -> list[TableRow]:
    return [{"cycle_id": cycle_id, "job": outlook.job, "body": encode(outlook)} for outlook in outlooks]


def deed_rows(deeds: Iterable[Deed], cycle_id: int) -> list[TableRow]:
    names = ("at_s", "job", "text", "why", "error")
    return [
        {"cycle_id": cycle_id, "position": position, **{name: getattr(deed, name) for name in names}}
        for position, deed in enumerate(deeds)
    ]
