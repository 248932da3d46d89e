"""A small stream of (region, hashtag) at known times, fed file by file, and queries that count it."""

from collections import Counter
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as parquet
from pyspark.sql import Column, DataFrame, Row, SparkSession, functions
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.readwriter import DataStreamWriter

from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.jvm.local_files import local_path
from penstock.engines.spark.jvm.starts import start_query
from penstock.engines.spark.routing.reroute import Routed
from penstock.engines.spark.routing.route import Routing
from tests.patience import patience_s

REGIONS, TAGS = 5, 7
SCHEMA = "region string, hashtag int, at timestamp"
Counts = dict[tuple[Any, ...], int]


class Town:
    """Files of rows, one second of event time after the other, and what a query counted of them."""

    def __init__(
        self, spark: SparkSession, place: Path, name: str, regions: int = REGIONS, checkpoint: str | None = None
    ) -> None:
        self.spark, self.name, self.regions = spark, name, regions
        self.source, self.checkpoint = place / "in", checkpoint or str(place / "checkpoint")
        self.batches: dict[int, Counts] = {}
        self.before_commit: Callable[[], None] = lambda: None
        self.source.mkdir(parents=True, exist_ok=True)
        self.rows = self._fed()
        self.route = self.new_route()

    def _fed(self) -> list[tuple[str, int, int]]:
        """What an earlier driver was fed with."""
        files = [parquet.read_table(path).to_pydict() for path in sorted(self.source.glob("0*.parquet"))]
        columns = [(found["region"], found["hashtag"], [int(at.timestamp()) for at in found["at"]]) for found in files]
        return [row for found in columns for row in zip(*found, strict=True)]

    def new_route(self) -> Routing:
        """As a driver that starts anew makes it."""
        self.route = Routing(self.name, left="region", right="hashtag", checkpoint=self.checkpoint)
        return self.route

    def feed(self, rows: int = 60) -> None:
        """One more file."""
        first = len(self.rows)
        fresh = [(f"r{i * 13 % self.regions}", i * 31 % TAGS, i) for i in range(first, first + rows)]
        columns = {
            "region": pa.array([row[0] for row in fresh]),
            "hashtag": pa.array([row[1] for row in fresh], pa.int32()),
            "at": pa.array([row[2] * 1_000_000 for row in fresh], pa.timestamp("us", tz="UTC")),
        }
        parquet.write_table(pa.table(columns), self.source / f".{first:06}")
        (self.source / f".{first:06}").rename(self.source / f"{first:06}.parquet")
        self.rows += fresh

    def stream(self) -> DataFrame:
        """The files as a stream, a file a batch."""
        files = self.spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).parquet(str(self.source))
        return files.withWatermark("at", "10 minutes")

    def job(self, group: Callable[["Town"], DataFrame], **trigger: Any) -> Job:
        """A job whose counts, the last column, are kept by the columns before it."""

        def keep(frame: DataFrame, batch: int) -> None:
            self.batches[batch] = {tuple(row)[:-1]: row[-1] for row in frame.collect()}
            self.before_commit()

        def make(spark: SparkSession) -> DataStreamWriter:
            writer = group(self).writeStream.outputMode("update").foreachBatch(keep)
            return writer.option("checkpointLocation", self.checkpoint).trigger(**(trigger or {"availableNow": True}))

        return Job(self.name, make)

    def routed(self, job: Job) -> Routed:
        return Routed(self.spark, job, self.route)

    def run(self, job: Job) -> StreamingQuery:
        """Run the job over all files there are."""
        query = start_query(self.spark, job)
        assert query.awaitTermination(int(patience_s()))
        return query

    @property
    def counted(self) -> Counts:
        """The newest count of everything."""
        found: Counts = {}
        for _, counts in sorted(self.batches.items()):
            found |= counts
        return found


def by_region(town: Town) -> DataFrame:
    return town.stream().groupBy(*town.route.left_key()).count()


def by_window_and_tag(town: Town) -> DataFrame:
    window = functions.window("at", "1 minute")
    counts = town.stream().groupBy(window, *town.route.right_key()).count()
    return counts.select(_start(counts), "hashtag", "count")


def _start(counts: DataFrame) -> Column:
    return functions.unix_seconds(counts["window"]["start"]).alias("start")


def regions(town: Town) -> Counts:
    """The batch answer to `by_region`."""
    return dict(Counter((row[0],) for row in town.rows))


def windows_and_tags(town: Town) -> Counts:
    """The batch answer to `by_window_and_tag`."""
    return dict(Counter((row[2] // 60 * 60, row[1]) for row in town.rows))


def state_of(town: Town) -> DataFrame:
    """The state of the query, as its checkpoint holds it."""
    here, link = local_path(town.checkpoint), town.source.with_name("plain")
    if here is not None and not link.exists():
        link.symlink_to(here)  # Spark's reader takes no name with a space, see `readable_state`
    place = town.checkpoint if here is None else str(link)
    return town.spark.read.format("statestore").option("path", place).load()


def state_partitions(town: Town) -> dict[tuple[Any, ...], set[int]]:
    """Where the state of each key is, its salt left out."""
    state = state_of(town)
    found: dict[tuple[Any, ...], set[int]] = {}
    for row in state.select("key", "partition_id").collect():
        key = tuple(part for part in row["key"][:-1] if not isinstance(part, tuple) or not _is_time(part[0]))
        found.setdefault(key, set()).add(row["partition_id"])
    return found


def counts_in_state(town: Town) -> Counts:
    """The counts that the state holds, under their keys without the salt; of a window, its start in seconds."""
    state = state_of(town)
    found: Counts = {}
    for row in state.select("key", "value").collect():
        parts: list[Any] = list(row["key"][:-1])
        found[tuple(int(one["start"].timestamp()) if isinstance(one, Row) else one for one in parts)] = row["value"][0]
    return found


def _is_time(part: object) -> bool:
    return isinstance(part, datetime)
