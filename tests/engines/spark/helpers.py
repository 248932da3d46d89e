"""Jobs and looks at them, as the tests of the Spark engine need them."""

import time
from collections.abc import Callable

from pyspark.sql import DataFrame, SparkSession, functions
from pyspark.sql.streaming.readwriter import DataStreamWriter

from penstock.core.levers import Partitions, Slots
from penstock.core.plan import Outcome, Step
from penstock.core.seen.figures import JobFigures, Snapshot
from penstock.engines.spark.engine import SparkEngine
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.jvm.live import LiveSpark
from penstock.engines.spark.settings import SparkSettings
from penstock.errors import EngineError
from tests.patience import eventually


def observed(engine: SparkEngine, job: str, ready: Callable[[JobFigures], object]) -> JobFigures:
    """The job's figures, once `ready` finds in them what it looks for."""

    def look() -> JobFigures | None:
        engine.tend()
        figures = of(engine.observe(time.monotonic()), job)
        return figures if ready(figures) else None

    return eventually(look)


def of(snapshot: Snapshot, job: str) -> JobFigures:
    return next(found for found in snapshot.jobs if found.name == job)


def give(engine: SparkEngine, job: str, slots: int, before: int = 1) -> Outcome:
    """Apply one change of one job's slots."""
    return engine.apply([Step(job, (Slots(job, before, slots),))])


def move_state(engine: SparkEngine, job: str, partitions: int) -> Outcome:
    """Apply one change of the number of partitions of one job's state."""
    return engine.apply([Step(job, (Partitions(job, 0, partitions),))])


def taken_over(spark: SparkSession, job: Job) -> SparkEngine | None:
    """The next controller of an application whose last one died; None while that one's lease lasts."""
    engine = SparkEngine(LiveSpark(spark), [job], SparkSettings(window_s=20.0, lease_s=30.0))
    try:
        engine.open()
    except EngineError:
        return None
    return engine


def rates(spark: SparkSession, rows_per_s: int = 20) -> DataFrame:
    return spark.readStream.format("rate").option("rowsPerSecond", rows_per_s).load()


def quick(spark: SparkSession) -> DataStreamWriter:
    """A light stateless job."""
    return rates(spark).writeStream.format("noop").trigger(processingTime="200 milliseconds")


def counting(checkpoint: str) -> Callable[[SparkSession], DataStreamWriter]:
    """A job that counts rows by key."""

    def job(spark: SparkSession) -> DataStreamWriter:
        counts = rates(spark, 200).groupBy((functions.col("value") % 7).alias("key")).count()
        writer = counts.writeStream.format("noop").outputMode("update")
        return writer.option("checkpointLocation", checkpoint).trigger(processingTime="200 milliseconds")

    return job
