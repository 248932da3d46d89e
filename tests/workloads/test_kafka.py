"""A workload from a Kafka topic to another gives the answer that its twin works out from the rows that were sent."""

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import yahoo_jobs
from penstock.engines.kafka.topics import make_topics
from tests.workloads.sending import sent
from tests.workloads.twins import ads


def last_counts(spark: SparkSession, bootstrap: str, topic: str) -> Sequence[tuple[str, int, int]]:
    """The last count of each campaign and window in the topic: counts only grow."""
    read = spark.read.format("kafka").option("kafka.bootstrap.servers", bootstrap).option("subscribe", topic).load()
    schema = "campaign_id string, window_start timestamp, count long"
    counts = read.select(F.from_json(F.col("value").cast("string"), schema).alias("row")).select("row.*")
    latest = counts.groupBy("campaign_id", F.unix_millis("window_start").alias("at")).agg(F.max("count"))
    return [tuple(row) for row in latest.collect()]


def test_yahoos_counts_from_kafka_to_kafka_equal_the_batch_answer(
    spark: SparkSession, kafka: str, topic: str, tmp_path: Path
) -> None:
    made = sent(kafka, topic)
    make_topics(kafka, [f"{topic}-out"], 1)
    source = {"kafka": kafka, "topic": topic, "starting": "earliest"}
    job = partial(yahoo_jobs.campaigns, spark, source, {"kafka": kafka, "topic": f"{topic}-out"})
    writer = job().option("checkpointLocation", str(tmp_path)).trigger(availableNow=True)
    writer.start().awaitTermination()
    found = {(campaign, at_ms): count for campaign, at_ms, count in last_counts(spark, kafka, f"{topic}-out")}
    assert found == ads.campaigns([str(value) for _, value in made])
    assert json.loads(made[0][1])["event_ms"] == 0
