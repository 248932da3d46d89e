"""Jobs that the tenants files of test_run and on_memory name."""

from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.readwriter import DataStreamWriter

import penstock as ps
from tests.engines.spark.test_exactly_once import counting_files

ROUTE = ps.Routing("routed", left="region")


def quick(spark: SparkSession, rows_per_second: int) -> DataStreamWriter:
    rows: DataFrame = spark.readStream.format("rate").option("rowsPerSecond", rows_per_second).load()
    return rows.writeStream.format("noop").trigger(processingTime="500 milliseconds")


def broken(spark: SparkSession) -> DataStreamWriter:
    raise RuntimeError("no credentials")


def counting(spark: SparkSession, place: str) -> DataStreamWriter:
    """Counts the rows of a file at a time; what it counted is below `place`."""
    return counting_files(Path(place, "in"), Path(place, "out"), str(Path(place, "checkpoint")))(spark)
