"""Pinning: partition p of every stateful operator of a query on one executor, so that equal partitions are neighbours.

Spark runs a stateful task where its coordinator last saw the partition's state, and believes whoever reports. So a
report puts a partition where we want it from the next batch on, given some seconds of `spark.locality.wait`. When
Spark went elsewhere all the same, because an executor was busy or lost, the next round reports again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from py4j.protocol import Py4JError
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from penstock.engines.spark.machines import Executor, ExecutorReader
from penstock.engines.spark.routing.placement import assign
from penstock.errors import EngineError

_STORE = "default"


@dataclass(frozen=True, slots=True)
class Pinned:
    """One round: where every partition belongs, and how many operators' partitions had to be sent there."""

    placement: Mapping[int, str]
    repinned: int


class Pinning:
    """Keeps the state partitions of one running query in their places; call `hold` every few batches."""

    def __init__(self, spark: SparkSession) -> None:
        context = spark.sparkContext
        jvm: Any = context._jvm
        self._seq = jvm.PythonUtils.toSeq
        self._uuid = jvm.java.util.UUID
        self._state = jvm.org.apache.spark.sql.execution.streaming.state
        self._coordinator: Any = spark._jsparkSession.streams().stateStoreCoordinator()
        self._reader = ExecutorReader(context)
        self._placement: dict[int, str] = {}

    def hold(self, query: StreamingQuery, loads: Sequence[float] = ()) -> Pinned:
        """Bring every partition to its executor. `loads` are rows by partition; without them all count the same.

        One executor has all partitions anyway, and nothing is done.
        """
        executors = {executor.id: executor for executor in self._reader.read()}
        execution, partitions = self._execution(query), state_partitions(query)
        if len(executors) < 2 or execution is None or not partitions:
            return Pinned({}, 0)
        weights = loads if len(loads) == partitions else [1.0] * partitions
        self._placement = assign(weights, list(executors), self._placement)
        try:
            operators = stateful_operators(query)
            root = execution.checkpointLocation()
            run = self._uuid.fromString(str(query.runId))
            sent = sum(
                self._send(root, run, operator, partition, executors[home])
                for operator in operators
                for partition, home in self._placement.items()
            )
        except Py4JError as error:
            raise EngineError(f"{query.name}: its state could not be pinned; {str(error).splitlines()[0]}") from error
        return Pinned(dict(self._placement), sent)

    def _send(self, root: str, run: Any, operator: int, partition: int, home: Executor) -> int:
        place = self._state.StateStoreProviderId(self._state.StateStoreId(root, operator, partition, _STORE), run)
        seen = self._coordinator.getLocation(place)
        if seen.isDefined() and seen.get() == f"executor_{home.host}_{home.id}":
            return 0
        self._coordinator.reportActiveInstance(place, home.host, home.id, self._seq([]))
        return 1

    def _execution(self, query: StreamingQuery) -> Any:
        jsq: Any = query._jsq
        return jsq.streamingQuery().lastExecution()  # None before the first batch was planned


def stateful_operators(query: StreamingQuery) -> tuple[int, ...]:
    """The ids of the query's stateful operators, as its last progress lists them."""
    progress: Any = query.lastProgress
    return tuple(range(len(progress["stateOperators"]))) if progress else ()


def state_partitions(query: StreamingQuery) -> int:
    """In how many partitions the query keeps its state, as its last progress says; 0 while there is none."""
    progress: Any = query.lastProgress
    return max((found["numShufflePartitions"] for found in progress["stateOperators"]), default=0) if progress else 0
