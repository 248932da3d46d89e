"""Another trigger and another bound of a job's batches while it runs, nothing lost and nothing counted twice."""

import json
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.readwriter import DataStreamWriter

from penstock.core.levers import BatchBound, Trigger
from penstock.core.plan import Step
from penstock.engines.spark.engine import SparkEngine
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.jobs.query import BatchInterval
from penstock.engines.spark.jvm.triggers import interval
from penstock.engines.spark.watch.progress import epoch_s
from tests.engines.spark.kafka_jobs import counting, counts, send
from tests.patience import eventually
from tests.real_spark import OpenEngine


def retriggered(engine: SparkEngine, job: str, before_s: float, after_s: float) -> str | None:
    return engine.apply([Step(job, (Trigger(job, before_s, after_s),))]).steps[0].error


def running(spark: SparkSession, name: str) -> StreamingQuery:
    return next(query for query in spark.streams.active if query.name == name)


def read_to(query: StreamingQuery) -> int:
    """How many rows of its topic the query had read by the end of the last batch that it tells of."""
    ends = json.loads(query.lastProgress["sources"][0]["endOffset"]) if query.lastProgress else {}
    return sum(end for partitions in ends.values() for end in partitions.values())


def test_a_kafka_jobs_trigger_and_bound_move_and_counts_stay_exact(
    spark: SparkSession, engine: OpenEngine, kafka: str, topic: str, name: str, tmp_path: Path
) -> None:
    send(kafka, topic, 600)
    target = f"{topic}_out"
    job = counting(kafka, topic, target, str(tmp_path / "checkpoint"))
    watched = engine(Job(name, job, max_rows_per_batch=300))
    first = running(spark, name)
    eventually(lambda: first.lastProgress)
    assert retriggered(watched, name, 0.2, 0.1) is None
    assert interval(first) == BatchInterval(0.1, turns=True)
    last = eventually(lambda: first.lastProgress)["batchId"]
    assert watched.apply([Step(name, (BatchBound(name, 300, 100),))]).failed == ()
    send(kafka, topic, 600)  # the first ones may all be counted by now
    # Ten keys in turn: each has 120 rows of 1,200.
    expected = {f"k{number}": 120 for number in range(10)}
    eventually(lambda: counts(kafka, target) == expected)
    assert running(spark, name).runId == first.runId
    # The sink has a batch's rows before Spark tells of the batch. One may run, and one be planned, while the bound
    # moves. Parts of partitions are rounded down: a full batch may have a row or two less.
    eventually(lambda: read_to(first) == 1200)
    largest = max(batch["numInputRows"] for batch in first.recentProgress if batch["batchId"] > last + 2)
    assert 95 <= largest <= 100


def test_batches_begin_as_often_as_was_turned(
    spark: SparkSession, engine: OpenEngine, name: str, tmp_path: Path
) -> None:
    def often(session: SparkSession) -> DataStreamWriter:
        rows = session.readStream.format("rate").option("rowsPerSecond", 100).option("numPartitions", 1).load()
        writer = rows.writeStream.format("noop").option("checkpointLocation", str(tmp_path / "checkpoint"))
        return writer.trigger(processingTime="100 milliseconds")

    watched = engine(Job(name, often))
    query = running(spark, name)
    eventually(lambda: query.lastProgress)
    assert retriggered(watched, name, 0.1, 2.0) is None
    last = eventually(lambda: query.lastProgress)["batchId"]
    later = eventually(lambda: found if len(found := since(query, last + 2)) >= 3 else None)
    begins = [epoch_s(batch["timestamp"]) // 2.0 for batch in later]
    assert len(set(begins)) == len(begins)  # Spark begins one in each two seconds of the clock
    assert running(spark, name).runId == query.runId


def since(query: StreamingQuery, first: int) -> list[dict[str, Any]]:
    """The batches from that one on that had rows, as Spark tells of them."""
    return [batch for batch in query.recentProgress if batch["batchId"] >= first and batch["numInputRows"]]
