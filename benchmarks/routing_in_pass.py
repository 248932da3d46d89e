"""What routing costs inside a query: CPU time of a batch plain, with pairs observed, with keys routed, with both.

    python benchmarks/routing_in_pass.py [--operators 1] [--rows 200000] [--rounds 4] [--entries 10000] [--write]

The query has two stateful operators, between which pairs are counted; with `--operators 1` it is the lightest that
there is, a running count, so that what is added shows against next to nothing. CPU time of the tasks, as Spark's
executors measure it, since a shared machine's clock says more of its other users.
"""

import argparse
import os
import platform
import statistics
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession, functions

from penstock.core.routing_table import RoutingTable
from penstock.engines.spark.jvm.stages import StageReader
from penstock.engines.spark.measured import measured
from penstock.engines.spark.routing.route import Routing
from penstock.governing.application import start_application

RESULTS = Path(__file__).parents[1] / "docs" / "results" / "routing-on-spark.md"
WARM_UP = 2
PAIRS = ", with pairs"
REGIONS, TAGS, PARTITIONS = 1000, 20_000, 4
Variant = Callable[[SparkSession, str], DataFrame]  # with the checkpoint that its query has


@dataclass(frozen=True, slots=True)
class Query:
    """What is run, plain or by a route, and the output mode that it needs."""

    made: Callable[[DataFrame, Routing | None], DataFrame]
    mode: str


def events(spark: SparkSession, rows: int) -> DataFrame:
    """Rows of 1,000 regions and, ever rarer, 20,000 tags."""
    source = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", rows).option("numPartitions", 4).load()
    evenly = functions.pmod(functions.hash("value"), functions.lit(65_536)) / 65_536.0
    return source.select(
        "timestamp",
        functions.concat(functions.lit("region "), functions.col("value") * 7919 % REGIONS).alias("region"),
        functions.concat(functions.lit("tag "), (functions.pow(evenly, 3) * TAGS).cast("int")).alias("tag"),
    )


def one_count(stream: DataFrame, route: Routing | None) -> DataFrame:
    """A running count by region."""
    return stream.groupBy(*(["region"] if route is None else route.left_key())).count()


def two_counts(stream: DataFrame, route: Routing | None) -> DataFrame:
    """The tags of each region and second, then the regions' messages by tag."""
    left, right = (["region"], ["tag"]) if route is None else (route.left_key(), route.right_key())
    timed = stream.withWatermark("timestamp", "0 seconds")
    regions = timed.groupBy(functions.window("timestamp", "1 second"), *left).agg(
        functions.collect_list("tag").alias("tags")
    )
    tags = regions.select(functions.window_time("window").alias("timestamp"), functions.explode("tags").alias("tag"))
    return tags.groupBy(functions.window("timestamp", "1 second"), *right).count()


QUERIES: Mapping[int, Query] = {1: Query(one_count, "update"), 2: Query(two_counts, "append")}


def variants(options: argparse.Namespace) -> Mapping[str, Variant]:
    """The same query in several ways; `measured` alone is what latency costs without pairs."""
    rows, query = options.rows, QUERIES[options.operators].made
    table = RoutingTable(PARTITIONS, {"left": {f"region {i}": i % PARTITIONS for i in range(options.entries)}})

    def routed(stream: DataFrame, checkpoint: str) -> DataFrame:
        route = Routing("routed", left="region", right="tag", checkpoint=checkpoint)
        route.start_with(stream.sparkSession, table)
        return query(stream, route)

    pairs = ("region", "tag")
    return {
        "plain": lambda spark, _: query(events(spark, rows), None),
        "measured": lambda spark, _: query(measured(events(spark, rows), "timestamp"), None),
        f"measured{PAIRS}": lambda spark, _: query(measured(events(spark, rows), "timestamp", pairs), None),
        "routed": lambda spark, checkpoint: routed(events(spark, rows), checkpoint),
    }


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a variant: CPU seconds of its tasks and seconds on the clock, batch by batch."""

    cpu_s: list[float]
    wall_s: list[float]


def run(spark: SparkSession, variant: Variant, mode: str, batches: int) -> Run:
    """The batches after the first ones."""
    reader, checkpoint = StageReader(spark.sparkContext), tempfile.mkdtemp(prefix="in-pass-")
    writer = variant(spark, checkpoint).writeStream.format("noop").outputMode(mode)
    query = writer.option("checkpointLocation", checkpoint).start()
    progress: Any = None
    while query.isActive and (progress is None or progress["batchId"] < WARM_UP + batches):
        query.awaitTermination(1)
        progress = query.lastProgress
    query.stop()
    found: dict[int, float] = {}
    for reading in reader.read():  # once, when every stage is done
        found[reading.batch_id] = found.get(reading.batch_id, 0.0) + reading.cpu_s * reading.counts_for
    wanted = range(WARM_UP, WARM_UP + batches)
    wall_s = [p["durationMs"]["triggerExecution"] / 1000 for p in query.recentProgress if p["batchId"] in wanted]
    return Run([found[batch] for batch in wanted if batch in found], wall_s)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--operators", type=int, choices=QUERIES, default=2, help="of the query, with state")
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--batches", type=int, default=6)
    parser.add_argument("--entries", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=4, help="the first one is not counted: Java is not warm yet")
    parser.add_argument("--write", action="store_true", help="append to docs/results/routing-on-spark.md")
    options = parser.parse_args()
    spark = start_application("routing in pass", "local[2]", {"spark.sql.shuffle.partitions": PARTITIONS})
    found: dict[str, list[Run]] = {}
    named = list(variants(options).items())
    for number in range(options.rounds):
        # Forwards and backwards: whoever comes later finds a warmer machine.
        for name, variant in named[:: 1 if number % 2 else -1]:
            done = run(spark, variant, QUERIES[options.operators].mode, options.batches)
            cpu_s = ", ".join(f"{cpu_s:.3f}" for cpu_s in done.cpu_s)
            print(f"round {number}, {name}: CPU s {cpu_s}", file=sys.stderr, flush=True)
            if number:
                found.setdefault(name, []).append(done)
    spark.stop()
    text = report({name: found[name] for name, _ in named}, options)
    print(text)
    if options.write:
        with RESULTS.open("a", encoding="utf-8") as file:
            file.write("\n" + text)


def report(found: Mapping[str, Sequence[Run]], options: argparse.Namespace) -> str:
    """A section of the results."""
    lines = [
        f"## In the query's own pass: {options.operators} stateful operators, {options.rows:,} rows a batch, "
        f"{options.entries:,} entries in the table",
        "",
        f"{date.today()}, {platform.machine()}, {os.cpu_count()} cores, `python benchmarks/routing_in_pass.py "
        f"--operators {options.operators} --rows {options.rows}`, "
        f"{options.rounds - 1} rounds of {options.batches} batches each",
        "",
        "| variant | CPU s of a batch, median | by round | batch s, median | against plain | pairs alone |",
        "|---|---|---|---|---|---|",
    ]
    for name, runs in found.items():
        rounds = [_median(run.cpu_s) for run in runs]
        pairs = f"{_times(runs, found[name.removesuffix(PAIRS)]) - 1:+.1%}" if name.endswith(PAIRS) else ""
        lines.append(
            f"| {name} | {_median(rounds):.3f} | {min(rounds):.3f} to {max(rounds):.3f} "
            f"| {_median([s for run in runs for s in run.wall_s]):.2f} "
            f"| {_times(runs, found['plain']) - 1:+.1%} | {pairs} |"
        )
    return "\n".join(lines) + "\n"


def _times(runs: Sequence[Run], others: Sequence[Run]) -> float:
    """How many times the CPU, round by round, and the median of that: a round's neighbours share its machine."""
    return _median([_median(a.cpu_s) / _median(b.cpu_s) for a, b in zip(runs, others, strict=True)])


def _median(values: Sequence[float]) -> float:
    return float(statistics.median(values))


if __name__ == "__main__":
    main()
