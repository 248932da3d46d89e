"""Planned restarts: what a query takes up at its next start only, done at the end of a batch.

Partitions of its state, the bound of its batches, the long-lived tasks of real-time mode.
"""

from collections.abc import Callable
from dataclasses import replace

from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from penstock.core.plan import Change
from penstock.engines.spark.fleet import Fleet
from penstock.engines.spark.jobs import Job, tasks_of
from penstock.engines.spark.real_time import LongLived, check_slots
from penstock.engines.spark.repartition import RepartitionError, repartition
from penstock.engines.spark.replan import RestartError, restarted, stop_after_batch
from penstock.engines.spark.track import Track
from penstock.errors import EngineError

_COMMITS_WITHIN_S = 30.0  # beyond the length of a real-time batch


class PlannedRestarts:
    """Carries them out; `runs` is told of every query that was started, `slots` says how many there are."""

    def __init__(
        self,
        spark: SparkSession,
        fleet: Fleet,
        slots: Callable[[], int],
        runs: Callable[[Track, StreamingQuery], None],
    ) -> None:
        self._spark = spark
        self._fleet = fleet
        self._slots = slots
        self._runs = runs

    def repartition(self, track: Track, partitions: int) -> None:
        """The job's state in so many partitions; the same as now is no reason to restart."""
        query = _query_of(track)
        if partitions < 1:
            raise EngineError(f"{track.job.name}: {partitions} partitions cannot hold a state; ask for at least 1")
        self._repartition(track, track.job, query, partitions)

    def rebound(self, track: Track, rows: int) -> None:
        """Another bound of the job's batches."""
        query = _query_of(track)
        if rows < 1:
            raise EngineError(f"{track.job.name}: a batch of {rows} rows does nothing; ask for at least 1")
        if track.tasks:
            raise EngineError(f"{track.job.name} runs in real-time mode, where a batch has no bound")
        if track.job.max_rows_per_batch == rows:
            return
        job = replace(track.job, max_rows_per_batch=rows)
        try:
            started = restarted(self._spark, query, track.job, job)
        except RestartError as error:
            self._runs(track, error.query)
            raise
        track.job = job
        self._runs(track, started)

    def retask(self, track: Track, change: Change) -> None:
        """Another number of long-lived tasks behind the shuffles of a real-time job."""
        operator = next(operator for operator in track.tasks if operator.operator == change.operator)
        if operator.tasks == change.after:
            return
        if operator.is_source or track.job.real_time is None:
            raise EngineError(
                f"{track.job.name}: its source has as many tasks as its topics have partitions; add those"
            )
        if change.after < 1:
            raise EngineError(f"{track.job.name}: {change.after} tasks do nothing; ask for at least 1")
        query = _query_of(track)
        job = replace(track.job, real_time=replace(track.job.real_time, tasks=change.after))
        tasks = self.room_for(job)
        stop_after_batch(query, track.job.real_time.batch_s + _COMMITS_WITHIN_S)
        track.job, track.tasks, before = job, tasks, (track.job, track.tasks)
        try:
            self._repartition(track, job, query, change.after)
        except EngineError:
            track.job, track.tasks = before
            raise

    def room_for(self, job: Job, as_left: bool = False) -> tuple[LongLived, ...]:
        """The tasks that the job keeps in real-time mode; an EngineError when they do not fit beside the others'."""
        tasks = tasks_of(self._spark, job, as_left)
        if tasks:
            check_slots(job.name, tasks, self._fleet.kept_by_others(job.name), self._slots())
        return tasks

    def _repartition(self, track: Track, job: Job, query: StreamingQuery, partitions: int) -> None:
        try:
            started = repartition(self._spark, job, query, partitions)
        except RepartitionError as error:
            self._runs(track, error.query)
            raise
        if started.runId != track.run_id:
            self._runs(track, started)


def _query_of(track: Track) -> StreamingQuery:
    if track.query is None or track.job.function is None:
        raise EngineError(f"{track.job.name}: only a running query that penstock started can be started as another")
    return track.query
