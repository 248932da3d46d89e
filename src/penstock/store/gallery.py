"""The gallery: a run as a screen needs it, thinned by the database, and its newest cycle whole."""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import sqlalchemy as sa

from penstock.core.outlook import JobOutlook
from penstock.core.run import DecisionRecord, RunInfo
from penstock.core.view import JobView, View
from penstock.store import tables
from penstock.store.archive import AuditEntry, unknown_run
from penstock.store.database import Database
from penstock.store.reading import read_audit, read_decisions, read_intents, read_outlooks, run_rows
from penstock.store.rows import run_info, view_of

OUTAGE = 5.0  # so many usual intervals without a cycle are an outage, as reports have it

_cycles, _figures, _loads = tables.cycles.c, tables.job_figures.c, tables.machine_figures.c


@dataclass(frozen=True, slots=True)
class Newest:
    """The newest cycle of a run, with the outlooks that hold, by job.

    `note` says why nothing, or nothing more, was done.
    """

    cycle: int
    view: View
    note: str
    outlooks: Mapping[str, JobOutlook] = field(default_factory=dict)

    def recovery_s(self, job: JobView) -> float | None:
        """How long the job would take to be back to normal, did it fail now; None where nobody worked it out."""
        outlook = self.outlooks.get(job.name)
        return None if outlook is None else outlook.recovery_s(job.figures.threads)


@dataclass(frozen=True, slots=True)
class Stretch:
    """Which part of a run is wanted, and into how many points it is to be thinned."""

    from_s: float | None = None
    to_s: float | None = None
    points: int = 300


@dataclass(frozen=True, slots=True)
class Columns:
    """Figures over time: number i of each column belongs to `at_s[i]`; None stands for an outage."""

    at_s: tuple[float, ...]
    values: Mapping[str, tuple[float | None, ...]]


class Gallery:
    """One run, read as often as anybody looks."""

    def __init__(self, database: Database, run_id: str) -> None:
        self._database = database
        self._run_id = run_id

    @cached_property
    def _number(self) -> int:
        with self._database.reading() as connection:
            for row in run_rows(connection):
                if row["id"] == self._run_id:
                    return int(row["number"])
            raise unknown_run(self._run_id, [run_info(row) for row in run_rows(connection)])

    @property
    def info(self) -> RunInfo:
        """Which run it is."""
        wanted = sa.select(tables.runs).where(tables.runs.c.number == self._number)
        with self._database.reading() as connection:
            return run_info(connection.execute(wanted).mappings().one())

    def newest_cycle(self) -> int | None:
        """The number of the newest cycle; a new number means news."""
        with self._database.reading() as connection:
            newest = sa.select(sa.func.max(_cycles.id)).where(_cycles.run == self._number)
            return connection.execute(newest).scalar_one_or_none()

    def newest(self, at_s: float | None = None) -> Newest | None:
        """The newest cycle, or the newest that is not after `at_s`; None where there is none."""
        wanted = sa.select(tables.cycles).where(_cycles.run == self._number).order_by(_cycles.id.desc()).limit(1)
        if at_s is not None:
            wanted = wanted.where(_cycles.at_s <= at_s)
        with self._database.reading() as connection:
            row = connection.execute(wanted).mappings().first()
            if row is None:
                return None
            intents = read_intents(connection, self._number)
            joined = tables.job_figures.join(tables.intents, _figures.intent_id == tables.intents.c.id)
            judged = sa.select(tables.job_figures, tables.intents.c.job).select_from(joined)
            found = connection.execute(judged.where(_figures.cycle_id == row["id"])).mappings()
            view = view_of(row, {job["job"]: job for job in found}, intents)
            outlooks = read_outlooks(connection, self._number, row["id"], row["at_s"])
            return Newest(row["id"], view, row["note"], outlooks)

    def cycles(self) -> tuple[int, float, float]:
        """How many cycles there are, and when the first and the last were."""
        wanted = sa.select(sa.func.count(), sa.func.min(_cycles.at_s), sa.func.max(_cycles.at_s))
        with self._database.reading() as connection:
            count, first, last = connection.execute(wanted.where(_cycles.run == self._number)).one()
        return count, first or 0.0, last or 0.0

    def missed_since(self, job: str) -> float | None:
        """When the job had last met its intent; None when it never did."""
        joined = tables.job_figures.join(tables.intents, _figures.intent_id == tables.intents.c.id)
        met = sa.select(_figures.cycle_id).select_from(joined)
        met = met.where(tables.intents.c.run == self._number, tables.intents.c.job == job, _figures.met)
        newest = met.order_by(_figures.cycle_id.desc()).limit(1).scalar_subquery()
        with self._database.reading() as connection:
            return connection.execute(sa.select(_cycles.at_s).where(_cycles.id == newest)).scalar_one_or_none()

    def decisions(self) -> tuple[DecisionRecord, ...]:
        """Every decision with what came of it, oldest first."""
        with self._database.reading() as connection:
            return read_decisions(connection, self._number)

    def audit(self) -> tuple[AuditEntry, ...]:
        """What people did, oldest first."""
        with self._database.reading() as connection:
            return read_audit(connection, self._number)

    def totals(self, stretch: Stretch) -> Columns:
        """Utility, its lowest within each point, and its maximum."""
        wanted = {
            "utility": sa.func.avg(_cycles.utility),
            "utility_low": sa.func.min(_cycles.utility),
            "max_utility": sa.func.avg(_cycles.max_utility),
        }
        return self._thinned(stretch, tables.cycles, wanted).get("", Columns((), dict.fromkeys(wanted, ())))

    def jobs(self, stretch: Stretch, names: tuple[str, ...] | None = None) -> dict[str, Columns]:
        """What a screen of all tenants needs of each job."""
        share = _figures.utility / tables.intents.c.max_utility
        wanted = {"share": sa.func.avg(share), "met": sa.func.avg(_met()), "slots": sa.func.avg(_figures.threads)}
        return self._of_jobs(stretch, wanted, names)

    def job(self, stretch: Stretch, name: str) -> Columns | None:
        """All that is recorded of one job; None when it was never seen."""
        plain = (
            *("utility", "latency_s", "latency_mean_s", "latency_p50_s", "latency_p95_s", "latency_p99_s"),
            *("juice", "arrival_rps", "processed_rps", "backlog_rows"),
        )
        wanted: dict[str, sa.ColumnElement[Any]] = {column: sa.func.avg(_figures[column]) for column in plain}
        wanted |= {"slots": sa.func.avg(_figures.threads), "met": sa.func.avg(_met())}
        wanted |= {"max_utility": sa.func.avg(tables.intents.c.max_utility)}
        return self._of_jobs(stretch, wanted, (name,)).get(name)

    def machines(self, stretch: Stretch) -> dict[str, Columns]:
        """Load and memory of each machine."""
        wanted = {"load": sa.func.avg(_loads.load), "memory_share": sa.func.avg(_loads.memory_share)}
        joined = tables.machine_figures.join(tables.cycles, _loads.cycle_id == _cycles.id)
        return self._thinned(stretch, joined, wanted, _loads.machine)

    def _of_jobs(
        self, stretch: Stretch, wanted: Mapping[str, sa.ColumnElement[Any]], names: tuple[str, ...] | None
    ) -> dict[str, Columns]:
        joined = tables.job_figures.join(tables.cycles, _figures.cycle_id == _cycles.id)
        joined = joined.join(tables.intents, _figures.intent_id == tables.intents.c.id)
        job = tables.intents.c.job
        return self._thinned(stretch, joined, wanted, job, () if names is None else (job.in_(names),))

    def _thinned(
        self,
        stretch: Stretch,
        source: sa.FromClause,
        wanted: Mapping[str, sa.ColumnElement[Any]],
        by: sa.ColumnElement[Any] | None = None,
        *conditions: tuple[sa.ColumnElement[bool], ...],
    ) -> dict[str, Columns]:
        """The wanted figures in slices of equal length, each stamped with its first cycle."""
        with self._database.reading() as connection:
            window, width_s = self._window(connection, stretch)
            if width_s is None:
                return {}
            group = sa.literal("") if by is None else by
            slot = _slice((_cycles.at_s - window[0]) / width_s, connection.dialect.name)
            selected = sa.select(group, sa.func.min(_cycles.at_s), *wanted.values()).select_from(source)
            bounds = (_cycles.run == self._number, _cycles.at_s >= window[0], _cycles.at_s <= window[1])
            selected = selected.where(*bounds, *(one for many in conditions for one in many))
            grouped = selected.group_by(slot) if by is None else selected.group_by(by, slot)
            found: dict[str, list[tuple[Any, ...]]] = {}
            for name, *row in connection.execute(grouped):
                found.setdefault(name, []).append(tuple(row))
        return {name: _columns(sorted(told), tuple(wanted), width_s) for name, told in found.items()}

    def _window(self, connection: sa.Connection, stretch: Stretch) -> tuple[tuple[float, float], float | None]:
        within = [_cycles.run == self._number]
        within += [] if stretch.from_s is None else [_cycles.at_s >= stretch.from_s]
        within += [] if stretch.to_s is None else [_cycles.at_s <= stretch.to_s]
        wanted = sa.select(sa.func.count(), sa.func.min(_cycles.at_s), sa.func.max(_cycles.at_s)).where(*within)
        count, first, last = connection.execute(wanted).one()
        if not count:
            return (0.0, 0.0), None
        if count <= stretch.points:  # a slice for each cycle
            return (first, last), max((last - first) / count / 100.0, 1e-6)
        return (first, last), (last - first) / stretch.points


def _met() -> sa.ColumnElement[Any]:
    """The share of cycles in which an intent was met, of those that could be judged."""
    return sa.case((_figures.utility.is_(None), None), (_figures.met, 1.0), else_=0.0)


def _slice(place: sa.ColumnElement[Any], dialect: str) -> sa.ColumnElement[Any]:
    # SQLite cuts off what is behind the point, and may lack floor; PostgreSQL rounds, and has it.
    return sa.cast(place, sa.Integer) if dialect == "sqlite" else sa.cast(sa.func.floor(place), sa.Integer)


def _columns(found: list[tuple[Any, ...]], names: tuple[str, ...], width_s: float) -> Columns:
    """Rows as columns; an outage gets a point of Nones, so that no line is drawn across it."""
    gaps = sorted(later[0] - now[0] for now, later in itertools.pairwise(found))
    longest_s = OUTAGE * max(gaps[len(gaps) // 2], width_s) if gaps else float("inf")
    at_s: list[float] = []
    values: list[list[float | None]] = [[] for _ in names]
    for row in found:
        if at_s and row[0] - at_s[-1] > longest_s:
            at_s.append(at_s[-1] + longest_s / OUTAGE)
            for column in values:
                column.append(None)
        at_s.append(row[0])
        for column, value in zip(values, row[1:], strict=True):
            column.append(None if value is None else float(value))
    return Columns(tuple(at_s), dict(zip(names, (tuple(column) for column in values), strict=True)))
