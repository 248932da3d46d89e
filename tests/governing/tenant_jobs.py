"""Jobs that the tenants files of test_run and on_memory name."""

import time
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.readwriter import DataStreamWriter

import penstock as ps

ROUTE = ps.Routing("routed", left="region")


def quick(spark: SparkSession, rows_per_second: int) -> DataStreamWriter:
    rows: DataFrame = spark.readStream.format("rate").option("rowsPerSecond", rows_per_second).load()
    return rows.writeStream.format("noop").trigger(processingTime="500 milliseconds")


def lingering(spark: SparkSession, rows_per_second: int) -> DataStreamWriter:
    """Its JVM does not come to an end by itself: one of its shutdown hooks waits for lines that never come."""
    jvm = spark._jvm
    assert jvm is not None
    tails = jvm.org.apache.commons.io.input
    waits = tails.Tailer(jvm.java.io.File("/dev/null"), tails.TailerListenerAdapter(), 1000)
    jvm.java.lang.Runtime.getRuntime().addShutdownHook(jvm.java.lang.Thread(waits))
    return quick(spark, rows_per_second)


def slow(spark: SparkSession, rows_per_second: int, row_ms: float) -> DataStreamWriter:
    """Each row holds a slot for so long, and no core: what it needs is slots."""
    return _slowed(spark, rows_per_second, row_ms).writeStream.format("noop").trigger(processingTime="2 seconds")


def kept(spark: SparkSession, rows_per_second: int, row_ms: float, place: str) -> DataStreamWriter:
    """Like `slow`; what each batch had is below `place`, in a folder that a second attempt of it writes anew.

    Where a file `row_ms` is there, too, that is how long each row holds a slot from now on.
    """

    def keep(batch: DataFrame, batch_id: int) -> None:
        values = batch.select(batch.value.cast("string"))
        values.write.mode("overwrite").text(f"{place}/out/batch={batch_id}")

    writer = _slowed(spark, rows_per_second, row_ms, f"{place}/row_ms").writeStream.foreachBatch(keep)
    return writer.option("checkpointLocation", f"{place}/checkpoint").trigger(processingTime="2 seconds")


def _slowed(spark: SparkSession, rows_per_second: int, row_ms: float, file: str = "") -> DataFrame:
    def wait(parts: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        each_ms = float(Path(file).read_text()) if file and Path(file).exists() else row_ms
        for part in parts:
            time.sleep(len(part) * each_ms / 1000.0)  # the tenant's work: it holds a slot, and no core
            yield part

    source = spark.readStream.format("rate").option("rowsPerSecond", rows_per_second).option("numPartitions", 4)
    return source.load().mapInPandas(wait, "timestamp timestamp, value long")


def broken(spark: SparkSession) -> DataStreamWriter:
    raise RuntimeError("no credentials")


def counting(spark: SparkSession, place: str) -> DataStreamWriter:
    """Counts the rows of a file at a time; what each batch counted is below `place`, for other processes to read."""

    def keep(batch: DataFrame, batch_id: int) -> None:
        batch.coalesce(1).write.mode("overwrite").parquet(f"{place}/out/batch={batch_id}")

    rows = spark.readStream.schema("key long").option("maxFilesPerTrigger", 1).parquet(f"{place}/in")
    writer = rows.groupBy("key").count().writeStream.outputMode("update").foreachBatch(keep)
    writer = writer.option("checkpointLocation", f"{place}/checkpoint")
    return writer.trigger(processingTime="100 milliseconds")
