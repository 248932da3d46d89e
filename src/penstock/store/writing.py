"""The run that a process writes: who may write it, and what of it is known to be in the database.

Who begins a run gets a token and an epoch, which only rises, and writes as long as its token is the newest: a driver
whose run another one has taken up is told so before it acts again, for what it means to do is written first. The check
is in the transaction that writes, and nobody can take the run over between the two: whoever comes next waits for the
transaction's end, however long the driver was stopped in its midst, or PostgreSQL ends the transaction.
"""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import sqlalchemy as sa

from penstock.core.asked.intents import Intent
from penstock.core.cycle import Cycle
from penstock.core.ports import PolicyMemory
from penstock.core.run import RunInfo
from penstock.errors import TakenOverError
from penstock.store import tables
from penstock.store.archive import FileGoneError
from penstock.store.database import Database
from penstock.store.route_windows import WrittenWindows

# A process that stands still in a transaction would keep everybody else from the run for as long: the session ends.
STOPPED_AT_MOST_MS = 10_000


@dataclass(slots=True)
class Writing:
    """The run that is being written, and what of it is known to be in the database."""

    info: RunInfo
    number: int
    token: str
    epoch: int
    last_at_s: float | None
    windows: WrittenWindows
    file: tuple[int, int] | None = None  # that it is written into, where it is a file
    appended: int = 0
    last: "LastCycle | None" = None
    says_less: bool = False  # than there was in its last round: warned of once
    intents: dict[str, tuple[Intent, int]] = field(default_factory=dict)
    memories: dict[str, PolicyMemory] = field(default_factory=dict)

    def wrote(self, cycle: Cycle, intent_ids: Mapping[str, int]) -> None:
        self.last_at_s = cycle.at_s
        self.appended += 1
        self.memories[cycle.policy] = cycle.memory
        for job in cycle.view.jobs:
            self.intents[job.name] = (job.intent, intent_ids[job.name])

    def check(self, connection: sa.Connection, database: Database) -> None:
        """A TakenOverError once another driver has begun this run; else none can while this transaction lasts.

        In SQLite one transaction writes at a time; in PostgreSQL the row is held until the transaction's end.
        """
        if self.file != database.file:
            told = f"the file was deleted or replaced while run {self.info.id} was written into it"
            raise FileGoneError(f"store {database.place}: {told}")
        if connection.dialect.name == "postgresql":
            connection.execute(sa.text(f"SET LOCAL idle_in_transaction_session_timeout = {STOPPED_AT_MOST_MS}"))
        held = sa.select(tables.writers.c.token).where(tables.writers.c.run == self.number).with_for_update(read=True)
        found = connection.execute(held).scalar_one_or_none()
        if found is not None and found != self.token:
            raise _taken_over(self.info.id)

    def refuse_to_follow_another(self, connection: sa.Connection, number: int, database: Database) -> None:
        """A TakenOverError where a file came in the place of the one that we wrote, and a later driver has the run."""
        writers = tables.writers.c
        if self.file == database.file:
            return
        wanted = sa.select(writers.epoch).where(writers.run == number, writers.token != self.token)
        if (connection.execute(wanted).scalar_one_or_none() or 0) > self.epoch:
            raise _taken_over(self.info.id)


@dataclass(frozen=True, slots=True)
class LastCycle:
    """The last cycle that was written; perhaps it was announced, and what came of it follows."""

    number: int
    cycle: Cycle
    said: Sequence[str]  # of what was left out of it

    def becomes(self, cycle: Cycle) -> bool:
        """Whether it is the same one, with what came of it. Its parts are the same objects: comparing them is cheap."""
        before = self.cycle
        return not before.outcome.steps and replace(before, outcome=cycle.outcome, error=cycle.error) == cycle


def take_over(connection: sa.Connection, run: int) -> tuple[str, int]:
    """The newest token, and its epoch; whoever writes under the one before has ended its transaction."""
    token, writers = uuid.uuid4().hex, tables.writers
    risen = {"token": token, "epoch": sa.func.coalesce(writers.c.epoch, 0) + 1}
    changed = writers.update().where(writers.c.run == run).values(risen).returning(writers.c.epoch)
    epoch = connection.execute(changed).scalar_one_or_none()
    if epoch is None:
        epoch = 1
        connection.execute(writers.insert().values(run=run, token=token, epoch=epoch))
    return token, int(epoch)


def _taken_over(run_id: str) -> TakenOverError:
    return TakenOverError(f"another driver has taken up run {run_id}; this one stops acting")
