"""Executors, as the status store lists them."""

import json
from typing import Any

from pyspark import SparkContext

from penstock.engines.lost_executors import Departed
from penstock.engines.spark.watch.machines import Executor, departed_of, executor_of


class ExecutorReader:
    """The living executors, from the status store: 0.4 ms."""

    def __init__(self, context: SparkContext) -> None:
        jvm: Any = context._jvm
        scheduler: Any = context._jsc.sc()
        self._store = scheduler.statusStore()
        self._mapper = jvm.org.apache.spark.status.api.v1.JacksonMessageWriter().mapper()

    def read(self) -> tuple[Executor, ...]:
        """Executors with at least one slot, by id."""
        found = (executor_of(entry) for entry in self._listed(living=True) if entry["totalCores"] > 0)
        return tuple(sorted(found, key=lambda executor: executor.id))

    def departed(self) -> tuple[Departed, ...]:
        """Those that ended: the last hundred, unless the session says otherwise."""
        found = map(departed_of, self._listed(living=False))
        return tuple(one for one in found if one is not None)

    def _listed(self, living: bool) -> list[dict[str, Any]]:
        listed: list[dict[str, Any]] = json.loads(self._mapper.writeValueAsString(self._store.executorList(living)))
        return listed
