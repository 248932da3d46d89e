"""Jobs that the tenants file of test_run names."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.readwriter import DataStreamWriter

import penstock as ps

ROUTE = ps.Routing("routed", left="region")


def quick(spark: SparkSession, rows_per_second: int) -> DataStreamWriter:
    rows: DataFrame = spark.readStream.format("rate").option("rowsPerSecond", rows_per_second).load()
    return rows.writeStream.format("noop").trigger(processingTime="500 milliseconds")


def broken(spark: SparkSession) -> DataStreamWriter:
    raise RuntimeError("no credentials")
