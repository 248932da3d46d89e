"""Jobs: what to run for a tenant, and within which limits."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from penstock.core.asked.real_time import RealTime
from penstock.core.asked.restart_policy import RestartPolicy
from penstock.core.asked.slot_limits import SlotLimits

if TYPE_CHECKING:  # what is said of jobs, and what happens to them, is understood without Spark
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.query import StreamingQuery
    from pyspark.sql.streaming.readwriter import DataStreamWriter

    from penstock.engines.spark.routing.route import Routing

Writer: TypeAlias = "DataStreamWriter | StreamingQuery"
JobFunction = Callable[["SparkSession"], "DataStreamWriter | StreamingQuery"]


@dataclass(frozen=True, slots=True)
class Job:
    """One tenant's query. `function` is None for a query that somebody else starts, known by its name."""

    name: str
    function: JobFunction | None = None
    limits: SlotLimits = SlotLimits()
    slots: int | None = None  # to begin with; None: an equal share
    restart: RestartPolicy = RestartPolicy()
    max_rows_per_batch: int | None = None
    bound: int | None = None  # rows of a batch, set while it runs as soon as its sources are there
    max_files_per_batch: int | None = None
    trigger_s: float | None = None  # instead of the one that its function sets
    partitions: int | None = None  # of its state, at its first start; None: the session's shuffle partitions
    own_pool: bool = True
    real_time: RealTime | None = None
    route: "Routing | None" = None
