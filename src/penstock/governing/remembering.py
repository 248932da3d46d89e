"""Where a run is remembered: opened, begun or gone on with, and tolerated when it fails."""

import logging
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

from penstock.core.asked.orders import Control, NoControl
from penstock.core.asked.price import Price
from penstock.core.levers import Memory
from penstock.core.run import DecisionRecord, RunInfo
from penstock.core.seen.view import View
from penstock.engines.spark.port import Spark
from penstock.errors import ConfigError, PenstockError
from penstock.loop import LoopSettings
from penstock.store.archive import Archive, StoreError
from penstock.store.cells import MOST, number_within
from penstock.store.control import DeskControl, Standing
from penstock.store.gallery import Gallery
from penstock.store.open import open_store
from penstock.store.sql import SqlStore
from penstock.store.tolerant import Tolerant

DEFAULT_STORE = "default"  # SQLite in the user's state directory

_log = logging.getLogger("penstock")


@dataclass(frozen=True, slots=True)
class Remembering:
    """A store that stands ready for one run. `already_s` is the age of the run that it goes on with."""

    store: Archive
    place: str
    run: RunInfo
    already_s: float
    control: Control = field(default_factory=NoControl)  # where people's requests come in

    @property
    def lost(self) -> bool:
        """Whether the store has failed, and memory stands in for it."""
        return isinstance(self.store, Tolerant) and self.store.down

    def reprice(self, price: Price | None) -> None:
        """See `Archive.reprice`."""
        self.store.reprice(price)

    @property
    def began_epoch_s(self) -> float:
        """When the run began, by the calendar."""
        known_s = self.run.started_at_s
        return time.time() - self.already_s if known_s is None else known_s


def check_age(kept: Remembering | None, now: float) -> None:
    """A RunIsOlderError where the store answers only now, and has rounds of the run that are later than now."""
    store = None if kept is None else kept.store
    if kept is not None and isinstance(store, Tolerant) and store.known_until_s >= now:
        run = store.run or kept.run
        raise RunIsOlderError(replace(kept, run=run, already_s=_age_s(run, store.known_until_s)), now)


class RunIsOlderError(PenstockError):
    """The run is older than it was taken for while its store was away; `kept` is what to go on with."""

    def __init__(self, kept: Remembering, now: float) -> None:
        self.kept = kept
        super().__init__(
            f"the run is {kept.already_s - now:.0f} s older than could be known while its store was away; it goes on "
            "from what is recorded, and the rounds since then are not"
        )


def remember(
    target: Archive | str | Path | None,
    spark: Spark,
    name: str,
    policy: str,
    settings: LoopSettings,
    run_id: str | None = None,
    age_s: float = 0.0,
    price: Price | None = None,
) -> Remembering | None:
    """Open the store and begin the run; None remembers in this process only, and takes no requests.

    The run's id is that of the Spark application: a controller started again in the same application goes on
    from the memory of the one before. With a `run_id` the same holds for an application that took another's place.
    `age_s` is how old the run is at most, for when the store is away and cannot say.
    """
    run = RunInfo(run_id or spark.application, name, policy, "spark", spark.master, time.time(), price)
    return remember_run(target, run, settings, age_s)


def remember_run(
    target: Archive | str | Path | None, run: RunInfo, settings: LoopSettings, age_s: float = 0.0
) -> Remembering | None:
    """The same of a run on any engine."""
    if target is None:
        return None
    place = "the given store"
    sql = target if isinstance(target, SqlStore) else None
    if isinstance(target, str | Path):
        opened = open_store(None if target == DEFAULT_STORE else target)
        place, target, sql = opened.place, opened, opened
    return _remembered(target, sql, place, run, settings, age_s)


def remembered(sql: SqlStore, run: RunInfo, settings: LoopSettings) -> Remembering:
    """Begin the run, or go on with it, in that store."""
    return _remembered(sql, sql, sql.place, run, settings, 0.0)


def _remembered(
    target: Archive, sql: SqlStore | None, place: str, run: RunInfo, settings: LoopSettings, age_s: float
) -> Remembering:
    store = Tolerant(target)
    run = store.begin(run)  # a run that the store knows keeps its start
    if store.down:
        run = replace(run, started_at_s=time.time() - age_s)
    _log.info("run %s is recorded in %s", run.id, place)
    return Remembering(store, place, run, _age_s(run, store.last_at_s or 0.0), _control(sql, run, settings))


def _age_s(run: RunInfo, last_at_s: float) -> float:
    """The clock may have been set back since the run began: no cycle comes before one that is recorded."""
    now_epoch_s = time.time()
    return max(last_at_s, now_epoch_s - (run.started_at_s or now_epoch_s))


@dataclass(frozen=True, slots=True)
class Left:
    """What a driver that died had last: the slots of each job, and the memory of its executors, as far as known."""

    slots: Mapping[str, int] = field(default_factory=dict)
    memory_mib: int | None = None


def left_behind(target: str | Path | None, run_id: str | None) -> Left:
    """What is to be had again in a run that is gone on with; nothing where no store tells of it."""
    if target is None or run_id is None:
        return Left()
    try:
        with closing(open_store(None if target == DEFAULT_STORE else target, create=False)) as store:
            gallery = Gallery(store.database, run_id)
            newest = gallery.newest()
            return Left() if newest is None else _left(newest.view, gallery.decisions(newest=None))
    except (StoreError, ConfigError):  # as in a run's first life; a store that cannot be used is told when it is begun
        return Left()


def _left(view: View, records: Sequence[DecisionRecord]) -> Left:
    slots = {job.name: job.figures.threads for job in view.jobs}
    memory = next((dial.asked or dial.now for dial in view.levers if dial.kind == "memory"), None)
    # What was turned in the newest cycle is in no view yet.
    newest = (record for record in records if record.decision.at_s >= view.at_s and record.outcomes)
    turned = [move for record in newest if not record.errors for move in record.decision.moves]
    memory = next((move.after for move in turned if isinstance(move, Memory)), memory)
    known = number_within(memory, 0.0, MOST)  # another program may have written anything
    return Left(slots, None if known is None else round(known))


def _control(sql: SqlStore | None, run: RunInfo, settings: LoopSettings) -> Control:
    if sql is None:
        return NoControl()
    standing = Standing(settings.interval_s, settings.dry_run, settings.approval)
    control = DeskControl(sql.own_desk, run.id, standing)
    control.arrive()
    return control
