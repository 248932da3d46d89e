"""Executors up and down at run time, on a cluster manager, without a restart of any query."""

import time
from collections.abc import Callable
from typing import Any

from py4j.protocol import Py4JError
from pyspark import SparkContext

from penstock.engines.spark.jvm.machines import ExecutorReader
from penstock.errors import EngineError

_GROWN_WITHIN_S = 60.0  # 1 s on a warm machine, 15 s when eight JVMs started at once on two cores
_LOOK_EVERY_S = 0.2


def take_allocation(context: SparkContext) -> bool:
    """Have Spark allocate no executors by itself from now on, where it does; whether it did.

    A standalone master gives an application all it may have at once, unless Spark's dynamic allocation is on: that is
    the way to begin with few. Once it has begun the number is penstock's.
    """
    manager: Any = context._jsc.sc().executorAllocationManager()
    if not manager.isDefined():
        return False
    try:
        manager.get().stop()
    except Py4JError as error:
        raise EngineError(f"Spark goes on allocating executors by itself: {error}") from error
    return True


class ExecutorLever:
    """Sets the number of executors of one application; `grown_within_s` is how long new ones may take to come."""

    def __init__(self, context: SparkContext, grown_within_s: float = _GROWN_WITHIN_S) -> None:
        self._context = context
        self._grown_within_s = grown_within_s
        self._jvm: Any = context._jvm
        self._scheduler: Any = context._jsc.sc()
        self._reader = ExecutorReader(context)

    @property
    def scalable(self) -> bool:
        """Whether there is a cluster manager to ask for more or fewer."""
        return not str(self._context.master).startswith("local")

    def count(self) -> int:
        """How many executors live."""
        return len(self._reader.read())

    def scale(self, wanted: int) -> None:
        """Have so many executors, or raise an EngineError and go back to the target there was."""
        before = self.count()
        self._check(wanted)
        try:
            self._target(wanted)
            if wanted < before:
                self._kill(before - wanted)
            self._wait(lambda: self.count() == wanted, f"{wanted} executors")
        except (Py4JError, EngineError) as error:
            self._target(before)
            raise EngineError(
                f"executors {before} -> {wanted} failed, the target is {before} again: {error}"
            ) from error

    def aim(self, wanted: int) -> None:
        """So many are wanted from now on; none is waited for, and none is ended."""
        self._check(wanted)
        self._target(wanted)

    def let_go(self, count: int) -> None:
        """So many of them, the youngest, end; the target must have gone down before."""
        self._kill(count)

    def _check(self, wanted: int) -> None:
        if not self.scalable:
            raise EngineError(f"master {self._context.master} has no executors to scale; use a cluster's master")
        if wanted < 1:
            raise EngineError(f"{wanted} executors cannot run a query; ask for at least 1")

    def _target(self, wanted: int) -> None:
        # The target goes down before anything is killed, or the master replaces the dead.
        empty = self._jvm.scala.collection.immutable.HashMap()
        if not self._scheduler.requestTotalExecutors(wanted, 0, empty):
            raise EngineError("the cluster manager did not acknowledge the new number of executors")

    def _kill(self, count: int) -> None:
        youngest = sorted((executor.id for executor in self._reader.read()), key=int, reverse=True)[:count]
        # SparkContext.killExecutors would lower the target once more: the next executor to be lost would stay away.
        backend = self._scheduler.schedulerBackend()
        backend.killExecutors(self._jvm.PythonUtils.toSeq(youngest), False, False, True)

    def _wait(self, done: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + self._grown_within_s
        while not done():
            if time.monotonic() > deadline:
                raise EngineError(
                    f"no {what} within {self._grown_within_s:.0f} s; the cluster may lack free cores or memory"
                )
            time.sleep(_LOOK_EVERY_S)
