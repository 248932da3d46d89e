"""How long a running count stands still while the state of its keys moves to another table, by number of keys.

`python benchmarks/migration_pause.py --keys 1000,10000,100000 --rounds 3` on real Spark (`local[2]`): a count by key
that has no windows, one row for each key a batch. Each round moves every key to another partition. *Stopped* is what
`reroute` takes from the query's stop to its start, *without results* from the last batch under the old table to the
first one under the new, *slow batches* how many after it took over 1.2 times as long as those before: 1 says that
throughput was back with the second. *Where it goes* are the seconds of its steps. At the end each row was counted once.
Targets: 100,000 keys in 3 s or less without results, at most two slow batches.
"""

import argparse
import os
import statistics
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
from pyspark.sql import DataFrame, SparkSession, functions
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.readwriter import DataStreamWriter

from penstock.core.known.routing_table import RoutingTable
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.jvm.starts import start_query
from penstock.engines.spark.launch.application import start_application
from penstock.engines.spark.routing.reroute import Routed, reroute
from penstock.engines.spark.routing.route import Routing

PARTITIONS = 4
_FEEDS_EVERY_S = 0.5
_WITHIN_S = 900.0
_STEADY = 5  # batches before and after
_SLOW = 1.2  # times what a batch took before


@dataclass(frozen=True, slots=True)
class Pause:
    """One migration: what it took, and when batches were committed around it."""

    stopped_s: float
    without_results_s: float
    steps: dict[str, float]
    moved: int
    slow_batches: int | None = None  # after it; None where all that were seen were slow


@dataclass(slots=True)
class Count:
    """A routed running count that is fed by a thread."""

    spark: SparkSession
    place: Path
    keys: int
    committed: list[float] = field(default_factory=list)
    rows: int = 0
    counted: dict[int, int] = field(default_factory=dict)
    over: threading.Event = field(default_factory=threading.Event)
    route: Routing = field(init=False)

    def __post_init__(self) -> None:
        (self.place / "in").mkdir(parents=True)
        self.route = Routing(f"pause_{self.keys}", left="key", right="key", checkpoint=str(self.place / "checkpoint"))

    def feed(self) -> None:
        """A file with a row for each key, twice a second, as long as it is read."""
        table = pa.table({"key": pa.array(np.arange(self.keys), pa.int64())})
        number = 0
        while not self.over.wait(_FEEDS_EVERY_S):
            if number - len(self.committed) < 2:
                parquet.write_table(table, self.place / "in" / f".{number:06}")
                (self.place / "in" / f".{number:06}").rename(self.place / "in" / f"{number:06}.parquet")
                number += 1
                self.rows += self.keys

    def job(self) -> Job:
        """The count; what each batch says of its rows is added up."""

        def keep(frame: DataFrame, batch: int) -> None:
            self.counted[batch] = frame.agg(functions.sum("count")).collect()[0][0] or 0
            self.committed.append(time.monotonic())

        def make(spark: SparkSession) -> DataStreamWriter:
            files = spark.readStream.schema("key long").option("maxFilesPerTrigger", 1)
            counts = files.parquet(str(self.place / "in")).groupBy(*self.route.left_key()).count()
            writer = counts.writeStream.outputMode("update").foreachBatch(keep)
            writer = writer.option("checkpointLocation", str(self.place / "checkpoint"))
            return writer.trigger(processingTime="100 milliseconds")

        return Job(self.route.name, make)


def migrated(count: Count, job: Job, query: StreamingQuery, shift: int) -> tuple[StreamingQuery, Pause]:
    """All keys to another partition than the one before."""
    table = RoutingTable(PARTITIONS, {"left": {key: (key + shift) % PARTITIONS for key in range(count.keys)}})
    steps: dict[str, float] = {}
    began_s = time.monotonic()
    change = reroute(
        Routed(count.spark, job, count.route), query, table, done=lambda step: steps.update({step: time.monotonic()})
    )
    stopped_s = steps["query started"] - steps["table kept"]
    before_s = max(at for at in count.committed if at <= steps["open batch finished"])
    after = len(count.committed)
    until(lambda: len(count.committed) > after)
    without_s = next(at for at in count.committed[after:]) - before_s
    at = began_s
    took = {}
    for step, done_s in steps.items():
        took[step], at = done_s - at, done_s
    return change.query, Pause(stopped_s, without_s, took, change.moved.keys)


def batch_seconds(query: StreamingQuery) -> list[float]:
    """What batches with rows took, by the query's own account."""
    return [one["durationMs"]["triggerExecution"] / 1000.0 for one in query.recentProgress if one["numInputRows"]]


def slow_batches(before_s: Sequence[float], after_s: Sequence[float]) -> int | None:
    """How many batches took much longer until one did not.

    >>> slow_batches([1.0, 1.1, 1.0], [1.9, 1.1, 1.0]), slow_batches([1.0], [1.9])
    (1, None)
    """
    usual_s = statistics.median(before_s)
    return next((number for number, took_s in enumerate(after_s) if took_s <= _SLOW * usual_s), None)


def until(met) -> None:  # type: ignore[no-untyped-def]
    """Wait for it."""
    end_s = time.monotonic() + _WITHIN_S
    while not met():
        if time.monotonic() > end_s:
            raise SystemExit("it did not come")
        time.sleep(0.02)


def measured(spark: SparkSession, keys: int, rounds: int) -> tuple[list[Pause], bool]:
    """All rounds over one query, and whether each row was counted once."""
    with tempfile.TemporaryDirectory(prefix="pause-") as name:
        count = Count(spark, Path(name), keys)
        job = count.job()
        feeder = threading.Thread(target=count.feed, daemon=True)
        feeder.start()
        query = start_query(spark, job, within_s=None)  # nobody else waits, however slow the machine
        pauses = []
        for number in range(rounds):
            steady = len(count.committed) + _STEADY
            until(lambda wanted=steady: len(count.committed) >= wanted)
            before_s = batch_seconds(query)[-_STEADY:]
            query, pause = migrated(count, job, query, number + 1)
            steady = len(count.committed) + _STEADY
            until(lambda wanted=steady: len(count.committed) >= wanted)
            pause = replace(pause, slow_batches=slow_batches(before_s, batch_seconds(query)))
            pauses.append(pause)
            print(f"{time.strftime('%H:%M:%S')} load {os.getloadavg()[0]:.1f}: {keys:,} keys: {pause}", flush=True)
        count.over.set()
        feeder.join()
        until(lambda: max(count.counted.values()) >= count.rows)
        query.stop()
        return pauses, max(count.counted.values()) == count.rows


def steps_told(pauses: Sequence[Pause]) -> str:
    """The median of each step."""
    names = dict.fromkeys(name for pause in pauses for name in pause.steps)
    medians = {name: statistics.median(pause.steps.get(name, 0.0) for pause in pauses) for name in names}
    return ", ".join(f"{name} {seconds:.1f} s" for name, seconds in medians.items())


def main() -> None:
    """A table by number of keys."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keys", default="1000,10000,100000")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    spark = start_application("pauses", "local[2]", {"spark.sql.shuffle.partitions": PARTITIONS})
    print("| keys | stopped, median | range | without results, median | range | slow batches | where it goes | rows |")
    print("|---|---|---|---|---|---|---|---|")
    for keys in map(int, given.keys.split(",")):
        pauses, whole = measured(spark, keys, given.rounds)
        parts = []
        for times in ([pause.stopped_s for pause in pauses], [pause.without_results_s for pause in pauses]):
            parts += [f"{statistics.median(times):.1f} s", f"{min(times):.1f} to {max(times):.1f} s"]
        parts += [", ".join(str(pause.slow_batches) for pause in pauses), steps_told(pauses)]
        print(f"| {keys:,} | {' | '.join(parts)} | {'each once' if whole else 'WRONG'} |", flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
