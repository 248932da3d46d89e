"""A little of everything that the tests do with Spark, in one JVM: its classes are those that `class_archive` keeps.

Usage: every_class.py PLACE ARCHIVE. Ends when the JVM has ended, and so has written its archive.
"""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession, functions

_CONF = {
    "spark.ui.enabled": "false",
    "spark.log.level": "OFF",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.executor.memory": "512m",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.streaming.stateStore.providerClass": (
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    ),
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
}


def main(place: Path, archive: str) -> None:
    keep = {"spark.driver.extraJavaOptions": f"-XX:ArchiveClassesAtExit={archive} -Xlog:disable"}
    cluster = _session("local-cluster[1,1,512]", keep)  # a master and a worker within the driver
    cluster.range(10).groupBy().count().collect()
    cluster.stop()
    spark = _session("local[2]", {})
    spark.range(100).withColumn("at", functions.timestamp_seconds("id")).write.parquet(str(place / "in"))
    _count(spark, place / "in", place / "checkpoint")
    spark.read.format("statestore").option("path", str(place / "checkpoint")).load().collect()
    gateway: Any = spark.sparkContext._gateway
    spark.stop()
    gateway.proc.stdin.close()  # a gateway's JVM ends when nobody can speak to it any more
    gateway.proc.wait()


def _session(master: str, more: Mapping[str, str]) -> SparkSession:
    builder: Any = SparkSession.builder
    for key, value in {**_CONF, **more}.items():
        builder = builder.config(key, value)
    found: SparkSession = builder.master(master).getOrCreate()
    return found


def _count(spark: SparkSession, source: Path, checkpoint: Path) -> None:
    """A query that keeps state."""
    rows = spark.readStream.schema("id long, at timestamp").parquet(str(source)).withWatermark("at", "1 minute")
    counts = rows.groupBy(functions.window("at", "1 minute"), (functions.col("id") % 7).alias("key")).count()

    def keep(batch: DataFrame, batch_id: int) -> None:
        batch.collect()

    writer = counts.writeStream.outputMode("update").option("checkpointLocation", str(checkpoint)).foreachBatch(keep)
    writer.trigger(availableNow=True).start().awaitTermination()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
