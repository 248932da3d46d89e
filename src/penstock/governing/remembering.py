"""Where a run on Spark is remembered: opened, begun or gone on with, and tolerated when it fails."""

import logging
import time
from dataclasses import dataclass, field
from pathlib import Path

from pyspark.sql import SparkSession

from penstock.core.orders import Control, NoControl
from penstock.core.run import RunInfo
from penstock.loop import LoopSettings
from penstock.store.archive import Archive
from penstock.store.control import DeskControl, Standing
from penstock.store.desk import Desk
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


def remember(
    target: Archive | str | Path | None, spark: SparkSession, name: str, policy: str, settings: LoopSettings
) -> Remembering | None:
    """Open the store and begin the run; None remembers in this process only, and takes no requests.

    The run's id is that of the Spark application: a controller started again in the same application goes on
    from the memory of the one before.
    """
    if target is None:
        return None
    place = "the given store"
    desk = target.desk if isinstance(target, SqlStore) else None
    if isinstance(target, str | Path):
        opened = open_store(None if target == DEFAULT_STORE else target)
        place, target, desk = opened.place, opened, opened.desk
    store = Tolerant(target)
    context = spark.sparkContext
    now = time.time()
    run = store.begin(RunInfo(context.applicationId, name, policy, "spark", str(context.master), now))
    _log.info("run %s is recorded in %s", run.id, place)
    return Remembering(store, place, run, max(0.0, now - (run.started_at_s or now)), _control(desk, run, settings))


def _control(desk: Desk | None, run: RunInfo, settings: LoopSettings) -> Control:
    if desk is None:
        return NoControl()
    return DeskControl(desk, run.id, Standing(settings.interval_s, settings.dry_run, settings.approval))
