"""The threads of a flow on Spark: one job, one task for each thread, alive until the block ends."""

import contextlib
import pickle
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

from pyspark import InheritableThread, cloudpickle
from pyspark.sql import SparkSession

from penstock.core.trial import Task
from penstock.engines.spark.profiling.application import wait_until
from penstock.engines.spark.profiling.exchange import Exchange
from penstock.engines.spark.profiling.flow import Flow
from penstock.engines.spark.profiling.thread import thread_of
from penstock.errors import EngineError

_READY_WITHIN_S = 180.0
_END_WITHIN_S = 60.0


@contextmanager
def crew(spark: SparkSession, flow: Flow, tasks: Mapping[str, Task]) -> Iterator[Exchange]:
    """The exchange of the flow, with all of its threads ready; an EngineError when one of them fails."""
    exchange = Exchange(flow)
    exchange.open()
    job = _Job(spark, exchange.address, flow, tasks)
    job.start()
    try:
        wait_until(lambda: exchange.ready >= job.threads or job.ended, "all threads", _READY_WITHIN_S)
        job.check()
        yield exchange
        job.check()
    finally:
        exchange.close()
        job.end()


class _Job:
    def __init__(self, spark: SparkSession, address: tuple[str, int], flow: Flow, tasks: Mapping[str, Task]) -> None:
        self.threads = sum(flow.threads.values())
        self._spark = spark
        pickler: Any = cloudpickle  # it has no types
        loaders = {name: partial(pickle.loads, pickler.dumps(task)) for name, task in tasks.items()}
        self._function = thread_of(*address, loaders)
        self._error: Exception | None = None
        self._runner = InheritableThread(target=self._run, name="crew")
        self._group = f"penstock-crew-{id(self)}"
        self._over = threading.Event()

    @property
    def ended(self) -> bool:
        return self._over.is_set()

    def start(self) -> None:
        self._runner.daemon = True
        self._runner.start()

    def check(self) -> None:
        if self._error is not None:
            raise EngineError(f"a thread on Spark failed: {_cause(self._error)}") from self._error
        if self.ended:
            raise EngineError("the threads on Spark ended too soon; is there a slot for each of them?")

    def end(self) -> None:
        self._runner.join(_END_WITHIN_S)
        if self._runner.is_alive():
            with contextlib.suppress(Exception):  # the application may be gone already
                self._spark.sparkContext.cancelJobGroup(self._group)

    def _run(self) -> None:
        context = self._spark.sparkContext
        try:
            context.setJobGroup(self._group, "threads of a trial", interruptOnCancel=True)
            context.parallelize(range(self.threads), self.threads).mapPartitions(self._function).count()
        except Exception as error:  # told by check(), in the caller's thread
            self._error = error
        self._over.set()


def _cause(error: Exception) -> str:
    """The line of the Python worker's own error, in Spark's long story."""
    lines = [line.strip() for line in str(error).splitlines()]
    named = [line for line in lines if "Error: " in line and not line.startswith(("at ", "org.", "py4j."))]
    return (named or lines or [type(error).__name__])[-1 if named else 0]
