"""PageLoad: requests of web pages are filtered, transformed, joined with a database, filtered, aggregated."""

import os
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamWriter

import penstock as ps
from penstock.workloads.sinks import written
from penstock.workloads.sites import make_sites, sites_of
from penstock.workloads.sources import parsed, record_lines

SCHEMA = "url string, kind string, status int, load_ms long, event_ms long"
SITED = "site string, active boolean, load_ms long, event_ms long"


def page_load(
    spark: SparkSession,
    source: Mapping[str, Any],
    database: str | None = None,
    sink: Mapping[str, Any] | None = None,
    trigger: str = "1 second",
) -> DataStreamWriter:
    """Loads and their mean and longest time, by site and ten seconds. `database` is a URL; a SQLite file by default."""
    url = database or default_database()
    make_sites(url)
    requests = ps.measured(parsed(record_lines(spark, source, "pages"), SCHEMA), "arrived")
    loads = requests.where("kind = 'page' AND status = 200")
    pages = loads.select(F.regexp_extract("url", r"/(\d+)\?", 1).alias("page"), "load_ms", "event_ms")
    sited = pages.mapInPandas(partial(_join_sites, url=url), SITED)
    timed = sited.where("active").withColumn("event_time", F.timestamp_millis("event_ms"))
    windowed = timed.withWatermark("event_time", "10 seconds")
    grouped = windowed.groupBy(F.window("event_time", "10 seconds"), "site")
    figures = grouped.agg(
        F.count("*").alias("loads"), F.avg("load_ms").alias("mean_ms"), F.max("load_ms").alias("max_ms")
    )
    results = figures.select("site", F.col("window.start").alias("window_start"), "loads", "mean_ms", "max_ms")
    return written(results, "update", sink, trigger)


def default_database() -> str:
    """A SQLite file in the user's state directory."""
    base = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state", "penstock")
    base.mkdir(parents=True, exist_ok=True)
    return f"sqlite:///{base / 'sites.sqlite'}"


def _join_sites(frames: Iterator[pd.DataFrame], url: str) -> Iterator[pd.DataFrame]:
    """Ask the database once for each chunk of rows."""
    for frame in frames:
        sites = sites_of(url, frame["page"].tolist())
        known = frame[frame["page"].isin(sites.keys())]
        yield pd.DataFrame(
            {
                "site": [sites[page][0] for page in known["page"]],
                "active": [sites[page][1] for page in known["page"]],
                "load_ms": known["load_ms"].to_numpy(),
                "event_ms": known["event_ms"].to_numpy(),
            }
        )
