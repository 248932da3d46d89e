"""Executors of an operator's own: a resource profile for each group of threads binds it to one executor on one slot.

A group is the threads of one operator on one slot. Its worker offers a resource of the group's name, once, and the
group's profile asks for it: so Spark's master can start that executor there and nowhere else, and only one of them.
Profiles by cores alone do not say where, and a second executor of one group can take the cores of another.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pyspark import RDD
from pyspark.resource import ExecutorResourceRequests, ResourceProfileBuilder, TaskResourceRequests

from penstock.engines.spark.profiling.roles import role_of

# On a standalone cluster executors of a profile are started for tasks that wait, which is dynamic allocation.
CONF: Mapping[str, str] = {
    "spark.dynamicAllocation.enabled": "true",
    "spark.dynamicAllocation.shuffleTracking.enabled": "true",
    "spark.dynamicAllocation.minExecutors": "0",
    "spark.dynamicAllocation.initialExecutors": "0",
    "spark.dynamicAllocation.schedulerBacklogTimeout": "1s",
    "spark.dynamicAllocation.executorIdleTimeout": "3600s",  # a thread that waits for its first tuple is busy
    "spark.executor.cores": "1",  # of the default profile, which has no task to run
}


@dataclass(frozen=True, slots=True)
class ThreadGroup:
    """The threads of one operator on one slot."""

    name: str  # of the resource
    address: str  # of the slot's worker
    operator: str
    threads: int

    @property
    def role(self) -> str:
        """What its threads say of themselves when they report."""
        return role_of(self.address, self.operator)


def bound(rdd: "RDD[int]", group: ThreadGroup, executor_memory: str) -> "RDD[int]":
    """The RDD with its tasks on the group's executor, which has as many task slots as the group has threads."""
    builder: Any = ResourceProfileBuilder()
    executor = ExecutorResourceRequests().cores(group.threads).memory(executor_memory).resource(group.name, 1)
    return rdd.withResources(builder.require(executor).require(TaskResourceRequests().cpus(1)).build)
