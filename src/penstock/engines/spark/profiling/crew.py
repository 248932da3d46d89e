"""The threads of a flow on Spark: tasks that live until the block ends.

All in one job, on whatever executors there are; or, with groups, a job for each group on the group's own executor.
"""

import contextlib
import pickle
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from pyspark import RDD, InheritableThread, cloudpickle
from pyspark.sql import SparkSession

from penstock.core.seen.trial import Task
from penstock.engines.spark.profiling.application import EXECUTOR_MEMORY, wait_until
from penstock.engines.spark.profiling.binding import ThreadGroup, bound
from penstock.engines.spark.profiling.exchange import Exchange
from penstock.engines.spark.profiling.flow import TupleFlow
from penstock.engines.spark.profiling.thread import thread_of
from penstock.errors import EngineError

_READY_WITHIN_S = 300.0
_END_WITHIN_S = 60.0


@contextmanager
def crew(
    spark: SparkSession, flow: TupleFlow, tasks: Mapping[str, Task], groups: Sequence[ThreadGroup] = ()
) -> Iterator[Exchange]:
    """The exchange of the flow, with all of its threads ready; an EngineError when one of them fails."""
    exchange = Exchange(flow)
    exchange.open()
    jobs = _jobs(spark, exchange.address, flow, tasks, groups)
    threads = sum(flow.threads.values())
    for job in jobs:
        job.start()
    try:
        wait_until(lambda: exchange.ready >= threads or any(job.ended for job in jobs), "all threads", _READY_WITHIN_S)
        for job in jobs:
            job.check()
        yield exchange
        for job in jobs:
            job.check()
    finally:
        exchange.close()
        for job in jobs:
            job.end()


def _jobs(
    spark: SparkSession,
    address: tuple[str, int],
    flow: TupleFlow,
    tasks: Mapping[str, Task],
    groups: Sequence[ThreadGroup],
) -> "list[_CrewJob]":
    pickler: Any = cloudpickle  # it has no types
    loaders = {name: partial(pickle.loads, pickler.dumps(task)) for name, task in tasks.items()}
    context = spark.sparkContext
    if not groups:
        threads = sum(flow.threads.values())
        return [_CrewJob(context.parallelize(range(threads), threads), thread_of(address, loaders))]
    return [
        _CrewJob(
            bound(context.parallelize(range(group.threads), group.threads), group, EXECUTOR_MEMORY),
            thread_of(address, {group.operator: loaders[group.operator]}, group.operator),
        )
        for group in groups
    ]


class _CrewJob:
    def __init__(self, rdd: "RDD[int]", function: Callable[[Iterable[int]], Iterator[int]]) -> None:
        self._rdd = rdd
        self._function = function
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
                self._rdd.context.cancelJobGroup(self._group)

    def _run(self) -> None:
        try:
            self._rdd.context.setJobGroup(self._group, "threads of a trial", interruptOnCancel=True)
            self._rdd.mapPartitions(self._function).count()
        except Exception as error:  # told by check(), in the caller's thread
            self._error = error
        self._over.set()


def _cause(error: Exception) -> str:
    """The line of the Python worker's own error, in Spark's long story."""
    lines = [line.strip() for line in str(error).splitlines()]
    named = [line for line in lines if "Error: " in line and not line.startswith(("at ", "org.", "py4j."))]
    return (named or lines or [type(error).__name__])[-1 if named else 0]
