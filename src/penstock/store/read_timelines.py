"""A run's figures over time, read into columns: of a week of twenty tenants there are a million rows."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import sqlalchemy as sa

from penstock.core.known.outlook import JobOutlook, standing
from penstock.core.seen.states import State
from penstock.errors import WrongCellError, shown
from penstock.store import tables
from penstock.store.by_cycle import FoundRow, grouped
from penstock.store.cells import LATEST_S
from penstock.store.columns import columns_of
from penstock.store.rows_read import outlook_of, state_then
from penstock.store.timelines import JobStretch, RunPart, Timelines

AT_A_TIME = 1000  # cycles: of twenty tenants 10 MB
# In the order in which rows are taken apart: to look for each figure by its name takes longer than all else.
_FIGURES = (
    *("cycle_id", "intent_id", "state", "trouble", "trouble_id", "urgency", "backlog_rows", "utility", "threads"),
    *("latency_s", "juice"),
)
_JUDGED_BY = ("met", "fresh", "settling", "arrival_rps", "processed_rps")  # where an earlier penstock kept no state
_LOADS = ("cycle_id", "machine", "cores", "load", "alive")
# What changes in the words of a trouble that goes on, where an earlier penstock told it in words alone.
_COUNTED = re.compile(r"\btried (?:once|\d+ times)|\b\d+ (?:s|min)\b")
_STATES: Mapping[str, State] = {state.value: state for state in State}

TimelineRow = Any  # of SQLAlchemy's: a tuple whose figures have names, too
CycleNumbers = Mapping[int, int]  # of rows of cycles: where they are in a part
IntentWords = tuple[str, str, float]  # whose, in words, and what it is worth
KnownOutlooks = Sequence[Mapping[str, JobOutlook]]  # what was known of each job, cycle by cycle


def read_timelines(connection: sa.Connection, run: int) -> Timelines:
    """All of the run, some cycles at a time."""
    cycles = tables.cycles.c
    stated, lines, told = _stated(connection, run), Timelines(), _Told(connection, run)
    wanted = sa.select(cycles.id, cycles.at_s, cycles.utility, cycles.max_utility)
    wanted = wanted.where(cycles.run == run, cycles.at_s <= LATEST_S).order_by(cycles.id)
    for part in connection.execute(wanted).partitions(AT_A_TIME):
        ids, at_s, utility, most = zip(*part, strict=True)
        numbers = {cycle: number for number, cycle in enumerate(ids)}
        outlooks = told.until(ids, at_s)
        every = _by_job(_job_rows(connection, ids), numbers, stated)
        jobs = [one for found in every for one in _stretches(found, numbers, at_s, stated, outlooks)]
        loads = _rows(connection, tables.machine_figures, _LOADS, ids)
        lines.add(RunPart(at_s, utility, most, jobs, _loads(loads, numbers)))
    return lines


class _Told:
    """Outlooks: what a cycle works out is known from the next one on, as it was to those who decided then."""

    def __init__(self, connection: sa.Connection, run: int) -> None:
        self._news = grouped(connection, tables.outlooks, run)
        self._known: Mapping[str, JobOutlook] = {}

    def until(self, ids: Sequence[int], at_s: Sequence[float]) -> KnownOutlooks:
        """What was known in each of these cycles."""
        return [self._next(cycle, now) for cycle, now in zip(ids, at_s, strict=True)]

    def _next(self, cycle: int, at_s: float) -> Mapping[str, JobOutlook]:
        news: Sequence[FoundRow] = self._news.of(cycle)
        if not news and not self._known:
            return self._known
        then = standing(self._known, (), at_s)
        self._known = standing(then, map(outlook_of, news), at_s)
        return then


def _stated(connection: sa.Connection, run: int) -> Mapping[int, IntentWords]:
    """The intents of the run by the numbers of their rows."""
    of = tables.intents.c
    found = connection.execute(sa.select(of.id, of.job, of.text, of.max_utility).where(of.run == run))
    return {number: (job, text, most) for number, job, text, most in found}


def _job_rows(connection: sa.Connection, ids: Sequence[int]) -> Sequence[TimelineRow]:
    rows = _rows(connection, tables.job_figures, _FIGURES, ids)
    if all(row[2] in _STATES for row in rows):
        return rows
    return _rows(connection, tables.job_figures, (*_FIGURES, *_JUDGED_BY), ids)


def _rows(
    connection: sa.Connection, table: sa.Table, names: Sequence[str], ids: Sequence[int]
) -> Sequence[TimelineRow]:
    """These columns of all cycles between the first and the last, also of other runs that were recorded meanwhile."""
    there = {column.name: column for column in columns_of(connection, table)}
    wanted = sa.select(*(tables.as_it_stands(there[name]) for name in names)).where(
        table.c.cycle_id.between(ids[0], ids[-1])
    )
    return connection.execute(wanted.order_by(*table.primary_key.columns)).all()


def _by_job(
    rows: Iterable[TimelineRow], numbers: CycleNumbers, stated: Mapping[int, IntentWords]
) -> Iterator[list[TimelineRow]]:
    """The rows of each job, in the order in which jobs came."""
    found: dict[str, list[TimelineRow]] = {}
    for row in rows:
        if row[0] in numbers and row[1] in stated:
            job = stated[row[1]][0]
            if job in found:
                found[job].append(row)
            else:
                found[job] = [row]
    yield from found.values()


def _stretches(
    rows: Sequence[TimelineRow],
    numbers: CycleNumbers,
    at_s: Sequence[float],
    stated: Mapping[int, IntentWords],
    outlooks: KnownOutlooks,
) -> Iterator[JobStretch]:
    for (intent_id, state, trouble, which, urgency), alike in groupby(rows, key=_stands):
        found = list(alike)
        ids, _, _, _, _, _, _, utility, threads, latency_s, juice, *_ = zip(*found, strict=True)
        if {*map(type, threads)} != {int}:
            wrong = next(value for value in threads if not isinstance(value, int))
            raise WrongCellError(f"threads: {shown(wrong)} is no whole number")
        places = [numbers[cycle] for cycle in ids]
        job, intent, most = stated[intent_id]
        yield JobStretch(
            name=job,
            intent=intent,
            max_utility=most,
            trouble=tables.told_of(trouble),
            trouble_id=_trouble_id(trouble, which),
            state=state,
            urgency=urgency or 1.0,
            at_s=at_s[places[0]],
            backlog_rows=found[0].backlog_rows,
            numbers=places,
            utility=utility,
            threads=threads,
            latency_s=latency_s,
            juice=juice,
            recovery_s=_recoveries(job, places, threads, outlooks),
        )


def _stands(row: TimelineRow) -> tuple[int, State, str | None, str | None, float | None]:
    _, intent_id, state, trouble, which, urgency, *_ = row
    return intent_id, _STATES.get(state) or state_then(row._mapping), trouble, which, urgency


def _trouble_id(trouble: str | None, which: str | None) -> str | None:
    """What tells the trouble from others, as it was recorded; by its words where an earlier penstock recorded none."""
    text = tables.told_of(trouble)
    return tables.told_of(which) or (None if text is None else _COUNTED.sub("", text))


def _recoveries(
    job: str, places: Sequence[int], threads: Sequence[int], outlooks: KnownOutlooks
) -> Sequence[float | None]:
    """How long each would have taken to be back to normal; nothing where nobody worked it out."""
    known = [outlooks[place].get(job) for place in places]
    if not any(known):
        return ()
    pairs = zip(known, threads, strict=True)
    return [None if outlook is None else outlook.recovery_s(count) for outlook, count in pairs]


def _loads(rows: Sequence[TimelineRow], numbers: CycleNumbers) -> Iterator[tuple[int, str, int, float | None]]:
    machines = {name: tables.told_of(name) or "" for name in {row[1] for row in rows}}
    for cycle, name, cores, load, alive in rows:
        if cycle in numbers:
            yield numbers[cycle], machines[name], cores, load if alive else None
