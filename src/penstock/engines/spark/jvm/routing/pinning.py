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
from pyspark import SparkContext, StatusTracker
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from penstock.engines.spark.jvm.machines import ExecutorReader
from penstock.engines.spark.jvm.stages import stage_words
from penstock.engines.spark.routing.batch_places import BatchAccount, RanJob, RanStage
from penstock.engines.spark.routing.pins import RanTask, Send
from penstock.engines.spark.watch.stages import reading_of
from penstock.errors import EngineError, first_line

_STORE = "default"
_STATEFUL = "State"  # in the names of all that keep state: StateStoreSave, FlatMapGroupsInPandasWithState, ...
_DONE = "SUCCESS"
_ALL = 2**31 - 1  # tasks; of one whose stage lost an executor there are more than it has partitions


class StatePlaces:
    """Fulfils `port.Places`."""

    def __init__(self, spark: SparkSession) -> None:
        context = spark.sparkContext
        jvm: Any = context._jvm
        self._tracker = context.statusTracker()
        self._account = BatchAccount(_Written(context, self._tracker))
        self._seq = jvm.PythonUtils.toSeq
        self._uuid = jvm.java.util.UUID
        self._state = jvm.org.apache.spark.sql.execution.streaming.state
        self._coordinator: Any = spark._jsparkSession.streams().stateStoreCoordinator()
        self._executors = ExecutorReader(context)

    def ran(self, query: StreamingQuery, batch: int) -> Sequence[RanTask] | None:
        """See the port."""
        run = str(query.runId)
        try:
            return self._account.ran(run, self._tracker.getJobIdsForGroup(run), batch)
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

    def _store_of(self, query: StreamingQuery, root: str, operator: int, partition: int) -> Any:
        """What the coordinator calls it."""
        store = self._state.StateStoreId(root, operator, partition, _STORE)
        return self._state.StateStoreProviderId(store, self._uuid.fromString(str(query.runId)))


class _Written:
    """What Spark's status store has of jobs; fulfils `Account`."""

    def __init__(self, context: SparkContext, tracker: StatusTracker) -> None:
        jvm: Any = context._jvm
        scheduler: Any = context._jsc.sc()
        self._tracker = tracker
        self._store = scheduler.statusStore()
        self._mapper = jvm.org.apache.spark.status.api.v1.JacksonMessageWriter().mapper()

    def job(self, number: int) -> RanJob:
        """See Account."""
        info = self._tracker.getJobInfo(number)
        if info is None:
            return RanJob()
        found = (self._stage(stage) for stage in sorted(info.stageIds))
        return RanJob([stage for stage in found if stage is not None], info.status == "RUNNING")

    def tasks(self, stage: RanStage) -> list[RanTask] | None:
        """See Account."""
        reading = stage.reading
        if _STATEFUL not in (stage_words(self._store, reading.stage_id) or ""):
            return []
        listed = self._read(self._store.taskList(reading.stage_id, stage.attempt, _ALL))
        tasks = [RanTask(task["index"], task["executorId"]) for task in listed if task["status"] == _DONE]
        return tasks if len({task.partition for task in tasks}) == reading.tasks else None

    def _stage(self, number: int) -> RanStage | None:
        """None where it did not begin."""
        try:
            document = self._read(self._store.lastStageAttempt(number))
        except Py4JJavaError:
            return None  # it never ran: what it would have made was still there
        reading = reading_of(document)
        if reading is None or document["status"] in ("PENDING", "SKIPPED"):
            return None
        return RanStage(reading, document["attemptId"])

    def _read(self, found: Any) -> Any:
        return json.loads(self._mapper.writeValueAsString(found))


def stateful_operators(query: StreamingQuery) -> tuple[int, ...]:
    """The ids of the query's stateful operators, as its last progress lists them."""
    progress: Any = query.lastProgress
    return tuple(range(len(progress["stateOperators"]))) if progress else ()
