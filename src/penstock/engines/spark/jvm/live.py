"""A real application behind the port: its driver's JVM, reached through PySpark."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from py4j.protocol import Py4JError
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from penstock.engines.lost_executors import Departed
from penstock.engines.spark.application.here import this_machine
from penstock.engines.spark.application.lock import ControllerLease
from penstock.engines.spark.application.python_workers import PythonWorkers
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.jobs.modes import LongLived
from penstock.engines.spark.jobs.query import BatchInterval, Query, TaskPiece
from penstock.engines.spark.jobs.starting import FUNCTION_WITHIN_S
from penstock.engines.spark.jvm import files, pieces, replan, triggers
from penstock.engines.spark.jvm.batch_bound import BatchBounds
from penstock.engines.spark.jvm.callbacks import check_callbacks
from penstock.engines.spark.jvm.checkpoints import checkpoint_of, read_checkpoint
from penstock.engines.spark.jvm.executors import ExecutorLever
from penstock.engines.spark.jvm.features import check_session, tell_missing
from penstock.engines.spark.jvm.gateway_door import check_door
from penstock.engines.spark.jvm.heap import StandaloneHeap
from penstock.engines.spark.jvm.kafka_sources import ArrivalWatch
from penstock.engines.spark.jvm.listener import QueryEvents
from penstock.engines.spark.jvm.machines import ExecutorReader
from penstock.engines.spark.jvm.pools import FairPools
from penstock.engines.spark.jvm.read_limits import ReadLimits
from penstock.engines.spark.jvm.repartition import repartition
from penstock.engines.spark.jvm.routing.pinning import StatePlaces
from penstock.engines.spark.jvm.single_writer import OWNERS
from penstock.engines.spark.jvm.stages import StageReader
from penstock.engines.spark.jvm.starts import start_query, tasks_of
from penstock.engines.spark.port import ExecutorCount, Heap, Places, Pools, Route, RunningBounds, Stages
from penstock.engines.spark.routing.reroute import Routed
from penstock.engines.spark.routing.watch import RouteWatch
from penstock.engines.spark.watch.files import WaitingFiles
from penstock.engines.spark.watch.machines import Executor, Here
from penstock.errors import ApplicationGoneError, EngineError


class LiveSpark:
    """Fulfils `port.Spark`. Queries that it is handed are those that it handed out: PySpark's own."""

    def __init__(self, spark: SparkSession) -> None:
        check_session(spark)
        tell_missing(spark)
        self.session = spark
        context: Any = spark.sparkContext
        self._context = context
        self.application = str(context.applicationId)
        self.name = str(context.appName)
        self.master = str(context.master)
        self.driver_host: str | None = context.getConf().get("spark.driver.host")
        self.slots_each = int(context.getConf().get("spark.executor.cores", "1") or 1)
        self.pools: Pools = FairPools(context)
        self.stages: Stages = StageReader(context)
        self.places: Places = cast(Places, StatePlaces(spark))
        self.executors: ExecutorCount = ExecutorLever(context)
        self.bounds: RunningBounds = cast(RunningBounds, BatchBounds(spark))
        self.heap: Heap | None = StandaloneHeap(context) if self.master.startswith("spark://") else None
        self._reader = ExecutorReader(context)
        self._arrivals = ArrivalWatch()
        self._workers: PythonWorkers | None = None

    def check_alive(self) -> None:
        """See the port."""
        process = getattr(self._context._gateway, "proc", None)
        if process is not None and process.poll() is not None:
            raise ApplicationGoneError(
                f"Spark's JVM has ended with exit code {process.poll()}, and all queries with it"
            )
        scheduler: Any = self._context._jsc
        if scheduler is None or scheduler.sc().isStopped():
            raise ApplicationGoneError("Spark has ended this application, and all queries with it")
        check_callbacks(self._context._gateway)
        check_door(self._context._gateway)

    def ping(self) -> None:
        """See the port."""
        ping(self.session)

    def lease(self, lease_s: float) -> ControllerLease:
        """It lives in the JVM, not in Python, so that it is seen by every driver that shares the application."""
        system: Any = self._context._jvm.java.lang.System
        return ControllerLease(system.getProperties(), self.application, lease_s, lambda: system.nanoTime() / 1e9)

    def events(self, name_pools: bool) -> QueryEvents:
        """See the port."""
        return QueryEvents(self.session, name_pools=name_pools)

    def executor_list(self) -> Sequence[Executor]:
        """See the port."""
        return self._reader.read()

    def departed(self) -> Sequence[Departed]:
        """See the port."""
        return self._reader.departed()

    def here(self) -> Here:
        """See the port."""
        return this_machine()

    def python_cpu_s(self) -> float | None:
        """See the port: of executors on this machine."""
        if self._workers is None:
            jvm: Any = self._context._jvm
            pid = int(jvm.java.lang.ProcessHandle.current().pid())
            self._workers = PythonWorkers(pid, self.application, self.master.startswith("local["))
        return self._workers.cpu_s(executors=len(self._reader.read()))

    def queries(self) -> Sequence[Query]:
        """See the port."""
        return self.session.streams.active

    def error_of(self, query: Query) -> str | None:
        """See the port."""
        jsq: Any = _own(query)._jsq
        error = jsq.exception()
        return str(error.get().cause().toString()) if error.isDefined() else OWNERS.why_stopped(query.runId)

    def waiting_files(self, query: Query) -> WaitingFiles | None:
        """See the port."""
        return files.waiting_files(_own(query))

    def arrivals(self, queries: Mapping[str, Query]) -> Mapping[str, float]:
        """See the port."""
        return self._arrivals.read({name: _own(query) for name, query in queries.items()})

    def interval(self, query: Query) -> BatchInterval | None:
        """See the port."""
        return triggers.interval(_own(query))

    def retrigger(self, query: Query, every_s: float) -> None:
        """See the port."""
        triggers.retrigger(_own(query), every_s)

    def piece(self, query: Query) -> TaskPiece | None:
        """See the port."""
        return pieces.piece(_own(query))

    def cut(self, query: Query, rows: int | None) -> None:
        """See the port."""
        pieces.cut(_own(query), ReadLimits(self.session), rows)

    def partitions(self, query: Query) -> int | None:
        """See the port."""
        try:
            return read_checkpoint(self.session, checkpoint_of(_own(query))).partitions
        except (EngineError, Py4JError):
            return None

    def last_batch(self, query: Query) -> int | None:
        """See the port."""
        return replan.last_batch(_own(query))

    def between_batches(self, query: Query, last: int | None, within_s: float) -> bool:
        """See the port."""
        return replan.between_batches(_own(query), last, within_s)

    def tasks_of(self, job: Job, as_left: bool, within_s: float | None) -> tuple[LongLived, ...]:
        """See the port."""
        return tasks_of(self.session, job, as_left, within_s)

    def start(self, job: Job, within_s: float | None = FUNCTION_WITHIN_S) -> Query:
        """See the port."""
        return start_query(self.session, job, within_s=within_s)

    def start_awaits(self, job: str) -> str | None:
        """See the port."""
        return OWNERS.watches_for(job)

    def restart(self, query: Query, before: Job, after: Job) -> Query:
        """See the port."""
        return replan.restarted(self.session, _own(query), before, after)

    def repartition(self, job: Job, query: Query, partitions: int) -> Query:
        """See the port."""
        return repartition(self.session, job, _own(query), partitions)

    def route(self, job: Job, window_s: float, memory_s: float, since_s: float) -> Route | None:
        """See the port."""
        if job.route is None:
            return None
        return cast(Route, RouteWatch(Routed(self.session, job, job.route), window_s, memory_s, table_since_s=since_s))


def ping(spark: SparkSession) -> None:
    """Return as soon as the session's JVM has answered."""
    context: Any = spark.sparkContext
    context._jvm.java.lang.System.nanoTime()


def _own(query: Query) -> StreamingQuery:
    return cast(StreamingQuery, query)
