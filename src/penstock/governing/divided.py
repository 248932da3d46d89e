"""The executors of somebody's own driver, where a coordinator divides them between applications."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from pyspark import SparkContext
from pyspark.sql import SparkSession

from penstock.engines.spark.fake import FakeSpark
from penstock.engines.spark.jvm.executors import ExecutorLever, take_allocation
from penstock.errors import ConfigError

if TYPE_CHECKING:
    from penstock.engines.applications.agent import Agent
    from penstock.governing.coordinated import Coordinated


@dataclass(frozen=True, slots=True)
class DividedExecutors:
    """What this application has of executors that a coordinator divides; without one it has all that it can get."""

    executors: int | None = None
    agent: "partial[Agent] | None" = None


def divided_by(
    coordinator: "Coordinated | str | None", spark: SparkSession | FakeSpark, name: str, tenants: Iterable[str]
) -> DividedExecutors:
    """Of the application of that name, with those tenants."""
    if coordinator is None:
        return DividedExecutors()
    from penstock.governing.coordinated import Coordinated, agent_of  # a driver without one keeps none of its types

    how = Coordinated(coordinator, name) if isinstance(coordinator, str) else coordinator
    how.check_tenants(tenants)
    context = _context(spark, how)
    return DividedExecutors(_executors_there(context, how), agent_of(how, context))


def _context(spark: SparkSession | FakeSpark, how: "Coordinated") -> SparkContext:
    if isinstance(spark, FakeSpark):
        raise ConfigError("coordinator", how.url, "leave it out: a fake application has no cluster to divide")
    return spark.sparkContext


def _executors_there(context: SparkContext, how: "Coordinated") -> int:
    """As many as it has: what it holds until the coordinator says otherwise."""
    lever = ExecutorLever(context)
    if not lever.scalable:
        raise ConfigError("coordinator", how.url, f"leave it out at master {context.master}: it has no executors")
    how.check(context)
    take_allocation(context)
    return min(how.most, max(how.least, lever.count()))
