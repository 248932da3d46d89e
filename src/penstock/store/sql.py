"""A store in SQLite or PostgreSQL: each cycle, with the policy's memory, in one transaction.

Who begins a run gets a token and an epoch, which only rises, and writes as long as its token is the newest: a driver
whose run another one has taken up is told so before it acts again, for what it means to do is written first. The check
is in the transaction that writes, and nobody can take the run over between the two: whoever comes next waits for the
transaction's end, however long the driver was stopped in its midst, or PostgreSQL ends the transaction.
"""

import logging
import uuid
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import sqlalchemy as sa

from penstock.core.budget import Budget, BudgetWindow
from penstock.core.cycle import Cycle, PastRound
from penstock.core.intents import Intent
from penstock.core.ports import PolicyMemory
from penstock.core.price import Price
from penstock.core.run import Run, RunInfo
from penstock.core.view import JobView, View
from penstock.errors import ConfigError, TakenOverError
from penstock.store import cells, packing, reading, rows_read, rows_written, tables
from penstock.store.archive import AuditEntry, FileGoneError, StoreError, UnreadableError, check_told
from penstock.store.codec import DoesNotFitError
from penstock.store.database import Database
from penstock.store.desk import Desk
from penstock.store.fitting import LeftOut
from penstock.store.intent_codec import encode_intent
from penstock.store.retention import Retention
from penstock.store.route_windows import Window, WrittenWindows

log = logging.getLogger("penstock.store")

_FEW = 100  # jobs, that one statement may name
# A process that stands still in a transaction would keep everybody else from the run for as long: the session ends.
STOPPED_AT_MOST_MS = 10_000


class SqlStore:
    """Written by one controller at a time; read by as many as like."""

    def __init__(self, database: Database, retention: Retention | None = None) -> None:
        self._database = database
        self._retention = retention or Retention()
        self._writing: _Writing | None = None

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
                self._refuse_to_follow_another(connection, number, run.id)
                connection.execute(
                    tables.runs.update().where(tables.runs.c.number == number).values(rows_written.run_row(run))
                )
                _drop_timeless(connection, number, run.id)
                newest = sa.select(sa.func.max(tables.cycles.c.at_s)).where(tables.cycles.c.run == number)
                last_at_s = connection.execute(newest).scalar_one()
            token, epoch = _take_over(connection, number)
        self._writing = _Writing(run, number, token, epoch, last_at_s, WrittenWindows(number), self._database.file)
        log.info("this process writes run %s in epoch %d", run.id, epoch)
        return run

    def _refuse_to_follow_another(self, connection: sa.Connection, number: int, run_id: str) -> None:
        """A TakenOverError where a file came in the place of the one that we wrote, and a later driver has the run."""
        ours, writers = self._writing, tables.writers.c
        if ours is None or ours.info.id != run_id or ours.file == self._database.file:
            return
        wanted = sa.select(writers.epoch).where(writers.run == number, writers.token != ours.token)
        if (connection.execute(wanted).scalar_one_or_none() or 0) > ours.epoch:
            raise _taken_over(run_id)

    def reprice(self, price: Price | None) -> None:
        run = self._begun()
        with self._database.writing() as connection:
            self.check_writer(connection)
            row = rows_written.run_row(replace(run.info, price=price))
            connection.execute(tables.runs.update().where(tables.runs.c.number == run.number).values(row))
        run.info = replace(run.info, price=price)

    @property
    def last_at_s(self) -> float | None:
        """The instant of the newest cycle of the run that is written; None before there is one."""
        return self._begun().last_at_s

    def check_writer(self, connection: sa.Connection) -> None:
        """A TakenOverError once another driver has begun the run that we write; else none can while this one writes.

        In SQLite one transaction writes at a time; in PostgreSQL the row is held until the transaction's end.
        """
        run = self._begun()
        if run.file != self._database.file:
            told = f"the file was deleted or replaced while run {run.info.id} was written into it"
            raise FileGoneError(f"store {self.place}: {told}")
        if connection.dialect.name == "postgresql":
            connection.execute(sa.text(f"SET LOCAL idle_in_transaction_session_timeout = {STOPPED_AT_MOST_MS}"))
        held = sa.select(tables.writers.c.token).where(tables.writers.c.run == run.number).with_for_update(read=True)
        found = connection.execute(held).scalar_one_or_none()
        if found is not None and found != run.token:
            raise _taken_over(run.info.id)

    def append(self, cycle: Cycle) -> None:
        run = self._begun()
        last, run.last = run.last, None
        if last is None or not last.becomes(cycle) or not self._complete(last, cycle):
            self._write(cycle)

    def announce(self, cycle: Cycle) -> None:
        self.append(cycle)

    def _complete(self, last: "_LastCycle", cycle: Cycle) -> bool:
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
            intent_ids = _intent_ids(connection, run, cycle.view)
            left_out = LeftOut()
            number, windows = self._insert(connection, cycle, intent_ids, left_out)
            _write_windows(connection, rows_written.window_rows(cycle.view, _windows_name(run.info)))
            if cycle.memory != run.memories.get(cycle.policy):
                _write_memory(connection, run.number, cycle, left_out)
            _say(connection, number, cycle.error, left_out.said)
            if run.appended % self._retention.every == 0:
                self._retention.prune(connection, run.number, _epoch_s(run.info, cycle.at_s))
        # Only what was committed is taken as known.
        run.wrote(cycle, intent_ids)
        run.windows.known = windows
        run.last = _LastCycle(number, cycle, left_out.said)
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

    def rounds(self, decided_from_s: float, before_s: float) -> tuple[PastRound, ...]:
        run = self._begun()
        try:
            with self._database.reading(run.info.id) as connection:
                return tuple(reading.read_rounds(connection, run.number, decided_from_s, before_s))
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
            return tuple(rows_read.run_info(row) for row in reading.run_rows(connection))

    def jobs(self, run_id: str) -> tuple[str, ...]:
        """The names of all jobs that were ever seen in the run."""
        with self._database.reading(run_id) as connection:
            known = sa.select(tables.intents.c.job).where(
                tables.intents.c.run == reading.run_number(connection, run_id)
            )
            return tuple(sorted(set(connection.execute(known).scalars())))

    def read_run(self, run_id: str) -> Run:
        with self._database.reading(run_id) as connection:
            return reading.read_run(connection, reading.run_number(connection, run_id))

    def views(self, run_id: str) -> Iterator[View]:
        with self._database.reading(run_id) as connection:
            try:
                yield from reading.read_views(connection, reading.run_number(connection, run_id))
            except DoesNotFitError as error:
                remedy = f"its figures were recorded by another penstock ({error}); replay it with that one"
                raise ConfigError("run", run_id, remedy) from None

    def add_audit(self, entry: AuditEntry) -> None:
        run = self._begun()
        check_told(who=entry.who, act=entry.act, detail=entry.detail)
        values = {name: getattr(entry, name) for name in ("at_epoch_s", "who", "act", "detail")}
        with self._database.writing() as connection:
            self.check_writer(connection)
            connection.execute(tables.audit.insert().values(run=run.number, **values))

    def audit(self, run_id: str) -> tuple[AuditEntry, ...]:
        with self._database.reading(run_id) as connection:
            return reading.read_audit(connection, reading.run_number(connection, run_id))

    def close(self) -> None:
        self._database.close()

    def _begun(self) -> "_Writing":
        if self._writing is None:
            raise StoreError(f"store {self.place}: no run was begun; call begin() first")
        return self._writing

    def _insert(
        self, connection: sa.Connection, cycle: Cycle, intent_ids: Mapping[str, int], left_out: LeftOut
    ) -> tuple[int, list[Window]]:
        run, view, plan = self._begun(), cycle.view, cycle.plan
        row = rows_written.cycle_row(cycle, run.number, run.info.started_at_s, left_out)
        row["writer_epoch"] = run.epoch
        cycle_id = _new_id(connection, tables.cycles, row)
        for table, found in (
            (tables.job_figures, [rows_written.job_row(job, cycle_id, intent_ids[job.name]) for job in view.jobs]),
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


@dataclass(frozen=True, slots=True)
class _LastCycle:
    """The last cycle that was written; perhaps it was announced, and what came of it follows."""

    number: int
    cycle: Cycle
    said: Sequence[str]  # of what was left out of it

    def becomes(self, cycle: Cycle) -> bool:
        """Whether it is the same one, with what came of it. Its parts are the same objects: comparing them is cheap."""
        before = self.cycle
        return not before.outcome.steps and replace(before, outcome=cycle.outcome, error=cycle.error) == cycle


@dataclass(slots=True)
class _Writing:
    """The run that is being written, and what of it is known to be in the database."""

    info: RunInfo
    number: int
    token: str
    epoch: int
    last_at_s: float | None
    windows: WrittenWindows
    file: tuple[int, int] | None = None  # that it is written into, where it is a file
    appended: int = 0
    last: _LastCycle | None = None
    says_less: bool = False  # than there was in its last round: warned of once
    intents: dict[str, tuple[Intent, int]] = field(default_factory=dict)
    memories: dict[str, PolicyMemory] = field(default_factory=dict)

    def wrote(self, cycle: Cycle, intent_ids: Mapping[str, int]) -> None:
        self.last_at_s = cycle.at_s
        self.appended += 1
        self.memories[cycle.policy] = cycle.memory
        for job in cycle.view.jobs:
            self.intents[job.name] = (job.intent, intent_ids[job.name])


def _taken_over(run_id: str) -> TakenOverError:
    return TakenOverError(f"another driver has taken up run {run_id}; this one stops acting")


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


def _take_over(connection: sa.Connection, run: int) -> tuple[str, int]:
    """The newest token, and its epoch; whoever writes under the one before has ended its transaction."""
    token, writers = uuid.uuid4().hex, tables.writers
    risen = {"token": token, "epoch": sa.func.coalesce(writers.c.epoch, 0) + 1}
    changed = writers.update().where(writers.c.run == run).values(risen).returning(writers.c.epoch)
    epoch = connection.execute(changed).scalar_one_or_none()
    if epoch is None:
        epoch = 1
        connection.execute(writers.insert().values(run=run, token=token, epoch=epoch))
    return token, int(epoch)


def _intent_ids(connection: sa.Connection, run: _Writing, view: View) -> dict[str, int]:
    """The row of each job's intent; a new row for a new job, or an intent that was changed."""
    ids: dict[str, int] = {}
    new: list[JobView] = []
    for job in view.jobs:
        known = run.intents.get(job.name)
        if known and known[0] == job.intent:
            ids[job.name] = known[1]
        else:
            new.append(job)
    return {**ids, **_new_intent_ids(connection, run.number, new)} if new else ids


def _new_intent_ids(connection: sa.Connection, run: int, jobs: Sequence[JobView]) -> dict[str, int]:
    """Of jobs that are new, or whose intents are: all looked up at once, for a fleet's first round has thousands."""
    wanted = {job.name: (job.name, encode_intent(job.intent)) for job in jobs}
    known = _stored_intents(connection, run, wanted)
    rows_ = [
        {"run": run, "job": name, "body": body, "text": job.intent.text(), "max_utility": job.max_utility}
        for job in jobs
        for name, body in [wanted[job.name]]
        if (name, body) not in known
    ]
    if rows_:
        connection.execute(tables.intents.insert(), rows_)
        known = _stored_intents(connection, run, wanted)
    return {name: known[key] for name, key in wanted.items()}


def _stored_intents(connection: sa.Connection, run: int, names: Collection[str]) -> dict[tuple[str, str], int]:
    """Rows by job and intent: of a few jobs theirs, of many all that there are."""
    of = tables.intents.c
    job = sa.type_coerce(of.job, sa.Text)  # whole: it is compared
    wanted = sa.select(job, of.body, of.id).where(of.run == run).order_by(of.id.desc())
    if len(names) <= _FEW:
        wanted = wanted.where(of.job.in_(sorted(names)))
    return {(job, body): number for job, body, number in connection.execute(wanted)}


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
