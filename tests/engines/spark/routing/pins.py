"""A routed query on a cluster whose partitions are pinned, through a loss and growth; part of on_cluster."""

import json
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from pyspark.sql import DataFrame, SparkSession, functions
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.readwriter import DataStreamWriter

from penstock.core.levers import WHOLE, Executors
from penstock.core.plan import Step
from penstock.engines.spark.engine import SparkEngine
from penstock.engines.spark.jobs import Job
from penstock.engines.spark.jvm.machines import ExecutorReader
from penstock.engines.spark.jvm.routing.pinning import StatePlaces
from penstock.engines.spark.port import Places
from penstock.engines.spark.routing.pins import Send
from penstock.engines.spark.settings import SparkSettings
from tests.engines.spark.helpers import patient
from tests.engines.spark.routing.town import Town, windows_and_tags
from tests.patience import eventually

PARTITIONS = 6  # two on each of three executors, three on each of two
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


class Sending(StatePlaces):
    """Counts how often partitions were sent elsewhere."""

    sent = 0

    def send(self, query: StreamingQuery, sends: Sequence[Send]) -> None:
        """Counted, and done."""
        self.sent += 1
        super().send(query, sends)


def executors(spark: SparkSession) -> list[str]:
    return [executor.id for executor in ExecutorReader(spark.sparkContext).read()]


def scale(engine: SparkEngine, before: int, after: int) -> str | None:
    """What went wrong when the number of executors was changed."""
    return engine.apply([Step(WHOLE, (Executors(before, after),))]).steps[0].error


def pinned(spark: SparkSession, place: Path) -> dict[str, Any]:
    """Which executor has which partition at first, after one was lost and after one joined; and wrong counts."""
    spark.conf.set("spark.sql.shuffle.partitions", PARTITIONS)
    town, tasks = Town(spark, place, "town"), Tasks(spark)
    job = town.job(two_operators, processingTime="100 milliseconds")

    def counting(spark: SparkSession) -> DataStreamWriter:
        assert job.function is not None
        writer = job.function(spark)
        assert isinstance(writer, DataStreamWriter)
        return writer.outputMode("append")  # the only one that Spark has for one stateful operator after another

    live, places = patient(spark), Sending(spark)
    live.places = cast(Places, places)
    engine = SparkEngine(live, [Job("town", counting, route=town.route)], SparkSettings(window_s=20.0))
    engine.open()

    deeds: set[str] = set()
    looks: list[tuple[Homes, int]] = []

    def settled() -> dict[str, str] | None:
        """One more batch, and where it ran when both operators ran alike, as many partitions on each executor.

        And as the batch before, after which nothing was sent elsewhere: by luck a batch is even that is not in place.
        """
        batches = len(town.batches)
        town.feed(600)
        eventually(lambda: len(town.batches) > batches)
        engine.tend()
        snapshot = engine.observe(time.monotonic())
        (job,) = snapshot.jobs
        deeds.update(deed.text for deed in snapshot.deeds)
        homes, living = tasks.homes(), sorted(executors(spark))
        looks.append((homes, places.sent))
        if looks[-2:-1] != looks[-1:] or len(homes) != 2 or homes[0] != homes[1]:
            return None
        even = Counter(homes[0].values()) == dict.fromkeys(living, PARTITIONS // len(living))
        told = [{found.partition: found.executor for found in placed.partitions} for placed in job.keys]
        return {str(partition): home for partition, home in homes[0].items()} if even and told == homes else None

    engine.start(wait=True)
    before = eventually(settled)
    errors = [scale(engine, 3, 2)]
    lost, after = set(before.values()) - set(executors(spark)), eventually(settled)
    errors += [scale(engine, 2, 3), scale(engine, 3, 3)]
    grown = eventually(settled)
    engine.close(stop_jobs=True)
    wrong = {str(key): count for key, count in town.counted.items() if windows_and_tags(town)[key] != count}
    return {
        "before": before,
        "lost": list(lost),
        "after": after,
        "grown": grown,
        "counted": len(town.counted),
        "wrong": wrong,
        "deeds": sorted(deeds),
        "errors": errors,
    }
