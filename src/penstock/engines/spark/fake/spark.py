"""The fake application: jobs start, batches are committed and queries die on command."""

from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

from penstock.engines.lost_executors import Departed
from penstock.engines.spark.application.lock import ControllerLease
from penstock.engines.spark.clocks import Clocks
from penstock.engines.spark.fake.documents import progress, timestamp
from penstock.engines.spark.fake.parts import (
    FakeBounds,
    FakeEvents,
    FakeExecutors,
    FakePlaces,
    FakePools,
    FakeStages,
    Properties,
    own,
)
from penstock.engines.spark.fake.query import FakeQuery
from penstock.engines.spark.fake.writer import FakeWriter
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.jobs.modes import LongLived
from penstock.engines.spark.jobs.query import BatchInterval, Query, RestartError, TaskPiece
from penstock.engines.spark.jobs.starting import FUNCTION_WITHIN_S, called
from penstock.engines.spark.port import Heap, Route
from penstock.engines.spark.watch.events import Event, Idled, Progressed, Started, Terminated
from penstock.engines.spark.watch.files import WaitingFiles
from penstock.engines.spark.watch.machines import Executor, Here
from penstock.engines.spark.watch.stages import StageReading
from penstock.errors import ApplicationGoneError, EngineError, first_line

_BEGAN_S = 1_700_000_000.0
_TOOK_S = 0.1  # a batch, of the second that passes with it
_SHUFFLE_PARTITIONS = 2
COMMON_POOL = "one for all"


class FakeSpark:
    """One application of so many slots; with `executors` on a cluster that gives at most so many of two slots each."""

    name = "fake"
    driver_host: str | None = "127.0.0.1"

    def __init__(
        self, slots: int = 4, executors: int | None = None, heap: Heap | None = None, application: str = "fake"
    ) -> None:
        self.application = application
        self.now_s: float = _BEGAN_S
        self.alive = True
        self.master: str = f"local[{slots}]" if executors is None else "spark://fake"
        self.slots_each: int = slots if executors is None else 2
        self.pools: FakePools = FakePools()
        self.stages: FakeStages = FakeStages()
        self.executors: FakeExecutors = FakeExecutors(self.slots_each, executors or 1, executors, lambda: self.now_s)
        self.places: FakePlaces = FakePlaces(self.executors)
        self.bounds: FakeBounds = FakeBounds()
        self.heap = heap
        self.properties: Properties = Properties()
        self.routes: dict[str, Route] = {}  # by job: what a test puts there
        self.waiting: dict[str, WaitingFiles] = {}  # by job
        self.arrived: dict[str, float] = {}  # by job
        self.cuttable: set[str] = set()  # jobs whose tasks can be cut smaller
        self.awaited: dict[str, str] = {}  # what its start waits for, by job
        self.workers_cpu_s: float | None = 0.0  # of Python; None: nobody can see them
        self._queries: list[FakeQuery] = []
        self._listeners: list[tuple[FakeEvents, bool]] = []
        self._partitions: dict[str, int] = {}  # of each job's state: checkpoints outlive queries
        self._next_batch: dict[str, int] = {}
        self._runs = count(1)
        self._stage_ids = count(1)

    # What a test does with it.

    @property
    def clocks(self) -> Clocks:
        """Both tell the fake's own time."""
        return Clocks(lambda: self.now_s, lambda: self.now_s)

    def pass_time(self, seconds: float) -> None:
        """It is later, and nothing happened."""
        self.now_s += seconds

    def writer(self, **how: Any) -> FakeWriter:
        """What a job's function returns."""
        return FakeWriter(**how)

    def query(self, name: str) -> FakeQuery:
        """The running query of that name."""
        return next(query for query in self._queries if query.name == name)

    def commit(
        self,
        name: str,
        rows: int = 100,
        waits: int = 0,
        took_s: float = _TOOK_S,
        busy_s: float = 0.1,
        workers_cpu_s: float = 0.0,
    ) -> None:
        """A second passes, at whose end the query commits a batch of so many rows; so many more wait at its source.

        Its stages kept slots busy for so long together, half of that on a core; Python workers had one for so long.
        """
        self.now_s += 1.0
        query = self.query(name)
        if query.writer.fails is not None:
            query.fail(query.writer.fails)
            return
        if query.bound is not None and rows > query.bound:
            rows, waits = query.bound, waits + rows - query.bound
        if self.workers_cpu_s is not None:
            self.workers_cpu_s += workers_cpu_s
        number, began_s = query.next_batch, self.now_s - took_s
        query.next_batch = self._next_batch[name] = number + 1
        query.committed.append(number)
        self._read_stages(query, number, rows, busy_s)
        self.places.batch(name, number, [tasks for stage, tasks in query.writer.stages if "State" in stage])
        state = query.writer.partitions is not None
        self._tell(Progressed(progress(name, query.runId, number, began_s, took_s, rows, waits, state)))

    def commit_all(self, rows: int = 100) -> None:
        """Each query that runs, one after the other."""
        for query in list(self._queries):
            if query.name is not None:
                self.commit(query.name, rows)

    def idle(self, name: str) -> None:
        """The query finds nothing to do."""
        self._tell(Idled(self.query(name).runId, timestamp(self.now_s)))

    def fail(self, name: str, error: str) -> None:
        """The query dies of that."""
        self.query(name).fail(error)

    def start_foreign(self, name: str, **how: Any) -> FakeQuery:
        """Somebody else starts a query: in the pool of its name, where a listener puts it there."""
        return self._run(name, FakeWriter(**how), Job(name))

    def taken_over(self) -> None:
        """Another controller has the application from now on."""
        for key in self.properties:
            self.properties[key] = "another@9999999999999.0"

    # The port.

    def check_alive(self) -> None:
        """See the port."""
        if not self.alive:
            raise ApplicationGoneError("Spark has ended this application, and all queries with it")

    def ping(self) -> None:
        """See the port."""

    def lease(self, lease_s: float) -> ControllerLease:
        """See the port."""
        return ControllerLease(self.properties, self.application, lease_s, lambda: self.now_s)

    def events(self, name_pools: bool) -> FakeEvents:
        """See the port."""
        made = FakeEvents()
        self._listeners.append((made, name_pools))
        return made

    def executor_list(self) -> Sequence[Executor]:
        """See the port."""
        return self.executors.listed()

    def departed(self) -> Sequence[Departed]:
        """See the port."""
        return self.executors.gone

    def here(self) -> Here:
        """See the port."""
        return Here(cores=2, load=0.5, memory_share=0.5)

    def python_cpu_s(self) -> float | None:
        """See the port."""
        return self.workers_cpu_s

    def queries(self) -> Sequence[Query]:
        """See the port."""
        return list(self._queries)

    def error_of(self, query: Query) -> str | None:
        """See the port."""
        return own(query).error

    def waiting_files(self, query: Query) -> WaitingFiles | None:
        """See the port."""
        return self.waiting.get(query.name or "")

    def arrivals(self, queries: Mapping[str, Query]) -> Mapping[str, float]:
        """See the port."""
        return {name: self.arrived[name] for name in queries if name in self.arrived}

    def interval(self, query: Query) -> BatchInterval | None:
        """It can always be turned."""
        return BatchInterval(own(query).trigger_s, turns=True)

    def retrigger(self, query: Query, every_s: float) -> None:
        """See the port."""
        own(query).trigger_s = every_s

    def piece(self, query: Query) -> TaskPiece | None:
        """Of those that a test says can be cut."""
        return TaskPiece(own(query).piece, by_people=False) if query.name in self.cuttable else None

    def cut(self, query: Query, rows: int | None) -> None:
        """See the port."""
        own(query).piece = rows

    def partitions(self, query: Query) -> int | None:
        """See the port."""
        return self._partitions.get(query.name or "")

    def last_batch(self, query: Query) -> int | None:
        """See the port."""
        return own(query).committed[-1] if own(query).committed else None

    def between_batches(self, query: Query, last: int | None, within_s: float) -> bool:
        """A batch is committed the moment it is begun."""
        return True

    def tasks_of(self, job: Job, as_left: bool, within_s: float | None) -> tuple[LongLived, ...]:
        """See the port."""
        if job.real_time is None:
            return ()
        kept = self._partitions.get(job.name) if as_left else None
        source = LongLived("source", self._made(job, within_s).topic_partitions, is_source=True)
        return source, LongLived("aggregate", kept or job.real_time.tasks or _SHUFFLE_PARTITIONS)

    def start_awaits(self, job: str) -> str | None:
        """What a test says."""
        return self.awaited.get(job)

    def start(self, job: Job, within_s: float | None = FUNCTION_WITHIN_S) -> Query:
        """See the port."""
        return self._run(job.name, self._made(job, within_s), job)

    def restart(self, query: Query, before: Job, after: Job) -> Query:
        """See the port."""
        query.stop()
        try:
            return self.start(after)
        except Exception as error:
            why = f"{after.name}: it continues unchanged; {first_line(error)}"
            raise RestartError(why, self.start(before)) from error

    def repartition(self, job: Job, query: Query, partitions: int) -> Query:
        """See the port."""
        if self._partitions.get(job.name) == partitions:
            return query
        query.stop()
        if job.name not in self._partitions:
            why = f"{job.name}: it runs on with the partitions it had; its checkpoint holds no state"
            raise RestartError(why, self.start(job))
        self._partitions[job.name] = partitions
        return self.start(job)

    def route(self, job: Job, window_s: float, memory_s: float, since_s: float) -> Route | None:
        """See the port."""
        return self.routes.get(job.name)

    # Inside.

    def _made(self, job: Job, within_s: float | None) -> FakeWriter:
        function = job.function
        if function is None:
            raise EngineError(f"{job.name}: penstock did not start this query, so it cannot start it again")

        def make() -> object:
            return function(self)  # type: ignore[arg-type]  # functions for the fake are handed the fake

        made = make() if within_s is None else called(f"{job.name}: its function", make, within_s)
        if not isinstance(made, FakeWriter):
            raise EngineError(f"{job.name}: its function returned {type(made).__name__}; return a FakeWriter")
        return made

    def _run(self, name: str, writer: FakeWriter, job: Job) -> FakeQuery:
        named = job.own_pool and (
            job.function is not None or any(one.attached and pools for one, pools in self._listeners)
        )
        trigger_s = writer.trigger_s if job.trigger_s is None else job.trigger_s
        query = FakeQuery(
            name, f"run-{next(self._runs)}", writer, name if named else COMMON_POOL, trigger_s, self._ended
        )
        query.bound, query.next_batch = job.max_rows_per_batch, self._next_batch.get(name, 0)
        if writer.partitions is not None:
            self._partitions.setdefault(name, job.partitions or writer.partitions)
        self._queries.append(query)
        self._tell(Started(query.runId, name, timestamp(self.now_s)))
        for events, _ in self._listeners:
            if events.attached and events.begins is not None:
                events.begins(query)
        return query

    def _ended(self, query: FakeQuery, error: str | None) -> None:
        self._queries.remove(query)
        self._tell(Terminated(query.runId, error))

    def _tell(self, event: Event) -> None:
        for events, _ in self._listeners:
            if events.attached:
                events.heard.append(event)

    def _read_stages(self, query: FakeQuery, number: int, rows: int, busy_s: float) -> None:
        each_s = busy_s / len(query.writer.stages)
        for name, tasks in query.writer.stages:
            reading = StageReading(
                stage_id=next(self._stage_ids),
                run_id=query.runId,
                batch_id=number,
                pool=query.pool,
                tasks=tasks,
                busy_s=each_s,
                cpu_s=each_s / 2,
                rows_in=rows,
                rows_out=rows,
                shuffle_local_bytes=0,
                shuffle_remote_bytes=0,
                complete=True,
                submitted_s=self.now_s - each_s,
                completed_s=self.now_s,
            )
            self.stages.readings.append((reading, name))
