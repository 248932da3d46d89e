"""Planned restarts: what a query takes up at its next start only, done at the end of a batch.

Partitions of its state, the table of its route, the bound of its batches, its trigger, the long-lived tasks of
real-time mode. A real-time batch may last for minutes: its end is awaited between rounds, so that nobody else waits.
"""

import logging
import time
from collections.abc import Callable
from dataclasses import replace

from py4j.protocol import Py4JError
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from penstock.core.levers import Table, Tasks
from penstock.engines.spark.jobs import Job
from penstock.engines.spark.jvm.checkpoints import checkpoint_of, read_checkpoint
from penstock.engines.spark.jvm.repartition import repartition
from penstock.engines.spark.jvm.replan import COMMITS_WITHIN_S, RestartError, between_batches, last_batch, restarted
from penstock.engines.spark.jvm.starts import tasks_of
from penstock.engines.spark.jvm.triggers import trigger_s
from penstock.engines.spark.modes import LongLived, check_slots
from penstock.engines.spark.starting import FUNCTION_WITHIN_S
from penstock.engines.spark.watch.fleet import Fleet
from penstock.engines.spark.watch.track import AwaitedTasks, Track
from penstock.errors import EngineError, first_line

_LOOKS_FOR_S = 1.0  # around the end of a real-time batch; rows of the next one that are read by then are read again

_log = logging.getLogger("penstock.spark")


class PlannedRestarts:
    """Carries them out; `runs` is told of every query that was started, `fails` of what kept one from it.

    `slots` says how many there are, `even` what time it is on a clock that nobody sets.
    """

    def __init__(
        self,
        spark: SparkSession,
        fleet: Fleet,
        slots: Callable[[], int],
        runs: Callable[[Track, StreamingQuery], None],
        fails: Callable[[Track, Exception], None],
        even: Callable[[], float] = time.monotonic,
    ) -> None:
        self._spark = spark
        self._even = even
        self._fleet = fleet
        self._slots = slots
        self._runs = runs
        self._fails = fails

    def repartition(self, track: Track, partitions: int) -> None:
        """The job's state in so many partitions; the same as now is no reason to restart."""
        query = _query_of(track)
        if partitions < 1:
            raise EngineError(f"{track.job.name}: {partitions} partitions cannot hold a state; ask for at least 1")
        self._repartition(track, track.job, query, partitions)

    def partitions(self, track: Track) -> int | None:
        """Those of the job's state; looked up once a run, for they stay. None before its first batch."""
        if track.query is not None and track.batches and track.partitions_of_run != track.run_id:
            try:
                track.partitions = read_checkpoint(self._spark, checkpoint_of(track.query)).partitions
                track.partitions_of_run = track.run_id
            except (EngineError, Py4JError):
                return None  # the next round looks again
        return track.partitions if track.partitions_of_run == track.run_id else None

    def retrigger(self, track: Track, every_s: float) -> None:
        """Batches that begin so often."""
        query = _query_of(track)
        if track.tasks:
            raise EngineError(f"{track.job.name} runs in real-time mode, where no trigger begins a batch")
        if not 0 <= every_s < float("inf"):
            raise EngineError(f"{track.job.name}: a batch every {every_s} s is none; ask for 0 or more seconds")
        if trigger_s(query) == every_s:
            return
        job = replace(track.job, trigger_s=every_s)
        self._restart(track, query, lambda: restarted(self._spark, query, track.job, job))
        track.job = job

    def rebound(self, track: Track, rows: int | None) -> None:
        """Another bound of the job's batches; None gives back what its own function says."""
        query = _query_of(track)
        if rows is not None and rows < 1:
            raise EngineError(f"{track.job.name}: a batch of {rows} rows does nothing; ask for at least 1")
        if track.tasks:
            raise EngineError(f"{track.job.name} runs in real-time mode, where a batch has no bound")
        if track.job.max_rows_per_batch == rows:
            return
        job = replace(track.job, max_rows_per_batch=rows)
        self._restart(track, query, lambda: restarted(self._spark, query, track.job, job))
        track.job = job

    def retask(self, track: Track, move: Tasks, wall_s: float) -> None:
        """Another number of long-lived tasks behind the shuffles of a real-time job, from its next batch on."""
        operator = next(operator for operator in track.tasks if operator.operator == move.operator)
        track.awaited = None
        if operator.tasks == move.after:
            return
        if operator.is_source or track.job.real_time is None:
            raise EngineError(
                f"{track.job.name}: its source has as many tasks as its topics have partitions; add those"
            )
        if move.after < 1:
            raise EngineError(f"{track.job.name}: {move.after} tasks do nothing; ask for at least 1")
        query = _query_of(track)
        job = replace(track.job, real_time=replace(track.job.real_time, tasks=move.after))
        begun_s = max(track.started_s or wall_s, track.batches[-1].committed_s if track.batches else 0.0)
        ends_s = self._even() + begun_s + track.job.real_time.batch_s - wall_s
        track.awaited = AwaitedTasks(job, move.after, self.room_for(job), last_batch(query), ends_s)

    def reroute(self, track: Track, move: Table, wall_s: float) -> None:
        """Another table for the job's route; operators with windows need no restart."""
        watch, query = track.watch, track.query
        if watch is None or query is None:
            raise EngineError(f"{track.job.name}: only a running query with a route is re-routed")
        self._restart(track, query, lambda: watch.carry_out(move, query, wall_s))

    def carry_on(self, track: Track) -> None:
        """Give a real-time job the tasks that it awaits, when its batch has ended or is too late."""
        awaited, query = track.awaited, track.query
        if awaited is None:
            return
        if query is None or not track.runs:
            track.awaited = None  # it died meanwhile, and comes back as it was
            return
        now = self._even()
        if now < awaited.ends_s - _LOOKS_FOR_S:
            return
        late = now > awaited.ends_s + COMMITS_WITHIN_S
        if not between_batches(query, awaited.after_batch, _LOOKS_FOR_S) and not late:
            return
        before = (track.job, track.tasks)
        track.awaited, track.job, track.tasks = None, awaited.job, awaited.tasks
        try:
            self._check(track.job, track.tasks)
            self._repartition(track, track.job, query, awaited.partitions)
        except EngineError as error:
            track.job, track.tasks = before
            _log.warning("%s keeps the tasks that it had: %s", track.job.name, error)

    def room_for(
        self, job: Job, as_left: bool = False, within_s: float | None = FUNCTION_WITHIN_S
    ) -> tuple[LongLived, ...]:
        """The tasks that the job keeps in real-time mode; an EngineError when they do not fit beside the others'."""
        tasks = tasks_of(self._spark, job, as_left, within_s)
        self._check(job, tasks)
        return tasks

    def _check(self, job: Job, tasks: tuple[LongLived, ...]) -> None:
        if tasks:
            check_slots(job.name, tasks, self._fleet.kept_by_others(job.name), self._slots())

    def _repartition(self, track: Track, job: Job, query: StreamingQuery, partitions: int) -> None:
        self._restart(track, query, lambda: repartition(self._spark, job, query, partitions))

    def _restart(self, track: Track, query: StreamingQuery, change: Callable[[], StreamingQuery]) -> None:
        try:
            started = change()
        except RestartError as error:
            self._runs(track, error.query)
            raise
        except Exception as error:  # a tenant's own code may raise anything; the other tenants go on
            if not query.isActive and track.job.function is not None:
                self._fails(track, error)
            if isinstance(error, EngineError):
                raise
            raise EngineError(f"{track.job.name} could not be started again: {first_line(error)}") from error
        if started.runId != track.run_id:
            self._runs(track, started)


def _query_of(track: Track) -> StreamingQuery:
    if track.query is None or track.job.function is None:
        raise EngineError(f"{track.job.name}: only a running query that penstock started can be started as another")
    return track.query
