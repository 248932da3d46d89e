"""FAIR pools: read and set a pool's weight and min share while its tasks run.

Spark reads both at every scheduling decision, but offers no way to change them; they are set by reflection.
"""

from collections.abc import Mapping
from typing import Any

from py4j.protocol import Py4JError
from pyspark import SparkContext

from penstock.engines.spark.application.shares import PoolShare
from penstock.engines.spark.jvm.private_fields import field_of
from penstock.errors import EngineError

POOL_PROPERTY = "spark.scheduler.pool"
# Of all tenants together, the oldest job first: so Spark makes every pool that it is given the name of. Its `default`
# pool is no such: in an application whose mode is FAIR that one shares the slots evenly between batches.
COMMON_POOL = "penstock: one for all"


class FairPools:
    """The pools of one Spark application."""

    def __init__(self, context: SparkContext) -> None:
        self._jvm: Any = context._jvm
        self._scheduler: Any = context._jsc.sc()

    def share(self, name: str) -> PoolShare | None:
        """What the pool has now; None when there is no such pool."""
        found = self._scheduler.getPoolForName(name)
        if not found.isDefined():
            return None
        pool = found.get()
        return PoolShare(weight=pool.weight(), min_share=pool.minShare())

    def set(self, shares: Mapping[str, PoolShare]) -> None:
        """Give each pool its share at once; a pool that is not there yet is made, so that its first task finds it.

        One that Spark refuses keeps no other from it; the EngineError is about the first.
        """
        refused: list[EngineError] = []
        for name, share in shares.items():
            try:
                found = self._scheduler.getPoolForName(name)
                if found.isDefined():
                    pool = found.get()
                    field_of(pool, "minShare").setInt(pool, share.min_share)
                    field_of(pool, "weight").setInt(pool, share.weight)
                else:
                    self._create(name, share)
            except Py4JError as error:
                refused.append(EngineError(f"the share of pool {name!r} could not be set: {error}"))
        if refused:
            raise refused[0]

    def _create(self, name: str, share: PoolShare) -> None:
        scheduling = self._jvm.org.apache.spark.scheduler
        pool = scheduling.Pool(name, scheduling.SchedulingMode.FIFO(), share.min_share, share.weight)
        self._scheduler.taskScheduler().rootPool().addSchedulable(pool)
