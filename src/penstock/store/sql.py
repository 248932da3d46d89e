"""A store in SQLite or PostgreSQL: each cycle, with the policy's memory, in one transaction."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import sqlalchemy as sa

from penstock.core.asked.budget import Budget, BudgetWindow
from penstock.core.asked.price import Price
from penstock.core.cycle import Cycle, PastCycle
from penstock.core.ports import PolicyMemory
from penstock.core.run import Run, RunInfo
from penstock.core.seen.view import View
from penstock.errors import ConfigError
from penstock.store import cells, packing, read_runs, rows_read, rows_written, tables
from penstock.store.archive import AuditEntry, StoreError, UnreadableError
from penstock.store.codec import DoesNotFitError
from penstock.store.database import Database
from penstock.store.desk import Desk
from penstock.store.fitting import LeftOut
from penstock.store.intent_rows import intent_ids
from penstock.store.retention import Retention
from penstock.store.route_windows import Window, WrittenWindows
from penstock.store.writing import LastCycle, Writing, take_over

log = logging.getLogger("penstock.store")


class SqlStore:
    """Written by one controller at a time; read by as many as like."""

    def __init__(self, database: Database, retention: Retention | None = None) -> None:
        self._database = database
        self._retention = retention or Retention()
        self._writing: Writing | None = None

    @property
    def place(self) -> str:
        """Where it is, fit to be shown."""
        return self._database.place

    @property
    def desk(self) -> Desk:
        """Where people ask something of its controllers."""
        return Desk(self._database)

    @property
    def own_desk(self) -> Desk:
        """That of the controller whose run we write: what it does there is refused once another one has its run."""
        return Desk(self._database, self.check_writer)

    @property
    def database(self) -> Database:
        """For those that read figures in ways of their own."""
        return self._database

    def begin(self, run: RunInfo) -> RunInfo:
        with self._database.writing() as connection:
            known = connection.execute(sa.select(tables.runs).where(tables.runs.c.id == run.id)).mappings().first()
            if known is None:
                number = _new_id(connection, tables.runs, rows_written.run_row(run))
                last_at_s = None
            else:
                number, run = known["number"], replace(run, started_at_s=_began_s(known["started_at_s"], run))
                if self._writing is not None and self._writing.info.id == run.id:
                    self._writing.refuse_to_follow_another(connection, number, self._database)
                connection.execute(
                    tables.runs.update().where(tables.runs.c.number == number).values(rows_written.run_row(run))
                )
                _drop_timeless(connection, number, run.id)
                newest = sa.select(sa.func.max(tables.cycles.c.at_s)).where(tables.cycles.c.run == number)
                last_at_s = connection.execute(newest).scalar_one()
            token, epoch = take_over(connection, number)
        self._writing = Writing(run, number, token, epoch, last_at_s, WrittenWindows(number), self._database.file)
        log.info("this process writes run %s in epoch %d", run.id, epoch)
        return run

    def reprice(self, price: Price | None) -> None:
        run = self._begun()
        with self._database.writing() as connection:
            self.check_writer(connection)
            row = rows_written.run_row(replace(run.info, price=price))
            connection.execute(tables.runs.update().where(tables.runs.c.number == run.number).values(row))
        run.info = replace(run.info, price=price)

    @property
    def last_at_s(self) -> float | None:
        return self._begun().last_at_s

    def check_writer(self, connection: sa.Connection) -> None:
        """A TakenOverError once another driver has begun the run that we write; else none can while this one writes."""
        self._begun().check(connection, self._database)

    def check_ours(self) -> None:
        with self._database.writing() as connection:
            self.check_writer(connection)

    def append(self, cycle: Cycle) -> None:
        run = self._begun()
        last, run.last = run.last, None
        if last is None or not last.becomes(cycle) or not self._complete(last, cycle):
            self._write(cycle)

    def announce(self, cycle: Cycle) -> None:
        self.append(cycle)

    def _complete(self, last: LastCycle, cycle: Cycle) -> bool:
        """Add what came of it; the figures of a fleet are there since it was announced. False where it is gone."""
        cycles, run, number = tables.cycles, self._begun(), last.number
        with self._database.writing() as connection:
            self.check_writer(connection)
            there = cycles.update().where(cycles.c.id == number, cycles.c.run == run.number)
            if not connection.execute(there.values(error=_error(cycle.error, last.said))).rowcount:
                return False
            outcomes = rows_written.outcome_rows(cycle.outcome.steps, number)
            if outcomes:
                connection.execute(tables.step_outcomes.insert(), outcomes)
            return True

    def _write(self, cycle: Cycle) -> None:
        """All of it, in the place of what there is of that instant."""
        run = self._begun()
        with self._database.writing() as connection:
            self.check_writer(connection)
            if run.last_at_s is not None and cycle.at_s <= run.last_at_s:  # it was announced before
                connection.execute(_cycle_at(run.number, cycle.at_s))
            ids = intent_ids(connection, run, cycle.view)
            left_out = LeftOut()
            number, windows = self._insert(connection, cycle, ids, left_out)
            _write_windows(connection, rows_written.window_rows(cycle.view, _windows_name(run.info)))
            if cycle.memory != run.memories.get(cycle.policy):
                _write_memory(connection, run.number, cycle, left_out)
            _say(connection, number, cycle.error, left_out.said)
            if run.appended % self._retention.every == 0:
                self._retention.prune(connection, run.number, _epoch_s(run.info, cycle.at_s), cycle.at_s)
        # Only what was committed is taken as known.
        run.wrote(cycle, ids)
        run.windows.known = windows
        run.last = LastCycle(number, cycle, left_out.said)
        if left_out.said and not run.says_less:
            log.warning("%g s: %s", cycle.at_s, "; ".join(left_out.said))
        run.says_less = bool(left_out.said)

    def last_memory(self, policy: str, memory_type: type[PolicyMemory]) -> PolicyMemory | None:
        run = self._begun()
        wanted = sa.select(tables.memories.c.body).where(
            tables.memories.c.run == run.number, tables.memories.c.policy == policy
        )
        try:
            with self._database.reading(run.info.id) as connection:
                body = connection.execute(wanted).scalar_one_or_none()
                return None if body is None else packing.unpacked_whole(body, memory_type)
        except UnreadableError as error:
            log.warning("the stored memory of policy %s no longer fits (%s); it starts afresh", policy, error)
            return None

    def past_cycles(self, decided_from_s: float, before_s: float) -> tuple[PastCycle, ...]:
        run = self._begun()
        try:
            with self._database.reading(run.info.id) as connection:
                return tuple(read_runs.read_past_cycles(connection, run.number, decided_from_s, before_s))
        except UnreadableError as error:
            log.warning("the rounds of run %s no longer fit (%s); their decisions are left", run.info.id, error)
            return ()

    def windows(self, job: str, asked: Budget, at_epoch_s: float) -> tuple[BudgetWindow, ...]:
        kept, run = tables.budget_windows.c, self._begun()
        with self._database.reading(run.info.id) as connection:
            wanted = sa.select(kept.from_s, kept.good, kept.bad, kept.unknown, kept.idle).where(
                kept.name == _windows_name(run.info),
                kept.job == job,
                kept.windows_s == asked.windows_s,
                kept.from_s.between(at_epoch_s - asked.over_s, at_epoch_s),
            )
            return tuple(BudgetWindow(*row) for row in connection.execute(wanted.order_by(kept.from_s)))

    def runs(self) -> tuple[RunInfo, ...]:
        with self._database.reading() as connection:
            return tuple(rows_read.run_info(row) for row in read_runs.run_rows(connection))

    def jobs(self, run_id: str) -> tuple[str, ...]:
        """The names of all jobs that were ever seen in the run."""
        with self._database.reading(run_id) as connection:
            known = sa.select(tables.intents.c.job).where(
                tables.intents.c.run == read_runs.run_number(connection, run_id)
            )
            return tuple(sorted(set(connection.execute(known).scalars())))

    def read_run(self, run_id: str) -> Run:
        with self._database.reading(run_id) as connection:
            return read_runs.read_run(connection, read_runs.run_number(connection, run_id))

    def views(self, run_id: str) -> Iterator[View]:
        with self._database.reading(run_id) as connection:
            try:
                yield from read_runs.read_views(connection, read_runs.run_number(connection, run_id))
            except DoesNotFitError as error:
                remedy = f"its figures were recorded by another penstock ({error}); read it with that one"
                raise ConfigError("run", run_id, remedy) from None

    def audit(self, run_id: str) -> tuple[AuditEntry, ...]:
        """What people did to the run's controller, oldest first."""
        with self._database.reading(run_id) as connection:
            return read_runs.read_audit(connection, read_runs.run_number(connection, run_id))

    def close(self) -> None:
        self._database.close()

    def _begun(self) -> Writing:
        if self._writing is None:
            raise StoreError(f"store {self.place}: no run was begun; call begin() first")
        return self._writing

    def _insert(
        self, connection: sa.Connection, cycle: Cycle, ids: Mapping[str, int], left_out: LeftOut
    ) -> tuple[int, list[Window]]:
        run, view, plan = self._begun(), cycle.view, cycle.plan
        row = rows_written.cycle_row(cycle, run.number, run.info.started_at_s, left_out)
        row["writer_epoch"] = run.epoch
        cycle_id = _new_id(connection, tables.cycles, row)
        for table, found in (
            (tables.job_figures, [rows_written.job_row(job, cycle_id, ids[job.name]) for job in view.jobs]),
            (tables.machine_figures, [rows_written.machine_row(machine, cycle_id) for machine in view.machines]),
            (tables.decisions, rows_written.decision_rows(plan.decisions, cycle_id, left_out)),
            (tables.step_outcomes, rows_written.outcome_rows(cycle.outcome.steps, cycle_id)),
            (tables.verdicts, rows_written.verdict_rows(plan.verdicts, cycle_id)),
            (tables.outlooks, rows_written.outlook_rows(plan.outlooks, cycle_id)),
            (tables.deeds, rows_written.deed_rows(view.deeds, cycle_id)),
        ):
            if found:
                connection.execute(table.insert(), found)
        return cycle_id, run.windows.write(connection, view.routes, cycle_id)


def _began_s(known_s: object, run: RunInfo) -> float | None:
    """When a run began that is gone on with; just now where what is recorded can be no instant."""
    if known_s is None:
        return None
    found = cells.number_within(known_s, 0.0, cells.LATEST_EPOCH_S)
    return run.started_at_s if found is None else found


def _drop_timeless(connection: sa.Connection, run: int, name: str) -> None:
    """Let go of cycles at instants that are none: each would be the newest for ever, and no clock would go on.

    SQLite keeps words in a column of numbers, too, and has them after all numbers.
    """
    cycles = tables.cycles.c
    gone = connection.execute(tables.cycles.delete().where(cycles.run == run, cycles.at_s > cells.LATEST_S)).rowcount
    if gone:
        log.warning("run %s: rounds that were recorded at instants that are none are dropped: %d", name, gone)


def _write_memory(connection: sa.Connection, run: int, cycle: Cycle, left_out: LeftOut) -> None:
    body = left_out.unless_too_large("the policy's memory is", lambda: packing.packed(cycle.memory))
    if body is None:  # whoever governs next goes on with what was recorded before
        return
    memories = tables.memories
    key = {"run": run, "policy": cycle.policy}
    values = {"at_s": cycle.at_s, "body": body}
    here = [memories.c[name] == value for name, value in key.items()]
    if connection.execute(memories.update().where(*here).values(values)).rowcount == 0:
        connection.execute(memories.insert().values(**key, **values))


def _say(connection: sa.Connection, number: int, error: str | None, left_out: Sequence[str]) -> None:
    if left_out:
        cycle = tables.cycles.update().where(tables.cycles.c.id == number)
        connection.execute(cycle.values(error=_error(error, left_out)))


def _error(error: str | None, left_out: Sequence[str]) -> str | None:
    """What went wrong in a round, and what of it is not written."""
    return "; ".join(filter(None, (error, *left_out))) or None


def _windows_name(info: RunInfo) -> str:
    """Runs of one name go on with each other's budgets; simulated time is a run's own."""
    return info.id if info.started_at_s is None else info.name


def _write_windows(connection: sa.Connection, found: Sequence[rows_written.TableRow]) -> None:
    """In the place of what was known of these windows."""
    if not found:
        return
    table, keys = tables.budget_windows, ("name", "job", "windows_s", "from_s")
    same = sa.and_(*(table.c[key] == sa.bindparam(f"the_{key}") for key in keys))
    connection.execute(table.delete().where(same), [{f"the_{key}": row[key] for key in keys} for row in found])
    connection.execute(table.insert(), list(found))


def _cycle_at(run: int, at_s: float) -> sa.Delete:
    return tables.cycles.delete().where(tables.cycles.c.run == run, tables.cycles.c.at_s == at_s)


def _epoch_s(info: RunInfo, at_s: float) -> float | None:
    return None if info.started_at_s is None else info.started_at_s + at_s


def _new_id(connection: sa.Connection, table: sa.Table, row: rows_written.TableRow) -> int:
    key = next(iter(table.primary_key.columns))
    return int(connection.execute(table.insert().values(row).returning(key)).scalar_one())
