"""What the store tells of a run while the nemesis is at work: who holds it, its rounds, and what became of acts."""

import json
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field

import sqlalchemy as sa
from chaos_batches import Batches
from chaos_history import Asked, Cycle, Held, History, Struck

from penstock.core.plan import Reason
from penstock.errors import PenstockError
from penstock.store import tables
from penstock.store.desk import Filed
from penstock.store.open import open_store
from penstock.store.sql import SqlStore

RUN = "chaos"


@dataclass(slots=True)
class Watched:
    """Looks now and then; while the store is away nothing is seen."""

    store: str
    run: str = RUN
    batches: Batches | None = None  # of tenants that write any
    held: list[Held] = field(default_factory=list)

    def look(self) -> None:
        """Note who holds the run, and which batches were committed."""
        if self.batches is not None:
            self.batches.look()
        try:
            opened = closing(open_store(self.store, create=False))
            with opened as store, store.database.reading() as connection:
                found = connection.execute(sa.select(tables.writers.c.token, tables.writers.c.epoch)).all()
            self.held.extend(Held(time.time(), token[:8], epoch) for token, epoch in found)
        except PenstockError:  # it is what the nemesis has struck
            return

    def history(self, struck: Sequence[Struck], until_s: float, others: Sequence[str]) -> History:
        """All that is recorded by now; without rounds and acts where the store is away."""
        try:
            with closing(open_store(self.store, create=False)) as store:
                cycles = _cycles(store)
                acts = _acts(store, self.run, {round(at_s, 3): epoch for at_s, epoch in _epochs(store).items()})
        except PenstockError:
            cycles, acts = (), ()
        seen, tenants = ((), ()) if self.batches is None else (tuple(self.batches.seen), self.batches.tenants)
        return History((), tuple(self.held), cycles, seen, tenants, acts, struck, until_s, others)


def _cycles(store: SqlStore) -> tuple[Cycle, ...]:
    of, steps = tables.cycles.c, tables.step_outcomes.c
    count = sa.select(sa.func.count()).where(steps.cycle_id == of.id).scalar_subquery()
    wanted = sa.select(of.epoch_s, of.writer_epoch, of.utility, of.max_utility, count, of.error).order_by(of.id)
    with store.database.reading() as connection:
        found = connection.execute(wanted).all()
    return tuple(
        Cycle(at_s, epoch, utility / most if most else None, steps, error is not None)
        for at_s, epoch, utility, most, steps, error in found
    )


def _epochs(store: SqlStore) -> Mapping[float, int]:
    of = tables.cycles.c
    with store.database.reading() as connection:
        return {at_s: epoch or 0 for at_s, epoch in connection.execute(sa.select(of.at_s, of.writer_epoch))}


def _acts(store: SqlStore, run_id: str, epochs: Mapping[float, int]) -> tuple[Asked, ...]:
    run = store.read_run(run_id)
    done: dict[tuple[str, object], list[int]] = {}
    for record in run.decisions:
        for move in record.decision.moves if record.decision.reason is Reason.ASKED else ():
            epoch = epochs.get(round(record.decision.at_s, 3), 0)
            done.setdefault((f"{move.job} {move.kind}", move.after), []).append(epoch)
    for job, text in _stated(store):
        done[f"{job} intent", text] = [0]
    said = " ".join(note.text for note in run.notes)
    return tuple(_asked(filed, done, said) for filed in store.desk.filed(run_id))


def rerouted(store_url: str, tenant: str) -> int:
    """Of how many re-routings of that tenant it is recorded what came of them; none while the store is away."""
    of = tables.step_outcomes.c
    try:
        with closing(open_store(store_url, create=False)) as store, store.database.reading() as connection:
            found = connection.execute(sa.select(of.changes).where(of.job == tenant)).scalars()
            return sum(move.get("kind") == "table" for changes in found for move in _moves(changes))
    except PenstockError:
        return 0


def _moves(changes: object) -> Sequence[Mapping[str, object]]:
    found = json.loads(changes) if isinstance(changes, str) else changes
    return found if isinstance(found, list) else ()


def _stated(store: SqlStore) -> Sequence[tuple[str, str]]:
    of = tables.intents.c
    with store.database.reading() as connection:
        return [(job, text) for job, text in connection.execute(sa.select(of.job, of.text))]


def _asked(filed: Filed, done: Mapping[tuple[str, object], Sequence[int]], said: str) -> Asked:
    request, taken_at_s = filed.request, filed.taken_at_s
    turn = request.turn
    if request.intent is not None:
        lever = f"{request.job} intent"
        return Asked(filed.number, lever, taken_at_s, tuple(done.get((lever, request.intent.text()), ())))
    if turn is None:  # it holds as soon as it is heard
        return Asked(filed.number, request.act.value, taken_at_s, () if taken_at_s is None else (0,))
    lever = f"{turn.job} {turn.kind}"
    return Asked(filed.number, lever, taken_at_s, tuple(done.get((lever, turn.value), ())), turn.text in said)
