"""Reading a run back: its rows in the order of its cycles, told as a Run or as the views that were seen."""

import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter

import sqlalchemy as sa

from penstock.core.asked.intents import Intent
from penstock.core.cycle import PastCycle, noted_of
from penstock.core.known.outlook import JobOutlook
from penstock.core.known.prediction import PredictionError
from penstock.core.run import EARLIER, DecisionRecord, Note, Run, StepsTaken, as_of, with_budgets, with_verdicts
from penstock.core.seen.life import ControllerLife
from penstock.core.seen.shares import Pool, pool_of
from penstock.core.seen.view import View
from penstock.errors import told
from penstock.store import cells, rows_read, tables
from penstock.store.acts import began_dry, read_acts
from penstock.store.archive import AuditEntry, unknown_run
from penstock.store.by_cycle import CycleGroups, FoundRow, grouped, if_there, job_rows, of_cycles, of_run
from penstock.store.cards import read_card
from penstock.store.codec import DoesNotFitError
from penstock.store.columns import columns_of, is_there
from penstock.store.intent_codec import decode_intent
from penstock.store.packing import SpoiltError
from penstock.store.read_timelines import read_timelines
from penstock.store.route_windows import SeenWindows
from penstock.store.timelines import noted

log = logging.getLogger("penstock.store")

NEWEST_TOLD = 5_000  # decisions and acts: each takes 0.1 ms, and every page reads decisions


def run_rows(connection: sa.Connection) -> Sequence[FoundRow]:
    """All runs, oldest first."""
    return (
        connection.execute(sa.select(*columns_of(connection, tables.runs)).order_by(tables.runs.c.number))
        .mappings()
        .all()
    )


def run_number(connection: sa.Connection, run_id: str) -> int:
    """Of the run of that id; of one whose id no penstock gave, by what is told of it."""
    exact = connection.execute(sa.select(tables.runs.c.number).where(tables.runs.c.id == run_id)).scalar_one_or_none()
    if exact is not None:
        return int(exact)
    found = run_rows(connection)
    for row in found:
        if rows_read.id_of(row) == run_id:
            return int(row["number"])
    raise unknown_run(run_id, [rows_read.run_info(row) for row in found])


def read_run(connection: sa.Connection, run: int) -> Run:
    """The whole run."""
    wanted = sa.select(*columns_of(connection, tables.runs)).where(tables.runs.c.number == run)
    info = rows_read.run_info(connection.execute(wanted).mappings().one())
    lines = read_timelines(connection, run)
    notes, errors, shortfalls = _notes(connection, run)
    acts = read_acts(connection, run)
    card = read_card(connection, run)
    newest = _last_view(connection, run)
    return Run(
        info=info,
        at_s=tuple(lines.at_s),
        utility=tuple(lines.utility),
        max_utility=tuple(lines.max_utility),
        jobs=with_budgets(lines.jobs(), newest),
        machines=lines.machines(),
        decisions=read_decisions(connection, run, NEWEST_TOLD),
        notes=notes,
        errors=errors,
        deeds=tuple(rows_read.deed_of(row) for row in if_there(connection, tables.deeds, run)),
        shortfalls=shortfalls,
        prediction_errors=_last_errors(connection, run),
        pool=Pool() if newest is None else pool_of(newest),
        possible_utility=tuple(lines.possible_utility),
        acts=acts,
        began_dry=began_dry(connection, run, acts),
        life=ControllerLife.ENDED if card is None else card.sign.life(time.time()),
        last_sign_epoch_s=None if card is None else card.seen_at_epoch_s,
    )


def read_views(connection: sa.Connection, run: int) -> Iterator[View]:
    """What the policy saw, cycle by cycle."""
    intents = read_intents(connection, run)
    judged = groupby(job_rows(connection, run), key=itemgetter("cycle_id"))
    by_cycle = CycleGroups(judged)
    deeds, windows = grouped(connection, tables.deeds, run), grouped(connection, tables.routes, run)
    seen = SeenWindows(connection)
    cycles = sa.select(*columns_of(connection, tables.cycles)).where(tables.cycles.c.run == run)
    cycles = cycles.order_by(tables.cycles.c.id)
    for row in connection.execute(cycles, execution_options={"yield_per": 100}).mappings():
        yield rows_read.view_of(
            row,
            {found["job"]: found for found in by_cycle.of(row["id"])},
            intents,
            seen.routes(found["window_id"] for found in windows.of(row["id"])),
            tuple(rows_read.deed_of(found) for found in deeds.of(row["id"])),
        )


def read_past_cycles(
    connection: sa.Connection, run: int, decided_from_s: float, before_s: float
) -> Iterator[PastCycle]:
    """Those from `before_s` before the first decision since then; none where there was none."""
    cycles = tables.cycles.c
    decided = tables.decisions.join(tables.cycles, tables.decisions.c.cycle_id == cycles.id)
    of_decisions = sa.select(sa.func.min(cycles.at_s)).where(cycles.run == run)
    first_s = connection.execute(of_decisions.select_from(decided).where(cycles.at_s >= decided_from_s)).scalar_one()
    if first_s is None:
        return
    wanted = sa.select(*columns_of(connection, tables.cycles)).where(
        cycles.run == run, cycles.at_s >= first_s - before_s
    )
    found = connection.execute(wanted.order_by(cycles.id)).mappings().all()
    intents, from_id = read_intents(connection, run), found[0]["id"]
    jobs = CycleGroups(groupby(job_rows(connection, run, from_id), key=itemgetter("cycle_id")))
    decisions = CycleGroups(groupby(of_cycles(connection, tables.decisions, run, from_id), key=itemgetter("cycle_id")))
    for row in found:
        view = rows_read.view_of(row, {job["job"]: job for job in jobs.of(row["id"])}, intents)
        yield PastCycle(view, tuple(rows_read.decision_of(one) for one in decisions.of(row["id"])))


def read_newest(connection: sa.Connection, run: int, at_s: float | None = None) -> tuple[FoundRow, View] | None:
    """The newest cycle's row, or that of the newest not after `at_s`, with what was seen; None where there is none."""
    cycles, figures, intents = tables.cycles, tables.job_figures, tables.intents
    # By time, as the index has it: by number, every cycle of the run would be read.
    within = [cycles.c.run == run, cycles.c.at_s <= (cells.LATEST_S if at_s is None else at_s)]
    wanted = sa.select(*columns_of(connection, cycles)).where(*within).order_by(cycles.c.at_s.desc()).limit(1)
    row = connection.execute(wanted).mappings().first()
    if row is None:
        return None
    joined = figures.join(intents, figures.c.intent_id == intents.c.id)
    judged = (
        sa.select(*columns_of(connection, figures), intents.c.job)
        .select_from(joined)
        .where(figures.c.cycle_id == row["id"])
    )
    found = connection.execute(judged).mappings()
    return row, rows_read.view_of(row, {job["job"]: job for job in found}, read_intents(connection, run))


def read_decisions(connection: sa.Connection, run: int, newest: int | None = None) -> tuple[DecisionRecord, ...]:
    """Every decision of the run with what came of it, oldest first; with `newest` no more than so many are read.

    `EARLIER` stands for each of the others, so that decisions keep their numbers.
    """
    found = _newest_rows(connection, run, newest)
    from_id = found[0]["cycle_id"] if found else 0
    outcomes = _outcomes(connection, run, from_id)
    verdicts = [rows_read.verdict_of(row) for row in of_cycles(connection, tables.verdicts, run, from_id)]
    told = with_verdicts([_record(row, outcomes) for row in found], verdicts)
    if any(record.waits_for_verdict for record in told):
        told = _to_the_end(connection, run, told)
    return told if newest is None or not found else (EARLIER,) * (_count(connection, run) - len(told)) + told


def _newest_rows(connection: sa.Connection, run: int, newest: int | None) -> Sequence[FoundRow]:
    """Of whole cycles, for a verdict tells its decision by the place within one; of one that is larger, its end."""
    table = tables.decisions
    if newest is None:
        return tuple(of_cycles(connection, table, run))
    wanted = sa.select(*columns_of(connection, table)).where(*of_run(table, run))
    backwards = wanted.order_by(table.c.cycle_id.desc(), table.c.position.desc()).limit(newest)
    found = connection.execute(backwards).mappings().all()[::-1]
    whole = [row for row in found if row["cycle_id"] != found[0]["cycle_id"]]
    return whole if len(found) == newest and whole else found


def _count(connection: sa.Connection, run: int) -> int:
    # From the run's cycles on, for nothing is put in order: half of the time of looking up each decision's cycle.
    joined = tables.decisions.join(tables.cycles, tables.decisions.c.cycle_id == tables.cycles.c.id)
    wanted = sa.select(sa.func.count()).select_from(joined).where(tables.cycles.c.run == run)
    return int(connection.execute(wanted).scalar_one())


def _to_the_end(connection: sa.Connection, run: int, told: Sequence[DecisionRecord]) -> tuple[DecisionRecord, ...]:
    """Without promises that nobody is there to keep."""
    timed = (tables.cycles.c.run == run, tables.cycles.c.at_s <= cells.LATEST_S)
    last_s = connection.execute(sa.select(sa.func.max(tables.cycles.c.at_s)).where(*timed))
    card = read_card(connection, run)
    goes_on = card is not None and card.sign.life(time.time()) in (ControllerLife.LIVE, ControllerLife.AHEAD)
    return as_of(told, last_s.scalar_one() or 0.0, goes_on)


def read_outlooks(connection: sa.Connection, run: int, cycle: int, at_s: float) -> Mapping[str, JobOutlook]:
    """For each job the newest outlook up to that cycle, unless it is over by then."""
    table = tables.outlooks
    if not is_there(connection, table):
        return {}
    last = sa.select(table.c.job, sa.func.max(table.c.cycle_id).label("cycle_id"))
    newest = last.where(table.c.cycle_id <= cycle, *of_run(table, run)).group_by(table.c.job).subquery()
    same = sa.and_(table.c.job == newest.c.job, table.c.cycle_id == newest.c.cycle_id)
    found = connection.execute(sa.select(table).select_from(table.join(newest, same)).order_by(table.c.job)).mappings()
    outlooks = [rows_read.outlook_of(row) for row in found]
    return {outlook.job: outlook for outlook in outlooks if outlook.until_s >= at_s}


def read_intents(connection: sa.Connection, run: int) -> Mapping[int, Intent]:
    """Every intent that was stated in the run, by the number of its row."""
    table = tables.intents
    found = connection.execute(sa.select(table.c.id, table.c.body).where(table.c.run == run)).mappings()
    return {row["id"]: _intent(row) for row in found}


@cells.naming(tables.intents)
def _intent(row: FoundRow) -> Intent:
    return decode_intent(row["body"])


def read_audit(connection: sa.Connection, run: int) -> tuple[AuditEntry, ...]:
    """The newest acts on the run, oldest first."""
    table = tables.audit
    wanted = sa.select(table).where(table.c.run == run).order_by(table.c.id.desc()).limit(NEWEST_TOLD)
    found = connection.execute(wanted).mappings().all()[::-1]
    return tuple(map(_act, found))


@cells.naming(tables.audit)
def _act(row: FoundRow) -> AuditEntry:
    return AuditEntry(cells.epoch_in(row, "at_epoch_s"), row["who"], row["act"], row["detail"])


def _outcomes(connection: sa.Connection, run: int, from_id: int) -> Mapping[int, StepsTaken]:
    by_cycle = groupby(of_cycles(connection, tables.step_outcomes, run, from_id), key=itemgetter("cycle_id"))
    return {cycle_id: StepsTaken.of(map(rows_read.outcome_of, found)) for cycle_id, found in by_cycle}


def _record(row: FoundRow, outcomes: Mapping[int, StepsTaken]) -> DecisionRecord:
    decision, steps = rows_read.decision_of(row), outcomes.get(row["cycle_id"])
    return DecisionRecord(decision, () if steps is None else steps.concerning(decision))


def _notes(connection: sa.Connection, run: int) -> tuple[tuple[Note, ...], tuple[Note, ...], tuple[Note, ...]]:
    """What was said of the cycles, what of it went wrong in the loop, and when no shares met all intents."""
    cycles = tables.cycles
    wanted = ("at_s", "note", "error", "shortfall")
    there = {column.name: column for column in columns_of(connection, cycles)}
    told = sa.select(*(tables.as_it_stands(there[name]) for name in wanted)).where(cycles.c.run == run)
    notes: list[Note] = []
    errors: list[Note] = []
    shortfalls: list[Note] = []
    before: Sequence[object] = ()
    for at_s, *words in connection.execute(told.order_by(cycles.c.id)):
        if words == before or cells.number_within(at_s, 0.0, cells.LATEST_S) is None:
            continue
        before = words
        note, error, shortfall = map(tables.told_of, words)
        noted(notes, at_s, noted_of(error, note or ""))
        noted(errors, at_s, error or "")
        noted(shortfalls, at_s, shortfall or "")
    return tuple(notes), tuple(errors), tuple(shortfalls)


def _last_view(connection: sa.Connection, run: int) -> View | None:
    """What was seen in the end; not known where another penstock recorded it otherwise."""
    try:
        newest = read_newest(connection, run)
    except (DoesNotFitError, SpoiltError) as error:
        log.warning("what was seen in the end cannot be told: %s", told(error))
        return None
    return None if newest is None else newest[1]


def _last_errors(connection: sa.Connection, run: int) -> tuple[PredictionError, ...]:
    """How far off predictions were, as the last cycle has it that tells of any."""
    known = {column.name: column for column in columns_of(connection, tables.cycles)}["prediction_errors"]
    wanted = sa.select(tables.cycles.c.id, known).where(tables.cycles.c.run == run, known.is_not(None))
    newest = wanted.order_by(tables.cycles.c.at_s.desc()).limit(1)
    return rows_read.errors_of(connection.execute(newest).mappings().one_or_none())
