"""A declarative pipeline of six flows over files; each row is waited for."""

from pathlib import Path

from pyspark import pipelines as dp
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

ROWS = (Path.cwd() / "rows").as_uri()


def rows(row_ms: int) -> DataFrame:
    """All files, one in a batch."""
    files = SparkSession.active().readStream.format("text").option("maxFilesPerTrigger", 4).load(ROWS)
    return files.withColumn("waited", F.expr(f"reflect('java.lang.Thread', 'sleep', {row_ms}L)"))


@dp.table
def fraud() -> DataFrame:
    return rows(20)


@dp.table
def reports() -> DataFrame:
    return rows(60)


@dp.table
def clicks() -> DataFrame:
    return rows(40)


@dp.table
def visits() -> DataFrame:
    return rows(40)


dp.create_streaming_table("orders")


@dp.append_flow(target="orders", name="from_europe")
def from_europe() -> DataFrame:
    return rows(40)


@dp.append_flow(target="orders", name="from_asia")
def from_asia() -> DataFrame:
    return rows(40)
