"""Where the state partitions of a query are: told of the tasks that ran, and told to Spark's coordinator.

Spark runs a stateful task where its coordinator last saw the partition's state, and believes whoever reports. So a
report puts a partition where we want it from the next batch on, given some seconds of `spark.locality.wait`. An
executor that runs a task reports for itself: what is sent holds if no task of the partition has begun meanwhile, and
is best sent just after a batch.
"""

import json
from collections.abc import Sequence
from itertools import product
from typing import Any

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from penstock.engines.spark.jvm.machines import ExecutorReader
from penstock.engines.spark.jvm.stages import stage_words
from penstock.engines.spark.routing.pins import RanTask, Send
from penstock.engines.spark.watch.stages import StageReading, reading_of
from penstock.errors import EngineError, first_line

_STORE = "default"
_STATEFUL = "State"  # in the names of all that keep state: StateStoreSave, FlatMapGroupsInPandasWithState, ...
_DONE = "SUCCESS"


class StatePlaces:
    """Fulfils `port.Places`."""

    def __init__(self, spark: SparkSession) -> None:
        context = spark.sparkContext
        jvm: Any = context._jvm
        scheduler: Any = context._jsc.sc()
        self._tracker = context.statusTracker()
        self._store = scheduler.statusStore()
        self._mapper = jvm.org.apache.spark.status.api.v1.JacksonMessageWriter().mapper()
        self._seq = jvm.PythonUtils.toSeq
        self._uuid = jvm.java.util.UUID
        self._state = jvm.org.apache.spark.sql.execution.streaming.state
        self._coordinator: Any = spark._jsparkSession.streams().stateStoreCoordinator()
        self._executors = ExecutorReader(context)
        self._last_jobs: dict[str | None, int] = {}  # by query: it has no job of a later batch up to this one

    def ran(self, query: StreamingQuery, batch: int) -> Sequence[RanTask] | None:
        """See the port."""
        known = self._last_jobs.get(query.name, -1)
        try:
            jobs = sorted(job for job in self._tracker.getJobIdsForGroup(str(query.runId)) if job > known)
            return self._of_jobs(query, jobs, batch)
        except Py4JError as error:
            raise EngineError(
                f"{query.name}: it cannot be told where batch {batch} ran; {first_line(error)}"
            ) from error

    def send(self, query: StreamingQuery, sends: Sequence[Send]) -> None:
        """See the port."""
        living = {executor.id: executor for executor in self._executors.read()}
        jsq: Any = query._jsq
        try:
            root = jsq.streamingQuery().lastExecution().checkpointLocation()
            there = [(send.partition, living[send.executor]) for send in sends if send.executor in living]
            for operator, (partition, home) in product(stateful_operators(query), there):
                store = self._store_of(query, root, operator, partition)
                self._coordinator.reportActiveInstance(store, home.host, home.id, self._seq([]))
        except Py4JError as error:
            raise EngineError(f"{query.name}: its state could not be pinned; {first_line(error)}") from error

    def _of_jobs(self, query: StreamingQuery, jobs: Sequence[int], batch: int) -> list[RanTask] | None:
        found: list[RanTask] = []
        for job in jobs:
            stages, runs = self._stages(job)
            number = max((reading.batch_id for reading, _ in stages), default=None)
            if (number is not None and number > batch) or (number is None and runs and found):
                break  # the next batch has begun
            if runs or any(not reading.complete for reading, _ in stages):
                return None  # Spark writes down what happened a little after it did
            self._last_jobs[query.name] = job
            for reading, attempt in stages if number == batch else ():
                tasks = self._tasks(reading, attempt)
                if tasks is None:
                    return None
                found += tasks
        return found

    def _stages(self, job: int) -> tuple[list[tuple[StageReading, int]], bool]:
        """Those of a job that began, with the numbers of their attempts, and whether the job runs."""
        info = self._tracker.getJobInfo(job)
        if info is None:
            return [], False
        found = []
        for stage in sorted(info.stageIds):
            try:
                document = self._read(self._store.lastStageAttempt(stage))
            except Py4JJavaError:
                continue  # it never ran: what it would have made was still there
            reading = reading_of(document)
            if reading is not None and document["status"] not in ("PENDING", "SKIPPED"):
                found.append((reading, document["attemptId"]))
        return found, info.status == "RUNNING"

    def _tasks(self, reading: StageReading, attempt: int) -> list[RanTask] | None:
        """The tasks of a stage that keeps state, none of another; None while some are not written down."""
        if _STATEFUL not in (stage_words(self._store, reading.stage_id) or ""):
            return []
        listed = self._read(self._store.taskList(reading.stage_id, attempt, 2 * reading.tasks))
        tasks = [RanTask(task["index"], task["executorId"]) for task in listed if task["status"] == _DONE]
        return tasks if len({task.partition for task in tasks}) == reading.tasks else None

    def _read(self, found: Any) -> Any:
        return json.loads(self._mapper.writeValueAsString(found))

    def _store_of(self, query: StreamingQuery, root: str, operator: int, partition: int) -> Any:
        """What the coordinator calls it."""
        store = self._state.StateStoreId(root, operator, partition, _STORE)
        return self._state.StateStoreProviderId(store, self._uuid.fromString(str(query.runId)))


def stateful_operators(query: StreamingQuery) -> tuple[int, ...]:
    """The ids of the query's stateful operators, as its last progress lists them."""
    progress: Any = query.lastProgress
    return tuple(range(len(progress["stateOperators"]))) if progress else ()
