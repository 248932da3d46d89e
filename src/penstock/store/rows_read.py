"""Rows of the tables as core values: whatever is wrong in one is a WrongCellError that says in which."""

import json
import re
from collections.abc import Iterator, Mapping
from math import inf
from typing import Any, cast

from penstock.core.asked.budget import SpentBudget
from penstock.core.asked.intents import Intent
from penstock.core.asked.price import MOST_AN_HOUR, Price
from penstock.core.known.forecast import Forecast
from penstock.core.known.outlook import JobOutlook
from penstock.core.known.prediction import Foretold, PredictionError
from penstock.core.levers import ALL_OPERATORS, Move
from penstock.core.plan import Decision, Effect, Reason, Step, StepOutcome, Verdict
from penstock.core.run import RunInfo
from penstock.core.seen.deeds import Deed
from penstock.core.seen.figures import JobFigures, Snapshot
from penstock.core.seen.routes import RouteFigures
from penstock.core.seen.states import State, judged
from penstock.core.seen.view import JobView, View
from penstock.errors import WrongCellError, shown, told
from penstock.store import tables
from penstock.store.cells import (
    LATEST_EPOCH_S,
    MOST,
    choice_in,
    instant_in,
    naming,
    number_in,
    number_within,
    place_in,
    text_in,
    text_or_none_in,
    utility_in,
)
from penstock.store.codec import DoesNotFitError, decode
from penstock.store.packing import SpoiltError, inflated, unpacked
from penstock.store.rows_written import OF_RUNS
from penstock.store.tables import as_words

_LONGEST_ID = 300  # characters, as whoever asks for a run may send; two longer ones may begin alike
_TOLD_OF_ID = 60

_WITHOUT_KIND = re.compile(r'\[\{(?!.*"kind":)')

# Figures of jobs once had room for these; outlooks hold them now, and runs that were stored then are still read.
_NEVER_FILLED = '"forecast":null,"recovery_s":null,'


def run_info(row: Mapping[Any, Any]) -> RunInfo:
    """The run of that row. Its start or its price is left out where it can be none: all runs are listed together."""
    began_s = number_within(row["started_at_s"], 0.0, LATEST_EPOCH_S)
    slot_hour = number_within(row["slot_hour_price"], 0.0, MOST_AN_HOUR)
    price = None if slot_hour is None else Price(slot_hour, row["currency"] or "")
    plain = {name: row[name] for name in OF_RUNS}
    return RunInfo(**{**plain, "id": id_of(row), "started_at_s": began_s}, price=price)


def id_of(row: Mapping[Any, Any]) -> str:
    """By what the run of that row is told and asked for. Of an id that no penstock gave, its beginning and its number.

    >>> id_of({"id": "shop 3f2a", "number": 1}), id_of({"id": b"shop 3f2a", "number": 2})
    ('shop 3f2a', 'shop 3f2a... (run 2)')
    """
    given = row["id"]
    if isinstance(given, str) and len(given) <= _LONGEST_ID:
        return given
    return f"{as_words(given)[:_TOLD_OF_ID]}... (run {row['number']})"


def errors_of(row: Mapping[Any, Any] | None) -> tuple[PredictionError, ...]:
    """How far off predictions were, as a cycle has it; none of cycles from before there were any."""
    if row is None or row["prediction_errors"] is None:
        return ()
    try:
        errors: tuple[PredictionError, ...] = unpacked(row["prediction_errors"], cast(Any, tuple[PredictionError, ...]))
    except ValueError as error:
        raise SpoiltError(f"penstock_cycles, id {row['id']}, prediction_errors: {told(error)}") from error
    return errors


def spent_of(row: Mapping[Any, Any]) -> SpentBudget | None:
    """How the error budget stood, as the row of a job has it."""
    return None if row["spent"] is None else decode(row["spent"], SpentBudget)


def state_then(row: Mapping[Any, Any]) -> State:
    """The state of a job as it was recorded; worked out where an earlier penstock did not record any."""
    if row["state"] is not None:
        return State(as_words(row["state"]))
    names = ("settling", "arrival_rps", "processed_rps", "backlog_rows", "trouble")
    figures = JobFigures("", (), **{name: row[name] for name in names})
    return judged(figures, row["utility"], row["met"], row["fresh"])


@naming(tables.decisions)
def decision_of(row: Mapping[Any, Any]) -> Decision:
    return Decision(
        reason=choice_in(row, "reason", Reason),
        moves=moves_of(row["changes"]),
        why=text_in(row, "why"),
        at_s=instant_in(row, "at_s") or 0.0,
        utility_before=utility_in(row, "utility_before") or 0.0,
        expected_utility=utility_in(row, "expected_utility"),
        foretold=() if row["foretold"] is None else decode(row["foretold"], cast(Any, tuple[Foretold, ...])),
    )


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


@naming(tables.step_outcomes)
def outcome_of(row: Mapping[Any, Any]) -> StepOutcome:
    return StepOutcome(Step(row["job"], moves_of(row["changes"])), row["error"], row["undone"])


@naming(tables.verdicts)
def verdict_of(row: Mapping[Any, Any]) -> Verdict:
    effect = None if row["effect"] is None else choice_in(row, "effect", Effect)
    came = None if effect is Effect.UNKNOWN else utility_in(row, "utility_came")
    return Verdict(
        decided_at_s=instant_in(row, "decided_at_s") or 0.0,
        judged_at_s=instant_in(row, "judged_at_s") or 0.0,
        utility_came=came,
        text=text_in(row, "text"),
        effect=effect,
        place=place_in(row),
        again=bool(row["again"]),
        again_until_s=instant_in(row, "again_until_s"),
    )


@naming(tables.outlooks)
def outlook_of(row: Mapping[Any, Any]) -> JobOutlook:
    found = decode(row["body"], JobOutlook)
    for name, value in [("at_s", found.at_s), ("until_s", found.until_s), *_figures_of(found.forecast)]:
        if number_within(value, 0.0, MOST) is None:
            raise WrongCellError(f"{name}: {shown(value)} is no figure of an outlook")
    recoveries = [*(seconds for _, seconds in found.recoveries_s), *(one.seconds for one in found.by_kind)]
    if any(number_within(seconds, 0.0, inf) is None for seconds in recoveries):  # it may be that it never recovers
        raise WrongCellError(f"a recovery in {shown(recoveries)} s")
    return found


def _figures_of(forecast: Forecast | None) -> Iterator[tuple[str, float]]:
    """A WrongCellError where it is none for as many steps each."""
    if forecast is None:
        return
    mean, lower, upper = len(forecast.mean), len(forecast.lower), len(forecast.upper)
    if not mean == lower == upper:
        raise WrongCellError(f"forecast: {mean} steps of the mean, {lower} of its lower and {upper} of its upper bound")
    yield "forecast.step_s", forecast.step_s
    for steps in zip(forecast.mean, forecast.lower, forecast.upper, strict=True):
        yield from zip(("forecast.mean", "forecast.lower", "forecast.upper"), steps, strict=True)


@naming(tables.deeds)
def deed_of(row: Mapping[Any, Any]) -> Deed:
    at_s = instant_in(row, "at_s") or 0.0
    return Deed(
        at_s, text_or_none_in(row, "job"), text_in(row, "text"), text_in(row, "why"), text_or_none_in(row, "error")
    )


def view_of(
    row: Mapping[Any, Any],
    judged: Mapping[str, Mapping[Any, Any]],
    intents: Mapping[int, Intent],
    routes: tuple[RouteFigures, ...] = (),
    deeds: tuple[Deed, ...] = (),
) -> View:
    """The view as it was: its figures from the cycle's row, how they were judged from the jobs' rows."""
    snapshot = _snapshot_of(row)
    jobs = tuple(
        JobView(
            figures,
            intents[found["intent_id"]],
            number_within(found["utility"], 0.0, MOST),  # as one whose utility nobody knows
            found["met"],
            found["fresh"],
            spent=spent_of(found),
        )
        for figures in (told.measured for told in snapshot.jobs)
        if (found := judged.get(figures.name)) is not None
    )
    return View(
        at_s=snapshot.at_s,
        jobs=jobs,
        machines=snapshot.machines,
        utility=number_in(row, "utility"),
        max_utility=number_in(row, "max_utility"),
        max_threads=snapshot.max_threads,
        routes=routes,
        levers=snapshot.levers,
        deeds=deeds,
        contacts=snapshot.contacts,
    )


def _snapshot_of(row: Mapping[Any, Any]) -> Snapshot:
    """All figures of the cycle; a DoesNotFitError where another penstock recorded it, a SpoiltError where none did."""
    try:
        return decode(inflated(row["snapshot"]).replace(_NEVER_FILLED, ""), Snapshot)
    except (DoesNotFitError, SpoiltError) as error:
        raise type(error)(f"penstock_cycles, id {row['id']}: {error}") from error
