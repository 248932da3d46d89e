"""The gallery: a run as a screen needs it, thinned, and its newest cycle whole."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import sqlalchemy as sa

from penstock.core.asked.acts import HeardAct
from penstock.core.asked.intents import Intent
from penstock.core.cycle import noted_of
from penstock.core.known.outlook import JobOutlook, RecoveryForetold
from penstock.core.known.prediction import PredictionError
from penstock.core.run import DecisionRecord, RunInfo
from penstock.core.seen.states import UNSEEN, LastLatency, State
from penstock.core.seen.view import JobView, View
from penstock.errors import ConfigError
from penstock.store import tables
from penstock.store.acts import read_acts, read_asked
from penstock.store.archive import AuditEntry
from penstock.store.cells import LATEST_S
from penstock.store.codec import DoesNotFitError
from penstock.store.columns import columns_of
from penstock.store.database import Database
from penstock.store.packing import SpoiltError
from penstock.store.read_runs import (
    NEWEST_TOLD,
    read_audit,
    read_decisions,
    read_newest,
    read_outlooks,
    run_number,
    run_rows,
)
from penstock.store.rows_read import errors_of, id_of, run_info
from penstock.store.slices import Slices
from penstock.store.thinning import Columns, Stretch, Thinning, ToThin

_cycles, _figures, _loads = tables.cycles.c, tables.job_figures.c, tables.machine_figures.c


@dataclass(frozen=True, slots=True)
class Newest:
    """The newest cycle of a run, with the outlooks that hold, by job.

    `note` says what went wrong in the loop, if anything did, and why nothing, or nothing more, was done; `shortfall`
    that no shares meet all intents. `errors` are how far off predictions have been, by job.
    """

    cycle: int
    view: View
    note: str
    outlooks: Mapping[str, JobOutlook] = field(default_factory=dict)
    shortfall: str = ""
    errors: Mapping[str, PredictionError] = field(default_factory=dict)

    def recovery_s(self, job: JobView) -> float | None:
        """How long the job would take to be back to normal, did it fail now; None where nobody worked it out."""
        outlook = self.outlooks.get(job.name)
        return None if outlook is None else outlook.recovery_s(job.figures.threads)

    def recoveries_by_kind(self, job: JobView) -> tuple[RecoveryForetold, ...]:
        """The same for each kind of failure, as its like usually are; nothing where nobody worked it out."""
        outlook = self.outlooks.get(job.name)
        return () if outlook is None else outlook.by_kind


@dataclass(frozen=True, slots=True)
class Length:
    """How many cycles of a run are kept, and when on its clock the first and the last of them were."""

    cycles: int
    first_s: float | None
    last_s: float | None


NO_LENGTH = Length(0, None, None)
_TIMED = sa.case((_cycles.at_s.between(0.0, LATEST_S), _cycles.at_s))  # SQLite keeps words there, too
_LENGTH = (sa.func.count(_TIMED), sa.func.min(_TIMED), sa.func.max(_TIMED))


def lengths(database: Database) -> dict[str, Length]:
    """Those of all runs that have a cycle, by id."""
    length = sa.select(_cycles.run, *_LENGTH).group_by(_cycles.run)
    with database.reading() as connection:
        ids = {row["number"]: id_of(row) for row in run_rows(connection)}
        return {ids[run]: Length(*found) for run, *found in connection.execute(length) if run in ids}


class Gallery:
    """One run, read as often as anybody looks. `kept` spares reading what was read by an earlier gallery."""

    def __init__(self, database: Database, run_id: str, kept: Slices | None = None) -> None:
        self._database = database
        self._run_id = run_id
        self._kept = kept or Slices()

    def _reading(self) -> AbstractContextManager[sa.Connection]:
        return self._database.reading(self._run_id)

    @cached_property
    def _number(self) -> int:
        with self._reading() as connection:
            return run_number(connection, self._run_id)

    @property
    def info(self) -> RunInfo:
        """Which run it is."""
        number = self._number
        with self._reading() as connection:
            wanted = sa.select(*columns_of(connection, tables.runs)).where(tables.runs.c.number == number)
            return run_info(connection.execute(wanted).mappings().one())

    def newest_cycle(self) -> tuple[int, bool] | None:
        """The number of the newest cycle, and whether what came of its steps is told: anything else means news."""
        came = sa.exists().where(tables.step_outcomes.c.cycle_id == _cycles.id)
        newest = sa.select(_cycles.id, came).where(_cycles.run == self._number, _cycles.at_s <= LATEST_S)
        with self._reading() as connection:
            found = connection.execute(newest.order_by(_cycles.at_s.desc()).limit(1)).one_or_none()
        return None if found is None else (found[0], bool(found[1]))

    def newest(self, at_s: float | None = None) -> Newest | None:
        """The newest cycle, or the newest that is not after `at_s`; None where there is none."""
        with self._reading() as connection:
            try:
                found = read_newest(connection, self._number, at_s)
            except DoesNotFitError as error:
                remedy = f"its figures were recorded by another penstock ({error}); look at it with that one"
                raise ConfigError("run", self._run_id, remedy) from None
            if found is None:
                return None
            row, view = found
            outlooks = read_outlooks(connection, self._number, row["id"], row["at_s"])
            errors = {error.job: error for error in errors_of(row)}
            note = noted_of(row["error"], row["note"])
            return Newest(row["id"], view, note, outlooks, row["shortfall"] or "", errors)

    def view_at(self, at_s: float) -> View | None:
        """What was seen in the cycle of that instant; None where it is not kept, or not as this penstock has it."""
        with self._reading() as connection:
            try:
                found = read_newest(connection, self._number, at_s)
            except (DoesNotFitError, SpoiltError):
                return None
        return found[1] if found is not None and found[1].at_s == at_s else None

    def length(self) -> Length:
        """How many cycles there are, and when the first and the last were."""
        with self._reading() as connection:
            return Length(*connection.execute(sa.select(*_LENGTH).where(_cycles.run == self._number)).one())

    def missed_since(self, job: str) -> float | None:
        """When the job had last met its intent, by figures of then; None when it never did."""
        judged = (_figures.met, _figures.fresh, _figures.trouble.is_(None), sa.not_(self._rests()))
        found = self._last(job, *judged)
        return None if found is None else float(found.at_s)

    def last_latency(self, job: str) -> LastLatency | None:
        """The last latency that was known of the job, and when; None when none ever was."""
        found = self._last(job, _figures.latency_s.is_not(None), _figures.fresh)
        return None if found is None else LastLatency(found.latency_s, found.at_s)

    def _last(self, job: str, *conditions: sa.ColumnElement[bool]) -> Any:
        """The newest row of the job for which this holds."""
        joined = tables.job_figures.join(tables.intents, _figures.intent_id == tables.intents.c.id)
        rows = sa.select(_figures.cycle_id, _figures.latency_s).select_from(joined)
        rows = rows.where(tables.intents.c.run == self._number, tables.intents.c.job == job, *conditions)
        newest = rows.order_by(_figures.cycle_id.desc()).limit(1).subquery()
        wanted = sa.select(_cycles.at_s, newest.c.latency_s).where(_cycles.id == newest.c.cycle_id)
        with self._reading() as connection:
            return connection.execute(wanted).one_or_none()

    def acts(self) -> tuple[HeardAct, ...]:
        """What people asked that was heard, oldest first."""
        with self._reading() as connection:
            return read_acts(connection, self._number)

    def asked(self, job: str) -> tuple[tuple[float, Intent], ...]:
        """What the job asked for, from which instant on."""
        with self._reading() as connection:
            return read_asked(connection, self._number, job)

    def decisions(self, newest: int | None = NEWEST_TOLD) -> tuple[DecisionRecord, ...]:
        """The newest decisions with what came of them, oldest first; `EARLIER` stands in the place of all others."""
        with self._reading() as connection:
            return read_decisions(connection, self._number, newest)

    def audit(self) -> tuple[AuditEntry, ...]:
        """What people did, oldest first."""
        with self._reading() as connection:
            return read_audit(connection, self._number)

    def totals(self, stretch: Stretch) -> Columns:
        """Utility, its lowest within each point, its maximum, and the maximum of those that were not starting."""
        wanted = {
            "utility": sa.func.avg(_cycles.utility),
            "utility_low": sa.func.min(_cycles.utility),
            "max_utility": sa.func.avg(_cycles.max_utility),
            "possible_utility": sa.func.avg(self._recorded("cycles", "possible_utility", _cycles.max_utility)),
        }
        found = self._thinning.columns("totals", stretch, ToThin(tables.cycles, wanted))
        return found.get("", Columns((), dict.fromkeys(wanted, ())))

    def jobs(self, stretch: Stretch) -> dict[str, Columns]:
        """What a screen of all tenants needs of each job."""
        share = sa.case((self._rests(), None), else_=_figures.utility / tables.intents.c.max_utility)
        wanted = {"share": sa.func.avg(share), "met": sa.func.avg(self._met()), "slots": sa.func.avg(_figures.threads)}
        wanted["unseen"] = sa.func.avg(self._unseen())
        return self._of_jobs("jobs", stretch, wanted)

    def job(self, stretch: Stretch, name: str) -> Columns | None:
        """All that is recorded of one job; None when it was never seen."""
        plain = (
            *("utility", "latency_s", "latency_mean_s", "latency_p50_s", "latency_p95_s", "latency_p99_s"),
            *("juice", "arrival_rps", "processed_rps", "backlog_rows"),
        )
        wanted: dict[str, sa.ColumnElement[Any]] = {column: sa.func.avg(_figures[column]) for column in plain}
        wanted |= {"slots": sa.func.avg(_figures.threads), "met": sa.func.avg(self._met())}
        wanted |= {"max_utility": sa.func.avg(tables.intents.c.max_utility)}
        return self._of_jobs(f"job {name}", stretch, wanted, tables.intents.c.job == name).get(name)

    def machines(self, stretch: Stretch) -> dict[str, Columns]:
        """Load and memory of each machine."""
        wanted = {"load": sa.func.avg(_loads.load), "memory_share": sa.func.avg(_loads.memory_share)}
        joined = tables.machine_figures.join(tables.cycles, _loads.cycle_id == _cycles.id)
        return self._thinning.columns("machines", stretch, ToThin(joined, wanted, _loads.machine))

    def _of_jobs(
        self,
        key: str,
        stretch: Stretch,
        wanted: Mapping[str, sa.ColumnElement[Any]],
        *conditions: sa.ColumnElement[bool],
    ) -> dict[str, Columns]:
        joined = tables.job_figures.join(tables.cycles, _figures.cycle_id == _cycles.id)
        joined = joined.join(tables.intents, _figures.intent_id == tables.intents.c.id)
        return self._thinning.columns(key, stretch, ToThin(joined, wanted, tables.intents.c.job, conditions))

    def _met(self) -> sa.ColumnElement[Any]:
        """The share of cycles in which an intent was met, of those that could be judged: old figures are no proof."""
        unseen = sa.or_(_figures.utility.is_(None), sa.not_(_figures.fresh), self._rests())
        return sa.case((unseen, None), (sa.and_(_figures.met, _figures.trouble.is_(None)), 1.0), else_=0.0)

    def _rests(self) -> sa.ColumnElement[bool]:
        """Whether nothing was asked of a job."""
        return self._recorded("job_figures", "state", sa.literal("")) == State.RESTING.value

    def _unseen(self) -> sa.ColumnElement[Any]:
        """The share of cycles in which nobody knew how a job did, although somebody should have."""
        state = self._recorded("job_figures", "state", sa.literal(""))
        unseen = sa.or_(sa.not_(_figures.fresh), state.in_([found.value for found in UNSEEN]))
        return sa.case((unseen, 1.0), else_=0.0)

    def _recorded(self, table: str, column: str, otherwise: sa.ColumnElement[Any]) -> sa.ColumnElement[Any]:
        """A column that came later, with what stands for it where it is null or, in a store only read, not there."""
        with self._reading() as connection:
            (found,) = (one for one in columns_of(connection, getattr(tables, table)) if one.name == column)
        return sa.func.coalesce(found, otherwise)

    @property
    def _thinning(self) -> Thinning:
        return Thinning(self._database, self._number, self._kept, self._run_id)
