"""Jobs: what to run for a tenant, within which limits; and how one is started in its own pool."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.readwriter import DataStreamWriter

from penstock.engines.spark.pools import POOL_PROPERTY
from penstock.engines.spark.quantum import BoundedSession
from penstock.engines.spark.restarts import RestartPolicy
from penstock.engines.spark.shares import SlotLimits
from penstock.errors import EngineError

if TYPE_CHECKING:
    from penstock.engines.spark.routing.route import Routing

Writer = DataStreamWriter | StreamingQuery
JobFunction = Callable[[SparkSession], Writer]


@dataclass(frozen=True, slots=True)
class Job:
    """One tenant's query. `function` is None for a query that somebody else starts, known by its name."""

    name: str
    function: JobFunction | None = None
    limits: SlotLimits = SlotLimits()
    slots: int | None = None  # to begin with; None: an equal share
    restart: RestartPolicy = RestartPolicy()
    max_rows_per_batch: int | None = None
    max_files_per_batch: int | None = None
    own_pool: bool = True
    route: "Routing | None" = None


def start_query(spark: SparkSession, job: Job, once: bool = False) -> StreamingQuery:
    """Start the job's query in its pool; `once` runs what is left of an unfinished batch, then ends."""
    context = spark.sparkContext
    context.setLocalProperty(POOL_PROPERTY, job.name if job.own_pool else None)  # type: ignore[arg-type]
    try:
        made = _made(spark, job)
        if isinstance(made, StreamingQuery):
            return _checked(made, job, once)
        named = made.queryName(job.name)
        return (named.trigger(once=True) if once else named).start()
    finally:
        context.setLocalProperty(POOL_PROPERTY, None)  # type: ignore[arg-type]


def _made(spark: SparkSession, job: Job) -> Writer:
    if job.function is None:
        raise EngineError(f"{job.name}: penstock did not start this query, so it cannot start it again")
    session: SparkSession = spark
    if job.max_rows_per_batch is not None or job.max_files_per_batch is not None:
        session = BoundedSession(spark, job.max_rows_per_batch, job.max_files_per_batch)
    made = job.function(session)
    if not isinstance(made, (DataStreamWriter, StreamingQuery)):
        raise EngineError(
            f"{job.name}: its function returned {type(made).__name__}; return a DataStreamWriter, such as "
            "df.writeStream.format(...), or a started StreamingQuery"
        )
    return made


def _checked(query: StreamingQuery, job: Job, once: bool) -> StreamingQuery:
    if once:
        query.stop()
        raise EngineError(f"{job.name}: return the writer instead of a started query, so that it can be repartitioned")
    if query.name is not None and query.name != job.name:
        query.stop()
        raise EngineError(f"{job.name}: its function started a query named {query.name!r}; leave the name out")
    return query
