"""Two-stage counting: messages by location, then by tag; as it is, and with both keys routed."""

from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamWriter

import penstock as ps
from penstock.workloads.sinks import written
from penstock.workloads.sources import parsed, record_lines

SCHEMA = "location string, tag string, event_ms long"
ROUTE = ps.Routing("routed-tags", left="location", right="tag")


def tags(
    spark: SparkSession, source: Mapping[str, Any], sink: Mapping[str, Any] | None = None, trigger: str = "1 second"
) -> DataStreamWriter:
    """For each tag and ten seconds: its messages, the locations it came from, and the most messages one of them sent.

    The first stage keeps its state by location, the second by tag: every tag crosses from one to the other.
    """
    messages = ps.measured(parsed(record_lines(spark, source, "places"), SCHEMA), "arrived")
    return written(_counted(messages, ["location"], ["tag"]), "append", sink, trigger)


def routed_tags(
    spark: SparkSession, source: Mapping[str, Any], sink: Mapping[str, Any] | None = None, trigger: str = "1 second"
) -> DataStreamWriter:
    """The same counts; locations and tags that meet live together, as far as `ROUTE` knows them."""
    messages = parsed(record_lines(spark, source, "places"), SCHEMA)
    # Every pair counts: of the few rows of an example, one in 16 says little.
    messages = ps.measured(messages, "arrived", pairs=("location", "tag"), one_in=1)
    return written(_counted(messages, ROUTE.left_key(), ROUTE.right_key()), "append", sink, trigger)


def _counted(messages: DataFrame, location: Sequence[str | Column], tag: Sequence[str | Column]) -> DataFrame:
    timed = messages.withWatermark("event_time", "2 seconds")
    windowed = timed.groupBy(F.window("event_time", "10 seconds"), *location)
    by_location = windowed.agg(F.count("*").alias("messages"), F.collect_list("tag").alias("tags"))
    spread = by_location.select("window", "location", "messages", F.explode("tags").alias("tag"))
    by_tag = spread.groupBy("window", *tag).agg(
        F.count("*").alias("count"),
        F.array_size(F.collect_set("location")).alias("locations"),
        F.max("messages").alias("busiest"),
    )
    return by_tag.select("tag", F.col("window.start").alias("window_start"), "count", "locations", "busiest")
