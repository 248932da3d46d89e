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

from penstock.engines.spark.jvm.machines import ExecutorReader
from penstock.engines.spark.routing.placement import assign
from penstock.engines.spark.watch.machines import Executor
from penstock.errors import EngineError

_STORE = "default"


@dataclass(frozen=True, slots=True)
class Pinned:
    """One round: where every partition belongs, and how many operators' partitions had to be sent there.

    `homes` are the executors on which partitions were last; one that an operator has elsewhere than another is absent.
    """

    placement: Mapping[int, str]
    repinned: int
    homes: Mapping[int, Executor]


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

    def hold(self, query: StreamingQuery, loads: Sequence[float] = (), *, move: bool = True) -> Pinned:
        """Bring every partition to its executor. `loads` are rows by partition; without them all count the same.

        One executor has all partitions anyway, and nothing is done; nor is it without `move`, which only looks.
        """
        executors = {executor.id: executor for executor in self._reader.read()}
        execution, partitions = self._execution(query), state_partitions(query)
        if execution is None or not partitions or not executors:
            return Pinned({}, 0, {})
        if len(executors) == 1:
            return Pinned({}, 0, dict.fromkeys(range(partitions), next(iter(executors.values()))))
        try:
            stores = self._stores(query, execution.checkpointLocation(), partitions)
            seen = {place: self._seen(store) for place, store in stores.items()}
            homes = _homes(seen, executors)
            if not move:
                return Pinned({}, 0, homes)
            weights = loads if len(loads) == partitions else [1.0] * partitions
            self._placement = assign(weights, list(executors), self._placement)
            astray = [place for place, home in seen.items() if home != self._placement[place[1]]]
            for place in astray:
                home = executors[self._placement[place[1]]]
                self._coordinator.reportActiveInstance(stores[place], home.host, home.id, self._seq([]))
        except Py4JError as error:
            raise EngineError(f"{query.name}: its state could not be pinned; {str(error).splitlines()[0]}") from error
        return Pinned(dict(self._placement), len(astray), homes)

    def _stores(self, query: StreamingQuery, root: str, partitions: int) -> dict[tuple[int, int], Any]:
        """What the coordinator calls each operator's partitions."""
        run = self._uuid.fromString(str(query.runId))
        ids, provider = self._state.StateStoreId, self._state.StateStoreProviderId
        return {
            (operator, partition): provider(ids(root, operator, partition, _STORE), run)
            for operator in stateful_operators(query)
            for partition in range(partitions)
        }

    def _seen(self, store: Any) -> str | None:
        """The executor that reported it last, "executor_<host>_<id>" to Spark."""
        location = self._coordinator.getLocation(store)
        return str(location.get()).rpartition("_")[2] if location.isDefined() else None

    def _execution(self, query: StreamingQuery) -> Any:
        jsq: Any = query._jsq
        return jsq.streamingQuery().lastExecution()  # None before the first batch was planned


def _homes(seen: Mapping[tuple[int, int], str | None], executors: Mapping[str, Executor]) -> dict[int, Executor]:
    by_partition: dict[int, set[str | None]] = {}
    for (_, partition), home in seen.items():
        by_partition.setdefault(partition, set()).add(home)
    agreed = {partition: next(iter(found)) for partition, found in by_partition.items() if len(found) == 1}
    return {partition: executors[home] for partition, home in agreed.items() if home is not None and home in executors}


def stateful_operators(query: StreamingQuery) -> tuple[int, ...]:
    """The ids of the query's stateful operators, as its last progress lists them."""
    progress: Any = query.lastProgress
    return tuple(range(len(progress["stateOperators"]))) if progress else ()


def state_partitions(query: StreamingQuery) -> int:
    """In how many partitions the query keeps its state, as its last progress says; 0 while there is none."""
    progress: Any = query.lastProgress
    return max((found["numShufflePartitions"] for found in progress["stateOperators"]), default=0) if progress else 0
