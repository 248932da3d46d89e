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
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.jvm.live import LiveSpark
from penstock.engines.spark.jvm.machines import ExecutorReader
from penstock.engines.spark.jvm.routing.pinning import StatePlaces
from penstock.engines.spark.jvm.routing.salt_call import salt_call
from penstock.engines.spark.port import Places
from penstock.engines.spark.routing.pins import Send
from penstock.engines.spark.settings import SparkSettings
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
    """What went wrong when the number of executors was changed, and had come about."""
    error = engine.apply([Step(WHOLE, (Executors(before, after),))]).steps[0].error

    def came() -> bool:
        engine.tend()
        return engine.capacity.turned.asked is None

    eventually(came)
    return error


class PinnedTown:
    """A town's query, started by an engine that pins the partitions of both its operators."""

    def __init__(self, spark: SparkSession, place: Path) -> None:
        spark.conf.set("spark.sql.shuffle.partitions", PARTITIONS)
        self._spark = spark
        self._town, self._tasks, self._places = Town(spark, place, "town"), Tasks(spark), Sending(spark)
        self._job = self._town.job(two_operators, processingTime="100 milliseconds")
        live = LiveSpark(spark)
        live.places = cast(Places, self._places)
        jobs = [Job("town", self._counting, route=self._town.route)]
        self.engine = SparkEngine(live, jobs, SparkSettings(window_s=20.0))
        self.deeds: set[str] = set()
        self._looks: list[tuple[Homes, int]] = []

    def settled(self) -> dict[str, str]:
        """Where the partitions are once they are in place."""
        return eventually(self._in_place)

    def _counting(self, spark: SparkSession) -> DataStreamWriter:
        assert self._job.function is not None
        writer = self._job.function(spark)
        assert isinstance(writer, DataStreamWriter)
        return writer.outputMode("append")  # the only one that Spark has for one stateful operator after another

    def _in_place(self) -> dict[str, str] | None:
        """One more batch, and where it ran when both operators ran alike, as many partitions on each executor.

        And as the batch before, after which nothing was sent elsewhere: by luck a batch is even that is not in place.
        """
        self._run_a_batch()
        self.engine.tend()
        snapshot = self.engine.observe(time.monotonic())
        (job,) = snapshot.jobs
        self.deeds.update(deed.text for deed in snapshot.deeds)
        homes, living = self._tasks.homes(), sorted(executors(self._spark))
        self._looks.append((homes, self._places.sent))
        if self._looks[-2:-1] != self._looks[-1:] or len(homes) != 2 or homes[0] != homes[1]:
            return None
        even = Counter(homes[0].values()) == dict.fromkeys(living, PARTITIONS // len(living))
        told = [{found.partition: found.executor for found in placed.partitions} for placed in job.keys]
        return {str(partition): home for partition, home in homes[0].items()} if even and told == homes else None

    def _run_a_batch(self) -> None:
        batches = len(self._town.batches)
        self._town.feed(600)
        eventually(lambda: len(self._town.batches) > batches)

    @property
    def counted(self) -> int:
        """How many keys."""
        return len(self._town.counted)

    @property
    def wrong(self) -> dict[str, int]:
        """Counts that are not those of the rows that were fed."""
        right = windows_and_tags(self._town)
        return {str(key): count for key, count in self._town.counted.items() if right[key] != count}


def pinned(spark: SparkSession, place: Path) -> dict[str, Any]:
    """Which executor has which partition at first, after one was lost and after one joined; and wrong counts."""
    town = PinnedTown(spark, place)
    engine = town.engine
    engine.open()
    engine.start(wait=True)
    before = town.settled()
    errors = [scale(engine, 3, 2)]
    lost, after = set(before.values()) - set(executors(spark)), town.settled()
    errors += [scale(engine, 2, 3), scale(engine, 3, 3)]
    grown = town.settled()
    engine.close(stop_jobs=True)
    return {
        "salts_called": salt_call(spark) is not None,
        "before": before,
        "lost": list(lost),
        "after": after,
        "grown": grown,
        "counted": town.counted,
        "wrong": town.wrong,
        "deeds": sorted(town.deeds),
        "errors": errors,
    }
