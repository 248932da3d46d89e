"""A driver of its own on a cluster of three: a routed query whose partitions are pinned, through a loss and growth.

Usage: on_pins.py MASTER PLACE. Run by test_pinning; prints one JSON document.
"""

import json
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession, functions
from pyspark.sql.streaming.readwriter import DataStreamWriter

from penstock.engines.spark.engine import SparkEngine, SparkSettings
from penstock.engines.spark.executors import ExecutorLever
from penstock.engines.spark.jobs import Job
from penstock.engines.spark.machines import ExecutorReader
from penstock.governing.application import start_application
from tests.engines.spark.routing.town import Town, windows_and_tags
from tests.patience import eventually, patience_s

PARTITIONS = 6  # three on each of two executors, two on each of three
CONF = {
    "spark.executor.cores": 1,
    "spark.executor.memory": "512m",
    "spark.sql.shuffle.partitions": PARTITIONS,
    "spark.locality.wait": "3s",
}
Homes = list[dict[int, str]]  # of each stateful operator: which executor ran which partition


def two_operators(town: Town) -> DataFrame:
    window = functions.window("at", "1 minute")
    held = town.stream().groupBy(window, *town.route.left_key()).agg(functions.collect_list("hashtag").alias("tags"))
    rows = held.select(functions.window_time("window").alias("at"), functions.explode("tags").alias("hashtag"))
    counts = rows.groupBy(functions.window("at", "1 minute"), *town.route.right_key()).count()
    return counts.select(functions.unix_seconds(counts["window"]["start"]).alias("start"), "hashtag", "count")


class Tasks:
    """Who ran the stateful stages of the last batch, as Spark tells it."""

    def __init__(self, spark: SparkSession) -> None:
        scheduler: Any = spark.sparkContext._jsc.sc()
        jvm: Any = spark.sparkContext._jvm
        self._store, self._dag = scheduler.statusStore(), scheduler.dagScheduler()
        self._mapper = jvm.org.apache.spark.status.api.v1.JacksonMessageWriter().mapper()

    def homes(self) -> Homes:
        last = self._dag.nextStageId() - 1
        stages = [self._tasks(stage) for stage in range(max(0, last - 12), last + 1)]
        return [found for found in stages if len(found) == PARTITIONS][-2:]

    def _tasks(self, stage: int) -> dict[int, str]:
        listed: list[dict[str, Any]] = json.loads(self._mapper.writeValueAsString(self._store.taskList(stage, 0, 100)))
        return {task["index"]: task["executorId"] for task in listed if task["status"] == "SUCCESS"}


def executors(spark: SparkSession) -> list[str]:
    return [executor.id for executor in ExecutorReader(spark.sparkContext).read()]


def main(master: str, place: Path) -> dict[str, Any]:
    spark = start_application("pins test", master, CONF)
    town, tasks = Town(spark, place, "town"), Tasks(spark)
    job = town.job(two_operators, processingTime="100 milliseconds")

    def counting(spark: SparkSession) -> DataStreamWriter:
        assert job.function is not None
        writer = job.function(spark)
        assert isinstance(writer, DataStreamWriter)
        return writer.outputMode("append")  # the only one that Spark has for one stateful operator after another

    engine = SparkEngine(spark, [Job("town", counting, route=town.route)], SparkSettings(window_s=20.0))
    engine.open()
    eventually(lambda: len(executors(spark)) == 3)
    executor_lever = ExecutorLever(spark.sparkContext)
    executor_lever.scale(2, patience_s())

    deeds: set[str] = set()

    def settled() -> dict[str, str] | None:
        """One more batch, and where it ran when both operators ran alike, as many partitions on each executor."""
        batches = len(town.batches)
        town.feed(600)
        eventually(lambda: len(town.batches) > batches)
        engine.tend()
        snapshot = engine.observe(time.monotonic())
        (job,) = snapshot.jobs
        deeds.update(deed.text for deed in snapshot.deeds)
        homes, living = tasks.homes(), sorted(executors(spark))
        if len(homes) != 2 or homes[0] != homes[1]:
            return None
        even = Counter(homes[0].values()) == dict.fromkeys(living, PARTITIONS // len(living))
        told = [{found.partition: found.executor for found in placed.partitions} for placed in job.keys]
        return {str(partition): home for partition, home in homes[0].items()} if even and told == homes else None

    engine.start_jobs()
    before = eventually(settled)
    lost = executors(spark)[0]
    spark.sparkContext._jsc.sc().killAndReplaceExecutor(lost)
    eventually(lambda: len(executors(spark)) == 2 and lost not in executors(spark))
    after = eventually(settled)
    executor_lever.scale(3, patience_s())
    grown = eventually(settled)
    engine.close(stop_queries=True)
    wrong = {str(key): count for key, count in town.counted.items() if windows_and_tags(town)[key] != count}
    spark.stop()
    return {
        "before": before,
        "lost": lost,
        "after": after,
        "grown": grown,
        "counted": len(town.counted),
        "wrong": wrong,
        "deeds": sorted(deeds),
    }


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], Path(sys.argv[2]))))
