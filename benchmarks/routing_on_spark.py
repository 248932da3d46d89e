"""Routing on a real standalone cluster: what part of the second operator's shuffle stays on its host.

    penstock cluster up --workers 4 --cores 2
    python benchmarks/routing_on_spark.py [--master spark://127.0.0.1:7077] [--pairs taxi.csv.gz] [--write]

Each case runs the same rows through two windowed operators: hashed, routed by the table that METIS makes of earlier
rows, and worst (partners of a pair always apart). Each worker has an address of its own, so that what it reads
from another travels over TCP and Spark counts it as remote. `--pairs` names a CSV file with columns k1 and k2.
"""

import argparse
import csv
import gzip
import os
import platform
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
from pyspark.sql import DataFrame, SparkSession, functions

from penstock.core.pairs import PairCounts
from penstock.core.routing_table import RoutingTable
from penstock.engines.spark.machines import ExecutorReader
from penstock.engines.spark.routing.pinning import Pinning
from penstock.engines.spark.routing.route import Routing
from penstock.engines.spark.stages import StageReader, StageReading
from penstock.governing.application import start_application
from penstock.planning.routing.route import route

RESULTS = Path(__file__).parents[1] / "docs" / "results" / "routing-on-spark.md"
PAYLOAD_BYTES = 512
SETTLE_BATCHES = 3  # the first ones place the state
WITHIN_S = 900.0
Pairs = list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Measured:
    """One case: the local share of the second operator's shuffle, predicted and measured, and its speed."""

    case: str
    predicted: float
    local: float
    rows_rps: float
    batch_s: float
    repinned: int


def synthetic(rows: int, keys: int, locality: float, seed: int = 7) -> Pairs:
    """Pairs of which a share has equal numbers, the others any."""
    rng = np.random.default_rng(seed)
    left = rng.integers(0, keys, rows)
    right = np.where(rng.random(rows) < locality, left, rng.integers(0, keys, rows))
    return [(f"left {a}", f"right {b}") for a, b in zip(left, right, strict=True)]


def read_pairs(path: Path, rows: int) -> Pairs:
    """The last rows of a file of real pairs."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        found = [(row["k1"], row["k2"]) for row in csv.DictReader(file)]
    return found[-rows:]


def write_files(pairs: Pairs, files: int, place: Path) -> None:
    """One file for each batch; its rows are of one second, and carry bytes that do not compress."""
    place.mkdir(parents=True)
    rng = np.random.default_rng(1)
    each = len(pairs) // files
    for number in range(files):
        part = pairs[number * each : (number + 1) * each]
        columns = {
            "at": pa.array([number * 1_000_000] * each, pa.timestamp("us", tz="UTC")),
            "left": pa.array([pair[0] for pair in part]),
            "right": pa.array([pair[1] for pair in part]),
            "payload": pa.array([rng.bytes(PAYLOAD_BYTES) for _ in part], pa.binary()),
        }
        parquet.write_table(pa.table(columns), place / f"{number:06}.parquet", row_group_size=max(1, each // 8))


def tables(pairs: Pairs, servers: int) -> dict[str, RoutingTable]:
    """The three cases' tables, made from these pairs."""
    routed = route(PairCounts.exact(Counter(pairs)), servers)
    apart = {key: (server + 1) % servers for key, server in routed.right.items()}
    return {
        "hash": RoutingTable(servers),
        "routed": routed,
        "worst": RoutingTable(servers, {"left": routed.left, "right": apart}),
    }


def predicted(table: RoutingTable, pairs: Pairs) -> float:
    """The share of rows that stay, with keys that are not listed anywhere with equal chance."""
    stay = 0.0
    for (left, right), rows in Counter(pairs).items():
        a, b = table.server("left", left), table.server("right", right)
        stay += rows * (1 / table.servers if a is None or b is None else float(a == b))
    return stay / len(pairs)


def query_of(spark: SparkSession, source: Path, routing: Routing) -> DataFrame:
    """Gather the rows of a left key in its window, let them out again, and gather them by their right keys."""
    schema = "at timestamp, left string, right string, payload binary"
    files = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(str(source))
    window = functions.window("at", "1 second")
    held = functions.collect_list(functions.struct("right", "payload"))
    gathered = files.withWatermark("at", "0 seconds").groupBy(window, *routing.left_key()).agg(held.alias("held"))
    rows = gathered.select(functions.window_time("window").alias("at"), functions.explode("held").alias("row"))
    again = rows.select("at", "row.*").groupBy(window, *routing.right_key())
    return again.agg(functions.size(functions.collect_list("payload")).alias("rows"))


def run_case(spark: SparkSession, case: str, table: RoutingTable, source: Path, seen: Pairs) -> Measured:
    """Run one case to the end of its files."""
    place = Path(tempfile.mkdtemp(prefix=f"routing-{case}-"))
    routing = Routing(f"routing_{case}", left="left", right="right", checkpoint=place / "checkpoint")
    routing.start_with(spark, table)
    reader, pinning = StageReader(spark.sparkContext), Pinning(spark)
    writer = query_of(spark, source, routing).writeStream.format("noop").outputMode("append")
    writer = writer.option("checkpointLocation", str(place / "checkpoint")).queryName(routing.name)
    query = writer.trigger(availableNow=True).start()
    repinned, held, deadline = 0, -1, time.monotonic() + WITHIN_S
    while query.isActive and time.monotonic() < deadline:
        progress: Any = query.lastProgress
        if progress is not None and progress["batchId"] > held:
            held = progress["batchId"]
            repinned = pinning.hold(query, [1.0] * table.servers).repinned
        query.awaitTermination(1)
    query.stop()
    # Read once, when every stage is done: at most 60 in one reading, and a batch has about five.
    readings = reader.read()
    batches = [batch for batch in query.recentProgress if batch["batchId"] >= SETTLE_BATCHES and batch["numInputRows"]]
    seconds = [batch["durationMs"]["triggerExecution"] / 1000 for batch in batches]
    rows = [batch["numInputRows"] for batch in batches]
    return Measured(
        case=case,
        predicted=predicted(table, seen),
        local=local_share(readings),
        rows_rps=sum(rows) / sum(seconds),
        batch_s=statistics.median(seconds),
        repinned=repinned,
    )


def local_share(readings: Sequence[StageReading]) -> float:
    """Of the last shuffle of each batch after the first ones: that is the second operator's."""
    last: dict[int, StageReading] = {}
    for reading in sorted(readings, key=lambda reading: reading.stage_id):
        if reading.batch_id >= SETTLE_BATCHES and reading.shuffle_local_bytes + reading.shuffle_remote_bytes > 0:
            last[reading.batch_id] = reading
    local = sum(reading.shuffle_local_bytes for reading in last.values())
    return local / sum(reading.shuffle_local_bytes + reading.shuffle_remote_bytes for reading in last.values())


def report(found: Sequence[Measured], what: str, workers: int, command: str) -> str:
    """A section of the results."""
    lines = [
        f"## {what}, {workers} workers",
        "",
        f"{date.today()}, {platform.processor() or platform.machine()}, {os.cpu_count()} cores, `{command}`",
        "",
        "| case | local share predicted | measured | rows/s | batch, median |",
        "|---|---|---|---|---|",
    ]
    for one in found:
        lines.append(
            f"| {one.case} | {one.predicted:.3f} | {one.local:.3f} | {one.rows_rps:.0f} | {one.batch_s:.2f} s |"
        )
    worst = max(abs(one.predicted - one.local) for one in found)
    lines += ["", f"Largest difference between predicted and measured: {worst * 100:.1f} points (target: 3)."]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--master", default="spark://127.0.0.1:7077")
    parser.add_argument("--pairs", type=Path)
    parser.add_argument("--rows", type=int, default=40_000)
    parser.add_argument("--files", type=int, default=16)
    parser.add_argument("--locality", type=float, default=0.8)
    parser.add_argument("--executor-memory", default="512m")
    parser.add_argument("--write", action="store_true", help="append to docs/results/routing-on-spark.md")
    options = parser.parse_args()
    conf = {
        "spark.executor.memory": options.executor_memory,
        "spark.executor.cores": 1,
        "spark.locality.wait": "5s",
        "spark.shuffle.compress": False,
    }
    spark = start_application("routing", options.master, conf)
    workers = wait_for_executors(spark)
    spark.conf.set("spark.sql.shuffle.partitions", str(workers))
    pairs = (
        read_pairs(options.pairs, 2 * options.rows)
        if options.pairs
        else synthetic(2 * options.rows, 40 * workers, options.locality)
    )
    history, seen = pairs[: len(pairs) // 2], pairs[len(pairs) // 2 :]
    source = Path(tempfile.mkdtemp(prefix="routing-rows-")) / "in"
    write_files(seen, options.files, source)
    found: list[Measured] = []
    for case, table in tables(history, workers).items():
        found.append(run_case(spark, case, table, source, seen))
        print(found[-1], flush=True)
    spark.stop()
    what = options.pairs.name if options.pairs else f"Synthetic pairs of locality {options.locality:.0%}"
    text = report(found, what, workers, f"python benchmarks/routing_on_spark.py --rows {options.rows}")
    print(text)
    if options.write:
        with RESULTS.open("a", encoding="utf-8") as file:
            file.write("\n" + text)


def wait_for_executors(spark: SparkSession) -> int:
    """How many executors there are, once their number has been the same for five seconds."""
    reader, count, since = ExecutorReader(spark.sparkContext), 0, time.monotonic()
    while count == 0 or time.monotonic() - since < 5.0:
        now = len(reader.read())
        if now != count:
            count, since = now, time.monotonic()
        time.sleep(0.2)
    return count


if __name__ == "__main__":
    main()
