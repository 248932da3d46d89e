"""The two jobs of the Phoebe paper at a small machine's scale: each row waits, as for a lookup in another system.

Waiting hardly uses a core, so that four executors on two cores do four times as much as one. A file named `fail`
beside the checkpoint makes the query fail once, by taking its running Spark job from it.
"""

import threading
import time
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamWriter

import penstock as ps
from penstock.workloads.records import make_records
from penstock.workloads.records.ads import campaigns_of_ads
from penstock.workloads.sinks import written
from penstock.workloads.sources import parsed, record_lines
from penstock.workloads.work import waiting

ADS = "ad_id string, event_type string, event_ms long"
CARS = "car long, speed_kmh long, event_ms long"
TRIGGER = "5 seconds"  # what a batch costs on top of its rows would fill two cores at a shorter one
LATE = "1 minute"  # nothing is, but partitions are read at slightly different speeds while catching up


def campaigns(
    spark: SparkSession, source: dict[str, Any], sink: dict[str, Any] | None = None, fail: str | None = None
) -> DataStreamWriter:
    """The Yahoo! streaming benchmark: each view's campaign is asked for, 45 ms; views by campaign and ten seconds."""
    _failing(spark, "ads", fail)
    events = ps.measured(parsed(record_lines(spark, source, "ads"), ADS), "arrived")
    asked = waiting(events.where("event_type = 'view'"), 0.045)
    views = asked.select("ad_id", "event_time").join(F.broadcast(spark.createDataFrame(campaigns_of_ads())), "ad_id")
    counts = _windows(views, "campaign_id").agg(F.count(F.lit(1)).alias("count"))
    return written(_told(counts, "campaign_id", "count"), "update", sink, TRIGGER)


def top_speed(
    spark: SparkSession, source: dict[str, Any], sink: dict[str, Any] | None = None, fail: str | None = None
) -> DataStreamWriter:
    """Each car's top speed and number of reports by ten seconds; a report waits for 15 ms."""
    _failing(spark, "cars", fail)
    reports = waiting(ps.measured(parsed(record_lines(spark, source, "cars"), CARS), "arrived"), 0.015)
    tops = _windows(reports, "car").agg(F.count(F.lit(1)).alias("count"), F.max("speed_kmh").alias("top"))
    return written(_told(tops, "car", "count", "top"), "update", sink, TRIGGER)


def _windows(rows: DataFrame, key: str) -> Any:
    return rows.withWatermark("event_time", LATE).groupBy(F.window("event_time", "10 seconds"), key)


def _told(windowed: DataFrame, key: str, *values: str) -> DataFrame:
    return windowed.select(F.unix_millis("window.start").alias("window"), F.col(key).alias("key"), *values)


def _failing(spark: SparkSession, name: str, fail: str | None) -> None:
    if fail is not None and not any(thread.name == f"failing {name}" for thread in threading.enumerate()):
        watch = threading.Thread(target=_watch, args=(spark, name, Path(fail)), name=f"failing {name}", daemon=True)
        watch.start()


def _watch(spark: SparkSession, name: str, fail: Path) -> None:
    while True:
        time.sleep(0.2)
        if fail.exists():
            found = [query for query in spark.streams.active if query.name == name]
            if found:
                spark.sparkContext.cancelJobGroup(found[0].runId)  # it has one only while it is in a batch
            else:
                fail.unlink()


def ad_rows(ids: Any, event_ms: Any, left: Any, right: Any) -> list[tuple[str, str]]:
    """Events of ads, spread over all partitions."""
    return _rows("ads", ids, event_ms)


def car_rows(ids: Any, event_ms: Any, left: Any, right: Any) -> list[tuple[str, str]]:
    """Reports of cars, spread over all partitions: by car, twenty keys would fill some much more than others."""
    return _rows("cars", ids, event_ms)


def _rows(kind: str, ids: Any, event_ms: Any) -> list[tuple[str, str]]:
    return list(zip(map(str, ids.tolist()), make_records(kind, ids, event_ms), strict=True))
