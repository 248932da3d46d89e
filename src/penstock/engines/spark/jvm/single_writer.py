"""One driver writes to a checkpoint: before a query starts there it is locked on a file system, and owned elsewhere."""

from collections.abc import Callable
from threading import Event, Lock
from typing import TypeVar

from pyspark.sql import SparkSession

from penstock.engines.spark.jobs.checkpoint_lock import lock_checkpoint
from penstock.engines.spark.jobs.checkpoint_owner import BEAT_S
from penstock.engines.spark.jobs.query import Query
from penstock.engines.spark.jvm.checkpoint_files import Files
from penstock.engines.spark.jvm.local_files import LocalFiles, files_at
from penstock.engines.spark.jvm.owners import Owners, WatchedError
from penstock.threads import BesideThread

RUN_CONF = "spark.penstock.run"  # the run that this driver goes on with; without it, that of its application alone
OWNERS = Owners()  # of this process, whatever sessions it has

T = TypeVar("T")

_one_by_one = Lock()
_beating: list[BesideThread] = []


def make_ours(spark: SparkSession, checkpoint: str, job: str) -> Files:
    """Before anything is written there; an EngineError where another driver has it, or may have it."""
    files = files_at(spark, checkpoint)
    if isinstance(files, LocalFiles):
        lock_checkpoint(files.root, job)
    else:
        OWNERS.take(job, files, _run_of(spark))
        _begin_beating()
    return files


def check_still_ours(spark: SparkSession, files: Files, job: str) -> None:
    """An EngineError where another driver took what was ours; of a checkpoint that never was nothing is known."""
    if OWNERS.has_had(files):
        OWNERS.take(job, files, _run_of(spark))


def runs_there(files: Files, query: Query) -> None:
    """The query is stopped if another driver takes its checkpoint."""
    if not isinstance(files, LocalFiles):
        OWNERS.runs(files, query)


def once_known(start: Callable[[], T], waits: bool) -> T:
    """What is started once it is known that no other driver lives there, which takes a minute; else raised at once."""
    while True:
        try:
            return start()
        except WatchedError as watched:
            if not waits:
                raise
            OWNERS.wait(watched)


def _run_of(spark: SparkSession) -> str:
    return spark.conf.get(RUN_CONF, None) or str(spark.sparkContext.applicationId)


def _begin_beating() -> None:
    """One thread for all checkpoints, for the life of this process."""
    with _one_by_one:
        if not _beating:
            thread = BesideThread(_beat, "penstock-owners")
            thread.start()
            _beating.append(thread)


def _beat() -> None:
    never = Event()
    while not never.wait(BEAT_S):
        OWNERS.beat()
