"""One trial on Kafka: a load from a process of its own, one job, and the latency that an independent reader saw."""

import os
import platform
import subprocess
import sys
import tempfile
import time
import uuid
from collections import deque
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from observer import Observed, count, each, make_timed_topic, observe
from pyspark.sql import DataFrame, SparkSession, functions
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.readwriter import DataStreamWriter

from penstock.core.asked.real_time import RealTime
from penstock.core.seen.figures import JobFigures
from penstock.engines.kafka.topics import make_topics
from penstock.engines.spark.engine import SparkEngine
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.jvm.live import LiveSpark
from penstock.engines.spark.measured import measured
from penstock.engines.spark.settings import SparkSettings
from penstock.loading.rows import SCHEMA

STARTS_WITHIN_S = 180.0
DONE_WITHIN_S = 300.0
ENDS_AFTER_LOOKS = 4  # the generator takes a second or two from its last row to its end


@dataclass(frozen=True, slots=True)
class Trial:
    """What runs: `stateless` parses, filters and writes rows, `count` counts them by key."""

    kind: str
    rate: float
    seconds: int
    trigger: str = "500 milliseconds"
    real_time: RealTime | None = None  # in place of the trigger
    row_by_row: bool = False  # penstock's sketch of arrival times in the job
    options: tuple[str, ...] = ()  # of `penstock load`
    skip_s: float = 10.0  # the first seconds are warming up
    partitions: int = 2
    max_rows_per_batch: int | None = None


@dataclass(frozen=True, slots=True)
class Seen:
    """What came of a trial: penstock's figures just before the load's end, and a reader's latencies of that time."""

    figures: JobFigures
    observed: Observed
    latency_s: NDArray[np.float64]

    def at(self, percentile: float) -> float:
        """The latency that the reader saw."""
        return float(np.percentile(self.latency_s, percentile))


def machine() -> str:
    """Where figures come from."""
    load = os.getloadavg()[0]
    return f"{time.strftime('%Y-%m-%d')}, {os.cpu_count()} cores, load average {load:.0f}, {platform.machine()}"


def run(spark: SparkSession, bootstrap: str, trial: Trial) -> Seen:
    """The trial, on topics of its own."""
    name = f"{trial.kind}_{uuid.uuid4().hex[:6]}"
    source, target = f"{name}_in", f"{name}_out"
    make_topics(bootstrap, [source], trial.partitions)
    make_timed_topic(bootstrap, target, trial.partitions)
    with tempfile.TemporaryDirectory(prefix="penstock-bench-", ignore_cleanup_errors=True) as place:

        def job(session: SparkSession) -> DataStreamWriter:
            return _writer(session, bootstrap, trial, (source, target), place)

        window_s = trial.seconds - trial.skip_s
        bound = Job(name, job, max_rows_per_batch=trial.max_rows_per_batch, real_time=trial.real_time)
        engine = SparkEngine(LiveSpark(spark), [bound], SparkSettings(window_s=window_s))
        engine.open()
        try:
            engine.start(wait=True)
            _wait_for_start(spark, engine)
            figures, until_s = _loaded(engine, bootstrap, source, trial)
            covers = count if trial.kind == "count" else each
            observed = _all_covered(engine, bootstrap, (source, target), covers is count)
        finally:
            engine.close(stop_jobs=True)
    return Seen(figures, observed, observed.between(until_s - window_s, until_s))


def _writer(spark: SparkSession, bootstrap: str, trial: Trial, topics: tuple[str, str], place: str) -> DataStreamWriter:
    reader = spark.readStream.format("kafka").option("kafka.bootstrap.servers", bootstrap)
    rows = reader.option("subscribe", topics[0]).option("startingOffsets", "earliest").load()
    if trial.row_by_row:
        rows = measured(rows, "timestamp")
    made = _counted(rows) if trial.kind == "count" else _parsed(rows)
    writer = made.writeStream.format("kafka").option("kafka.bootstrap.servers", bootstrap).option("topic", topics[1])
    writer = writer.option("checkpointLocation", place).outputMode("update")
    return writer.trigger(processingTime=trial.trigger)


def _parsed(rows: DataFrame) -> DataFrame:
    """The stateless part of the Yahoo! benchmark: parse, filter, project."""
    parsed = rows.select("key", functions.from_json(rows["value"].cast("string"), SCHEMA).alias("row"))
    kept = parsed.where("row.id >= 0").select("key", "row.id", "row.pair", "row.event_ms")
    return kept.select("key", functions.concat_ws(",", "id", "pair", "event_ms").alias("value"))


def _counted(rows: DataFrame) -> DataFrame:
    counts = rows.groupBy("key").count()
    return counts.select("key", functions.col("count").cast("string").alias("value"))


def _wait_for_start(spark: SparkSession, engine: SparkEngine) -> None:
    """Spark's first batch, empty as it is, takes its time: plans and connections are made in it."""
    deadline = time.monotonic() + STARTS_WITHIN_S
    query: StreamingQuery | None = None
    while not (query is not None and (query.lastProgress or query.status["isDataAvailable"])):
        engine.tend()
        query = next(iter(spark.streams.active), query)
        if query is not None and not query.isActive:
            raise SystemExit(f"the query ended: {query.exception()}")
        if time.monotonic() > deadline or (query and "Waiting" in query.status["message"]):
            return
        time.sleep(0.5)


def _loaded(engine: SparkEngine, bootstrap: str, source: str, trial: Trial) -> tuple[JobFigures, float]:
    arguments = ["--bootstrap", bootstrap, "--topic", source, "--rate", f"{trial.rate:g}", "--for", f"{trial.seconds}s"]
    arguments += ["--keys", "100", "--linger", "5ms", *trial.options]
    command = [sys.executable, "-m", "penstock.cli.main", "load", *arguments]
    load = subprocess.Popen(command)
    seen: deque[tuple[JobFigures, float]] = deque(maxlen=ENDS_AFTER_LOOKS)
    while load.poll() is None:
        engine.tend()
        seen.append((engine.observe(time.monotonic()).jobs[0], time.time()))
        time.sleep(1.0)
    if load.returncode != 0:
        raise SystemExit(f"the load failed with exit code {load.returncode}")
    return seen[0]  # rows still came then


def _all_covered(engine: SparkEngine, bootstrap: str, topics: tuple[str, str], counted: bool) -> Observed:
    deadline = time.monotonic() + DONE_WITHIN_S
    while True:
        engine.tend()
        observed = observe(bootstrap, *topics, count if counted else each)
        if observed.uncovered == 0 or time.monotonic() > deadline:
            return observed
        time.sleep(1.0)
