"""The Yahoo! streaming benchmark: views of ads, counted by campaign and ten seconds."""

from collections.abc import Mapping
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamWriter

import penstock as ps
from penstock.workloads.records.ads import campaigns_of_ads
from penstock.workloads.sinks import written
from penstock.workloads.sources import parsed, record_lines
from penstock.workloads.work import waiting

SCHEMA = "ad_id string, event_type string, event_ms long"


def campaigns(
    spark: SparkSession, source: Mapping[str, Any], sink: Mapping[str, Any] | None = None, trigger: str = "1 second"
) -> DataStreamWriter:
    """Filter views, join each ad's campaign, count by campaign in windows of ten seconds."""
    events = ps.measured(parsed(record_lines(spark, source, "ads"), SCHEMA), "arrived")
    ads = F.broadcast(spark.createDataFrame(campaigns_of_ads()))
    views = events.where("event_type = 'view'").select("ad_id", "event_time").join(ads, "ad_id")
    windowed = views.withWatermark("event_time", "10 seconds").groupBy(
        F.window("event_time", "10 seconds"), "campaign_id"
    )
    counts = windowed.count().select("campaign_id", F.col("window.start").alias("window_start"), "count")
    return written(counts, "update", sink, trigger)


def views(
    spark: SparkSession, source: Mapping[str, Any], sink: Mapping[str, Any] | None = None, trigger: str = "1 second"
) -> DataStreamWriter:
    """The benchmark's stateless part: views with their campaign."""
    events = ps.measured(parsed(record_lines(spark, source, "ads"), SCHEMA), "arrived")
    ads = F.broadcast(spark.createDataFrame(campaigns_of_ads()))
    found = events.where("event_type = 'view'").join(ads, "ad_id").select("ad_id", "campaign_id", "event_time")
    return written(found, "append", sink, trigger)


def alerts(
    spark: SparkSession, source: Mapping[str, Any], sink: Mapping[str, Any] | None = None, asked_s: float = 0.008
) -> DataStreamWriter:
    """Views of each campaign so far, for real-time mode; another system is told of each, which takes a while."""
    events = parsed(record_lines(spark, source, "ads"), SCHEMA)
    ads = F.broadcast(spark.createDataFrame(campaigns_of_ads()))
    counts = events.where("event_type = 'view'").join(ads, "ad_id").groupBy("campaign_id").count()
    return written(waiting(counts, asked_s), "update", sink)
