"""Where a run on Spark is remembered: opened, begun or gone on with, and tolerated when it fails."""

import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pyspark.sql import SparkSession

from penstock.core.orders import Control, NoControl
from penstock.core.run import RunInfo
from penstock.loop import LoopSettings
from penstock.store.archive import Archive
from penstock.store.control import DeskControl, Standing
from penstock.store.desk import Desk
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
    slots: Mapping[str, int] = field(default_factory=dict)  # what each job had last, in a run that is gone on with


def remember(
    target: Archive | str | Path | None,
    spark: SparkSession,
    name: str,
    policy: str,
    settings: LoopSettings,
    run_id: str | None = None,
) -> Remembering | None:
    """Open the store and begin the run; None remembers in this process only, and takes no requests.

    The run's id is that of the Spark application: a controller started again in the same application goes on
    from the memory of the one before. With a `run_id` the same holds for an application that took another's place.
    """
    if target is None:
        return None
    place = "the given store"
    sql = target if isinstance(target, SqlStore) else None
    if isinstance(target, str | Path):
        opened = open_store(None if target == DEFAULT_STORE else target)
        place, target, sql = opened.place, opened, opened
    store = Tolerant(target)
    context = spark.sparkContext
    now = time.time()
    run = store.begin(RunInfo(run_id or context.applicationId, name, policy, "spark", str(context.master), now))
    _log.info("run %s is recorded in %s", run.id, place)
    already_s = max(0.0, now - (run.started_at_s or now))
    desk = None if sql is None else sql.desk
    slots = {} if sql is None or run_id is None else _last_slots(sql, run)
    return Remembering(store, place, run, already_s, _control(desk, run, settings), slots)


def _last_slots(store: SqlStore, run: RunInfo) -> Mapping[str, int]:
    newest = Gallery(store.database, run.id).newest()
    return {} if newest is None else {job.name: job.figures.threads for job in newest.view.jobs}


def _control(desk: Desk | None, run: RunInfo, settings: LoopSettings) -> Control:
    if desk is None:
        return NoControl()
    return DeskControl(desk, run.id, Standing(settings.interval_s, settings.dry_run, settings.approval))
