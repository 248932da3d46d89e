"""Core values as rows of the tables, and rows as core values."""

import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from functools import wraps
from math import inf
from typing import Any, TypeVar, cast

from penstock.core.budget import SpentBudget
from penstock.core.cycle import Cycle
from penstock.core.deeds import Deed
from penstock.core.figures import JobFigures, LatencyFigures, MachineFigures, Snapshot
from penstock.core.forecast import Forecast
from penstock.core.intents import Intent
from penstock.core.levers import ALL_OPERATORS, Move
from penstock.core.outlook import JobOutlook
from penstock.core.plan import Decision, Effect, Reason, Step, StepOutcome, Verdict
from penstock.core.prediction import Foretold, PredictionError
from penstock.core.price import MOST_AN_HOUR, Price
from penstock.core.routes import RouteFigures
from penstock.core.run import RunInfo, asked_latency_s
from penstock.core.states import State, judged, possible_utility, state_of
from penstock.core.view import JobView, View, snapshot_of
from penstock.errors import shown, told
from penstock.store.codec import decode, encode, encode_figures

TableRow = dict[str, Any]
T = TypeVar("T")

_WITHOUT_KIND = re.compile(r'\[\{(?!.*"kind":)')

# Figures of jobs once had room for these; outlooks hold them now, and runs that were stored then are still read.
_NEVER_FILLED = '"forecast":null,"recovery_s":null,'


LATEST_EPOCH_S = 1e11  # in the year 5138: a later instant is none
LATEST_S = 1e10  # of a run: 317 years
_MOST = 1e18  # of utility together, and of slots

_AT_A_TIME = 100  # jobs
_NO_JOBS = '"jobs":[]'  # its first place in a snapshot's text is that of its jobs: only an instant is before it
_OF_RUNS = ("id", "name", "policy", "engine", "master", "started_at_s")


def run_row(run: RunInfo) -> TableRow:
    told = {name: getattr(run, name) for name in _OF_RUNS}
    price = run.price
    return {
        **told,
        "slot_hour_price": None if price is None else price.slot_hour,
        "currency": None if price is None else price.currency,
    }


def run_info(row: Mapping[Any, Any]) -> RunInfo:
    """The run of that row. Its start or its price is left out where it can be none: all runs are listed together."""
    began_s = number_within(row["started_at_s"], 0.0, LATEST_EPOCH_S)
    slot_hour = number_within(row["slot_hour_price"], 0.0, MOST_AN_HOUR)
    price = None if slot_hour is None else Price(slot_hour, row["currency"] or "")
    told = {name: row[name] for name in _OF_RUNS}
    return RunInfo(**{**told, "started_at_s": began_s}, price=price)


def number_within(value: object, least: float, most: float) -> float | None:
    """The number; None where it is none, or not between these: SQLite keeps words in a column of numbers, too.

    >>> number_within(1.5, 0.0, 2.0), number_within("soon", 0.0, 2.0), number_within(1e308, 0.0, 2.0)
    (1.5, None, None)
    """
    return value if isinstance(value, float | int) and least <= value <= most else None


def cycle_row(cycle: Cycle, run: int, started_at_s: float | None) -> TableRow:
    view = cycle.view
    return {
        "run": run,
        "at_s": cycle.at_s,
        "epoch_s": None if started_at_s is None else started_at_s + cycle.at_s,
        "policy": cycle.policy,
        "utility": view.utility,
        "max_utility": view.max_utility,
        "note": cycle.plan.note,
        "snapshot": _deflated(snapshot_text(snapshot_of(view))),
        "error": cycle.error,
        "shortfall": cycle.plan.shortfall or None,
        "prediction_errors": packed(cycle.plan.errors) if cycle.plan.errors else None,
        "possible_utility": possible_utility(view),
    }


def snapshot_text(snapshot: Snapshot) -> str:
    """The figures as JSON, some jobs at a time: all of 10,000 at once kept every other thread waiting for 0.2 s."""
    head = encode_figures(replace(snapshot, jobs=()), Snapshot)
    jobs = snapshot.jobs
    slices = (jobs[at : at + _AT_A_TIME] for at in range(0, len(jobs), _AT_A_TIME))
    texts = [encode_figures(some, cast(Any, tuple[JobFigures, ...]))[1:-1] for some in slices]
    return head.replace(_NO_JOBS, f'"jobs":[{",".join(texts)}]', 1)


def errors_of(body: bytes | None) -> tuple[PredictionError, ...]:
    """How far off predictions were, as a cycle has it; none of cycles from before there were any."""
    errors: tuple[PredictionError, ...] = () if body is None else unpacked(body, cast(Any, tuple[PredictionError, ...]))
    return errors


def job_row(job: JobView, cycle_id: int, intent_id: int) -> TableRow:
    figures = job.figures
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
        "trouble": figures.trouble,
        "state": state_of(job).value,
        "urgency": None if job.urgency == 1.0 else job.urgency,
        "spent": None if job.spent is None else encode(job.spent),
    }


def window_rows(view: View, name: str) -> list[TableRow]:
    """The present windows of all that have an error budget; `name` is that of runs that go on from one another."""
    return [
        {"name": name, "job": job.name, "windows_s": job.spent.asked.windows_s, **asdict(job.window)}
        for job in view.jobs
        if job.spent is not None and job.window is not None
    ]


def spent_of(row: Mapping[Any, Any]) -> SpentBudget | None:
    """How the error budget stood, as the row of a job has it."""
    return None if row["spent"] is None else decode(row["spent"], SpentBudget)


def state_then(row: Mapping[Any, Any]) -> State:
    """The state of a job as it was recorded; worked out where an earlier penstock did not record any."""
    if row["state"] is not None:
        return State(row["state"])
    names = ("settling", "arrival_rps", "processed_rps", "backlog_rows", "trouble")
    figures = JobFigures(row["job"], (), **{name: row[name] for name in names})
    return judged(figures, row["utility"], row["met"], row["fresh"])


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


def decision_rows(decisions: Iterable[Decision], cycle_id: int) -> list[TableRow]:
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
            "foretold": encode(decision.foretold) if decision.foretold else None,
        }
        for position, decision in enumerate(decisions)
    ]


def _naming(table: str) -> Callable[[Callable[[Mapping[Any, Any]], T]], Callable[[Mapping[Any, Any]], T]]:
    """Whatever is wrong in a row of that table, the ValueError says in which."""

    def named(read: Callable[[Mapping[Any, Any]], T]) -> Callable[[Mapping[Any, Any]], T]:
        @wraps(read)
        def reading(row: Mapping[Any, Any]) -> T:
            try:
                return read(row)
            except Exception as error:
                keys = ("cycle_id", "position", "job")[: 3 if "position" not in row else 2]
                place = ", ".join(f"{key} {shown(row[key])}" for key in keys if key in row)
                raise ValueError(f"{table}, {place}: {told(error)}") from error

        return reading

    return named


@_naming("penstock_decisions")
def decision_of(row: Mapping[Any, Any]) -> Decision:
    return Decision(
        reason=Reason(row["reason"]),
        moves=moves_of(row["changes"]),
        why=_told(row, "why"),
        at_s=_instant(row, "at_s") or 0.0,
        utility_before=_utility(row, "utility_before") or 0.0,
        expected_utility=_utility(row, "expected_utility"),
        foretold=() if row["foretold"] is None else decode(row["foretold"], cast(Any, tuple[Foretold, ...])),
    )


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


@_naming("penstock_step_outcomes")
def outcome_of(row: Mapping[Any, Any]) -> StepOutcome:
    return StepOutcome(Step(row["job"], moves_of(row["changes"])), row["error"], row["undone"])


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


@_naming("penstock_verdicts")
def verdict_of(row: Mapping[Any, Any]) -> Verdict:
    effect = None if row["effect"] is None else Effect(row["effect"])
    came = None if effect is Effect.UNKNOWN else _utility(row, "utility_came")
    return Verdict(
        decided_at_s=_instant(row, "decided_at_s") or 0.0,
        judged_at_s=_instant(row, "judged_at_s") or 0.0,
        utility_came=came,
        text=_told(row, "text"),
        effect=effect,
        place=_place(row),
        again=bool(row["again"]),
        again_until_s=_instant(row, "again_until_s"),
    )


def _told(row: Mapping[Any, Any], name: str) -> str:
    if isinstance(row[name], str):
        return str(row[name])
    raise ValueError(f"{name}: {shown(row[name])} is no text")


def _told_or_not(row: Mapping[Any, Any], name: str) -> str | None:
    return None if row[name] is None else _told(row, name)


def _place(row: Mapping[Any, Any]) -> int | None:
    value = row["place"]
    if value is None or (isinstance(value, int) and value >= 0):
        return value
    raise ValueError(f"place: {shown(value)} is no place")


def _instant(row: Mapping[Any, Any], name: str) -> float | None:
    return _figure(row, name, 0.0, LATEST_S, "instant of a run")


def _utility(row: Mapping[Any, Any], name: str) -> float | None:
    return _figure(row, name, -_MOST, _MOST, "utility")


def _figure(row: Mapping[Any, Any], name: str, least: float, most: float, what: str) -> float | None:
    """A ValueError where what stands there is none: SQLite keeps words and bytes in a column of numbers, too."""
    value = row[name]
    found = number_within(value, least, most)
    if value is not None and found is None:
        raise ValueError(f"{name}: {shown(value)} is no {what}")
    return found


def outlook_rows(outlooks: Iterable[JobOutlook], cycle_id: int) -> list[TableRow]:
    return [{"cycle_id": cycle_id, "job": outlook.job, "body": encode(outlook)} for outlook in outlooks]


@_naming("penstock_outlooks")
def outlook_of(row: Mapping[Any, Any]) -> JobOutlook:
    found = decode(row["body"], JobOutlook)
    for name, value in [("at_s", found.at_s), ("until_s", found.until_s), *_figures_of(found.forecast)]:
        if number_within(value, 0.0, _MOST) is None:
            raise ValueError(f"{name}: {shown(value)} is no figure of an outlook")
    recoveries = [*(seconds for _, seconds in found.recoveries_s), *(one.seconds for one in found.by_kind)]
    if any(number_within(seconds, 0.0, inf) is None for seconds in recoveries):  # it may be that it never recovers
        raise ValueError(f"a recovery in {shown(recoveries)} s")
    return found


def _figures_of(forecast: Forecast | None) -> Iterator[tuple[str, float]]:
    """A ValueError where it is none for as many steps each."""
    if forecast is None:
        return
    yield "forecast.step_s", forecast.step_s
    for steps in zip(forecast.mean, forecast.lower, forecast.upper, strict=True):
        yield from zip(("forecast.mean", "forecast.lower", "forecast.upper"), steps, strict=True)


def deed_rows(deeds: Iterable[Deed], cycle_id: int) -> list[TableRow]:
    names = ("at_s", "job", "text", "why", "error")
    return [
        {"cycle_id": cycle_id, "position": position, **{name: getattr(deed, name) for name in names}}
        for position, deed in enumerate(deeds)
    ]


@_naming("penstock_deeds")
def deed_of(row: Mapping[Any, Any]) -> Deed:
    at_s = _instant(row, "at_s") or 0.0
    return Deed(at_s, _told_or_not(row, "job"), _told(row, "text"), _told(row, "why"), _told_or_not(row, "error"))


def view_of(
    row: Mapping[Any, Any],
    judged: Mapping[str, Mapping[Any, Any]],
    intents: Mapping[int, Intent],
    routes: tuple[RouteFigures, ...] = (),
    deeds: tuple[Deed, ...] = (),
) -> View:
    """The view as it was: its figures from the cycle's row, how they were judged from the jobs' rows."""
    snapshot = decode(_inflated(row["snapshot"]).replace(_NEVER_FILLED, ""), Snapshot)
    jobs = tuple(
        JobView(
            figures,
            intents[found["intent_id"]],
            number_within(found["utility"], 0.0, _MOST),  # as one whose utility nobody knows
            found["met"],
            found["fresh"],
            spent=spent_of(found),
        )
        for figures in snapshot.jobs
        if (found := judged.get(figures.name)) is not None
    )
    return View(
        at_s=snapshot.at_s,
        jobs=jobs,
        machines=snapshot.machines,
        utility=_number(row, "utility"),
        max_utility=_number(row, "max_utility"),
        max_threads=snapshot.max_threads,
        routes=routes,
        levers=snapshot.levers,
        deeds=deeds,
    )


def _number(row: Mapping[Any, Any], name: str) -> float:
    found = number_within(row[name], 0.0, _MOST)
    if found is None:
        raise ValueError(f"{name}: {row[name]!r} is no number of a round")
    return found


def packed(value: object) -> bytes:
    """The value as deflated JSON."""
    return _deflated(encode(value))


def unpacked(body: bytes, value_type: type[Any]) -> Any:
    return decode(_inflated(body), value_type)


def _inflated(body: bytes) -> str:
    return zlib.decompress(body).decode()


def _deflated(text: str) -> bytes:
    return zlib.compress(text.encode(), level=1)  # to a quarter; higher levels cost more than they save


def moves_of(text: str) -> tuple[Move, ...]:
    """The moves of a decision or a step; those that were stored before moves had kinds are told by their units."""
    if _WITHOUT_KIND.match(text):
        text = json.dumps([_with_kind(change) for change in json.loads(text)])
    moves: tuple[Move, ...] = decode(text, cast(Any, tuple[Move, ...]))
    return moves


def _with_kind(change: dict[str, Any]) -> dict[str, Any]:
    unit, plain = change.pop("operator"), change
    if unit == "executors":
        return {"before": plain["before"], "after": plain["after"], "kind": "executors"}
    kinds = {ALL_OPERATORS: "slots", "batch_rows": "bound", "partitions": "partitions"}
    return {**plain, "kind": kinds[unit]} if unit in kinds else {**plain, "operator": unit, "kind": "tasks"}


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
