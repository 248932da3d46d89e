"""The memory of a standalone cluster's executors: what each has, and the most that a worker could give to one."""

from typing import Any

from pyspark import SparkContext

from penstock.engines.spark.jvm.room import workers_of
from penstock.errors import EngineError

_LOOK_EVERY_S = 300.0  # workers that come and go are seen by then


class StandaloneHeap:
    """Of one application at a standalone master."""

    def __init__(self, context: SparkContext) -> None:
        self._context = context
        self.now_mib = memory_mib(context)
        self._most_mib: int | None = None
        self._looked_s: float | None = None

    def most_mib(self, wall_s: float) -> int | None:
        """The memory of the largest worker that lives, known for five minutes; None while the master does not say."""
        if self._looked_s is None or not 0.0 <= wall_s - self._looked_s < _LOOK_EVERY_S:
            self._looked_s, self._most_mib = wall_s, self._largest()
        return self._most_mib

    def _largest(self) -> int | None:
        try:
            return max((worker.of_mib for worker in workers_of(self._context, str(self._context.master))), default=None)
        except EngineError:
            return None


def memory_mib(context: SparkContext) -> int:
    """Of each executor of the application, as Spark read its settings."""
    scheduler: Any = context._jsc.sc()
    return int(scheduler.executorMemory())
