"""Executors up and down at run time, on a cluster manager, without a restart of any query.

Down goes by decommission where the session is set to it: an executor runs its last tasks, sends what it holds to others
and ends. One that takes too long is ended, and so is any at once in a session that is not set to it.
"""

import logging
import time
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from py4j.protocol import Py4JError
from pyspark import SparkContext

from penstock.engines.spark.application.leaving import LEAVES_WITHIN_S, parting
from penstock.engines.spark.jvm.class_homes import there
from penstock.engines.spark.jvm.machines import ExecutorReader
from penstock.errors import EngineError, first_line

_INFO = "org.apache.spark.scheduler.ExecutorDecommissionInfo"
DECOMMISSION = "spark.decommission.enabled"  # without it executors ignore that they are to leave

_log = logging.getLogger("penstock.spark")


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
    """Sets the number of executors of one application; those that leave are ended after `leaves_within_s`."""

    def __init__(self, context: SparkContext, leaves_within_s: float = LEAVES_WITHIN_S) -> None:
        self._context = context
        self._leaves_within_s = leaves_within_s
        self._leave_since_s: Mapping[str, float] = {}
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

    def aim(self, wanted: int) -> None:
        """So many are wanted from now on; none is waited for, and none is ended."""
        self._check(wanted)
        self._target(wanted)

    def let_go(self, stay: int) -> None:
        """All but so many leave, the youngest first; the target must have gone down before.

        To be asked again as long as there are too many: whoever took too long is ended then. How many are to go is not
        for the caller to say: one that leaves may be gone by now, and another would leave in its place.
        """
        living = [executor.id for executor in self._reader.read()]
        within_s = self._leaves_within_s if self.moves_first else 0.0
        found = parting(living, stay, self._leave_since_s, time.monotonic(), within_s)
        self._leave_since_s = found.since_s
        if found.asked:
            self._decommission(found.asked)
        if found.ended:
            self._kill(found.ended)

    @property
    def leaving(self) -> int:
        """How many of those that live were let go of."""
        living = {executor.id for executor in self._reader.read()}
        return len(living & self._leave_since_s.keys())

    @cached_property
    def moves_first(self) -> bool:
        """Whether an executor that leaves sends what it holds to others first."""
        if self._context.getConf().get(DECOMMISSION, "false") != "true" or not there(self._jvm, _INFO):
            _log.info("executors that are let go of are ended at once: %s is not set", DECOMMISSION)
            return False
        return True

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

    def _decommission(self, ids: Sequence[str]) -> None:
        info = self._jvm.org.apache.spark.scheduler.ExecutorDecommissionInfo
        why = info("penstock lets go of it", self._jvm.scala.Option.empty())
        pairs = self._context._gateway.new_array(self._jvm.scala.Tuple2, len(ids))  # type: ignore[union-attr]
        for place, one in enumerate(ids):
            pairs[place] = self._jvm.scala.Tuple2(one, why)
        try:
            self._scheduler.schedulerBackend().decommissionExecutors(pairs, False, False)
        except Py4JError as error:  # they are ended when their time is over
            _log.warning("executors %s could not be asked to leave: %s", ", ".join(ids), first_line(error))

    def _kill(self, ids: Sequence[str]) -> None:
        # SparkContext.killExecutors would lower the target once more: the next executor to be lost would stay away.
        backend = self._scheduler.schedulerBackend()
        backend.killExecutors(self._jvm.PythonUtils.toSeq(list(ids)), False, False, True)
