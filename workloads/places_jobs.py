"""Two-stage counting: messages by location, then by tag."""

from collections.abc import Mapping
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamWriter

import penstock as ps
from penstock.workloads.sinks import written
from penstock.workloads.sources import parsed, record_lines

SCHEMA = "location string, tag string, event_ms long"


def tags(
    spark: SparkSession, source: Mapping[str, Any], sink: Mapping[str, Any] | None = None, trigger: str = "1 second"
) -> DataStreamWriter:
    """For each tag and ten seconds: its messages, the locations it came from, and the most messages one of them sent.

    The first stage keeps its state by location, the second by tag: every tag crosses from one to the other.
    """
    messages = ps.measured(parsed(record_lines(spark, source, "places"), SCHEMA), "arrived")
    windowed = messages.withWatermark("event_time", "2 seconds").groupBy(
        F.window("event_time", "10 seconds"), "location"
    )
    by_location = windowed.agg(F.count("*").alias("messages"), F.collect_list("tag").alias("tags"))
    spread = by_location.select("window", "location", "messages", F.explode("tags").alias("tag"))
    by_tag = spread.groupBy("window", "tag").agg(
        F.count("*").alias("count"),
        F.array_size(F.collect_set("location")).alias("locations"),
        F.max("messages").alias("busiest"),
    )
    results = by_tag.select("tag", F.col("window.start").alias("window_start"), "count", "locations", "busiest")
    return written(results, "append", sink, trigger)
