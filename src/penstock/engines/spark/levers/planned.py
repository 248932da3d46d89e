"""Planned restarts: what a query takes up at its next start only, done at the end of a batch.

Partitions of its state, the table of its route, the bound of its batches, its trigger, the long-lived tasks of
real-time mode. A real-time batch may last for minutes: its end is awaited between rounds, so that nobody else waits.
"""

import logging
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from penstock.core.levers import Table, Tasks
from penstock.engines.spark.application.ours import while_ours
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.jobs.modes import LongLived, check_slots
from penstock.engines.spark.jobs.query import Query
from penstock.engines.spark.levers.restarting import Restart, Restarting
from penstock.engines.spark.port import Route
from penstock.engines.spark.state.shared import Shared
from penstock.engines.spark.watch.instructions import LOOKS_FOR_S
from penstock.engines.spark.watch.track import AwaitedTasks, Track
from penstock.errors import EngineError

_log = logging.getLogger("penstock.spark")


def check_interval(job: str, every_s: float) -> None:
    """An EngineError where no batches can begin so often."""
    if not 0 <= every_s < float("inf"):
        raise EngineError(f"{job}: a batch every {every_s} s is none; ask for 0 or more seconds")


class PlannedRestarts:
    """Has them carried out, each beside the rounds. `slots` says how many there are."""

    def __init__(
        self,
        shared: Shared,
        slots: Callable[[], int],
        restarting: Restarting,
    ) -> None:
        self._spark = shared.spark
        self._state = shared.state
        self._lease = shared.lease
        self._clocks = shared.clocks
        self._slots = slots
        self._restarting = restarting
        self._partitions: dict[str, tuple[str, int]] = {}  # by job: in which run they were found

    def repartition(self, job: str, partitions: int) -> None:
        """The job's state in so many partitions; the same as now is no reason to restart."""
        track, query = self._of(job)
        if partitions < 1:
            raise EngineError(f"{job}: {partitions} partitions cannot hold a state; ask for at least 1")
        self._repartition(track.job, query, partitions)

    def partitions(self, track: Track) -> int | None:
        """Those of the job's state; looked up once a run, for they stay. None before its first batch."""
        run_id, found = self._partitions.get(track.job.name, (None, 0))
        if run_id == track.run_id:
            return found
        now = self._spark.partitions(track.query) if track.query is not None and track.batches else None
        if now is not None and track.run_id is not None:
            self._partitions[track.job.name] = (track.run_id, now)
        return now  # None: the next round looks again

    def retrigger(self, job: str, every_s: float) -> None:
        """Batches that begin so often."""
        track, query = self._of(job)
        if track.tasks:
            raise EngineError(f"{job} runs in real-time mode, where no trigger begins a batch")
        check_interval(job, every_s)
        found = self._spark.interval(query)
        if found is None or found.every_s != every_s:
            self._change(track, query, trigger_s=every_s)

    def rebound(self, job: str, rows: int | None) -> None:
        """Another bound of the job's batches; None gives back what its own function says."""
        track, query = self._of(job)
        if rows is not None and rows < 1:
            raise EngineError(f"{job}: a batch of {rows} rows does nothing; ask for at least 1")
        if track.tasks:
            raise EngineError(f"{job} runs in real-time mode, where a batch has no bound")
        if track.job.max_rows_per_batch != rows:
            self._change(track, query, max_rows_per_batch=rows)

    def wake(self, job: str) -> bool:
        """The same query anew, if penstock started it; whether it waits for its next batch by a clock."""
        track = self._state.named(job)
        query, before = track.query, track.job
        if query is None or track.tasks:
            return False
        found = self._spark.interval(query)
        waits = found is not None and found.every_s > 0.0
        if waits and before.function is not None:
            self._restart(job, query, lambda: self._spark.restart(query, self._ours(before), self._ours(before)))
        return waits

    def retask(self, move: Tasks) -> None:
        """Another number of long-lived tasks behind the shuffles of a real-time job, from its next batch on."""
        track = self._state.change(move.job, awaited=None)
        operator = next(operator for operator in track.tasks if operator.operator == move.operator)
        if operator.tasks == move.after:
            return
        if operator.is_source or track.job.real_time is None:
            raise EngineError(f"{move.job}: its source has as many tasks as its topics have partitions; add those")
        if move.after < 1:
            raise EngineError(f"{move.job}: {move.after} tasks do nothing; ask for at least 1")
        _, query = self._of(move.job)
        job, now = replace(track.job, real_time=replace(track.job.real_time, tasks=move.after)), self._clocks.now()
        tasks = tuple(one if one.is_source else replace(one, tasks=move.after) for one in track.tasks)
        self._check(job, tasks)
        begun_s = max(track.started_s or now.wall_s, track.batches[-1].committed_s if track.batches else 0.0)
        ends_s = now.even_s + begun_s + track.job.real_time.batch_s - now.wall_s
        last = self._spark.last_batch(query)
        self._state.change(move.job, awaited=AwaitedTasks(job, move.after, tasks, last, ends_s))

    def reroute(self, move: Table, route: Route, query: Query) -> None:
        """Another table for the job's route; operators with windows need no restart."""
        self._restart(move.job, query, lambda: route.carry_out(move, query, self._clocks.wall()))

    def give_tasks(self, job: str, late: bool) -> None:
        """Give a real-time job the tasks that it awaits, when its batch has ended or is too late."""
        track = self._state.named(job)
        awaited, query = track.awaited, track.query
        if awaited is None or query is None:
            return
        if not self._spark.between_batches(query, awaited.after_batch, LOOKS_FOR_S) and not late:
            return
        self._state.change(job, awaited=None)
        try:
            self._check(awaited.job, awaited.tasks)
            self._with(job, real_time=awaited.job.real_time)
            self._state.change(job, tasks=awaited.tasks)
            self._repartition(awaited.job, query, awaited.partitions, lambda: self._keep_tasks(track))
        except EngineError as error:
            _log.warning("%s keeps the tasks that it had: %s", job, error)

    def _keep_tasks(self, track: Track) -> None:
        self._with(track.job.name, real_time=track.job.real_time)
        self._state.change(track.job.name, tasks=track.tasks)

    def room_for(self, job: Job) -> tuple[LongLived, ...]:
        """The tasks that the job keeps in real-time mode as it was left; an EngineError when they do not fit beside the
        others'. It asks the tenant's function."""
        tasks = self._spark.tasks_of(job, as_left=True, within_s=None)
        self._check(job, tasks)
        return tasks

    def _of(self, job: str) -> tuple[Track, Query]:
        track = self._state.named(job)
        if track.query is None or track.job.function is None:
            raise EngineError(f"{job}: only a running query that penstock started can be started as another")
        return track, track.query

    def _check(self, job: Job, tasks: tuple[LongLived, ...]) -> None:
        if tasks:
            check_slots(job.name, tasks, self._state.fleet.kept_by_others(job.name), self._slots())

    def _change(self, track: Track, query: Query, **fields: Any) -> None:
        before, name = track.job, track.job.name
        after = replace(before, **fields)
        self._restart(
            name,
            query,
            lambda: self._spark.restart(query, self._ours(before), self._ours(after)),
            lambda: self._with(name, **fields),
        )

    def _with(self, job: str, **fields: Any) -> None:
        """What else is asked of the job may have changed meanwhile."""
        self._state.change(job, job=replace(self._state.named(job).job, **fields))

    def _repartition(
        self, job: Job, query: Query, partitions: int, otherwise: Callable[[], object] = lambda: None
    ) -> None:
        change = partial(self._spark.repartition, self._ours(job), query, partitions)
        self._restart(job.name, query, change, otherwise=otherwise)

    def _ours(self, job: Job) -> Job:
        """Left to the next controller where the application is another's by the time that it would be started."""
        return while_ours(self._lease, job)

    def _restart(
        self,
        job: str,
        query: Query,
        change: Callable[[], Query],
        then: Callable[[], object] = lambda: None,
        otherwise: Callable[[], object] = lambda: None,
    ) -> None:
        self._restarting.do(Restart(job, query, change, then, otherwise))
