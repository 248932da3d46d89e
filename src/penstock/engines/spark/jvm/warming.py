"""A little of everything that a driver does, so that its JVM has read, checked and compiled what it will need.

`python -m penstock.engines.spark.jvm.warming ARCHIVE` does it in a JVM that keeps its classes there when it ends.
"""

import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession, functions

from penstock.engines.spark.jvm.checkpoint_writer import CHANGELOG
from penstock.engines.spark.jvm.process import jvm_with

# Nobody else is to hear of an application that only warms up, and no cluster to give it anything.
ASIDE: Mapping[str, str] = {
    "spark.app.name": "penstock warms up",
    "spark.master": "local[1]",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.authenticate": "false",
    "spark.eventLog.enabled": "false",
    "spark.dynamicAllocation.enabled": "false",
    "spark.extraListeners": "",
    "spark.plugins": "",
    "spark.sql.queryExecutionListeners": "",
    "spark.sql.streaming.streamingQueryListeners": "",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.streaming.stateStore.providerClass": (
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    ),
    CHANGELOG: "true",
}
_QUERIES = 5  # one batch each: from the fourth on a start takes what it takes in a JVM that has run for long


def warm_up(enough: Callable[[], bool] = lambda: False) -> None:
    """An application of its own with queries that keep state, until `enough`; it has ended when this returns."""
    builder: Any = SparkSession.builder
    for key, value in ASIDE.items():
        builder = builder.config(key, value)
    spark: SparkSession = builder.getOrCreate()
    try:
        with tempfile.TemporaryDirectory(prefix="penstock-warm-", ignore_cleanup_errors=True) as place:
            for _ in range(_QUERIES):
                if not enough():
                    _query(spark, Path(place))
    finally:
        spark.stop()


def _query(spark: SparkSession, place: Path) -> None:
    """It goes on where the one before ended, with one more file."""
    rows = spark.range(100).withColumn("at", functions.timestamp_seconds("id"))
    text = rows.withColumn("value", functions.to_json(functions.struct("id", "at")))
    text.coalesce(1).write.mode("append").parquet(str(place / "in"))
    source = spark.readStream.schema(text.schema).parquet(str(place / "in"))
    parsed = source.select(functions.from_json("value", "id long, at timestamp").alias("row")).select("row.*")
    by = (functions.window("at", "1 minute"), (functions.col("id") % 7).alias("key"))
    counts = parsed.withWatermark("at", "1 minute").groupBy(*by).count()

    def keep(batch: DataFrame, batch_id: int) -> None:
        batch.collect()

    writer = counts.writeStream.outputMode("update").option("checkpointLocation", str(place / "checkpoint"))
    writer.foreachBatch(keep).trigger(availableNow=True).start().awaitTermination()


def _keep_classes(archive: str) -> None:
    """Run once in a JVM that writes them down when it ends."""
    conf = {
        "spark.driver.extraJavaOptions": f"-XX:ArchiveClassesAtExit={archive} -Xlog:disable",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.log.level": "OFF",
    }
    gateway: Any = jvm_with({**ASIDE, **conf})
    warm_up()
    gateway.proc.stdin.close()  # a gateway's JVM ends when nobody can speak to it any more
    gateway.proc.wait()


if __name__ == "__main__":
    _keep_classes(sys.argv[1])
