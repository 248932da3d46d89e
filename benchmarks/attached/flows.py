"""A declarative pipeline of six flows over files; each row is waited for."""

from pathlib import Path

from pyspark import pipelines as dp
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

ROWS = (Path.cwd() / "rows").as_uri()


def rows() -> DataFrame:
    """All files, eight in a batch: eight tasks of a second, for which six flows want four slots."""
    files = SparkSession.active().readStream.format("text").option("maxFilesPerTrigger", 8).load(ROWS)
    return files.withColumn("waited", F.expr("reflect('java.lang.Thread', 'sleep', 200L)"))


@dp.table
def fraud() -> DataFrame:
    return rows()


@dp.table
def reports() -> DataFrame:
    return rows()


@dp.table
def clicks() -> DataFrame:
    return rows()


@dp.table
def visits() -> DataFrame:
    return rows()


# A table for each: files that two flows write at a time fail in Spark itself.
dp.create_streaming_table("orders_of_europe")
dp.create_streaming_table("orders_of_asia")


@dp.append_flow(target="orders_of_europe", name="from_europe")
def from_europe() -> DataFrame:
    return rows()


@dp.append_flow(target="orders_of_asia", name="from_asia")
def from_asia() -> DataFrame:
    return rows()
