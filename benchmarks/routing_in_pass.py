"""What routing costs a query: CPU time of a million rows plain, measured, with pairs observed, and with keys routed.

    python benchmarks/routing_in_pass.py [--operators 1] [--rows 200000] [--rounds 4] [--entries 10000] [--write]
    python benchmarks/routing_in_pass.py --variants plain,routed --rounds 6                # routing alone
    python benchmarks/routing_in_pass.py --variants plain,routed --rounds 22 --warm 10     # in a warm driver

The query has two stateful operators, between which pairs are counted; with `--operators 1` it is the lightest that
there is, a running count, so that what is added shows against next to nothing. Each round has every variant once, in
turns forwards and backwards, and is compared with its own plain run. What counts is the CPU time of the whole JVM,
driver and executor in one: what the tasks say of themselves leaves out planning, and what it takes to read the tables
that come with each task. The clock of a shared machine would say more of its other users.
Target: routed at 8 % or less.
"""

import argparse
import os
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession, functions
from pyspark.sql.streaming.query import StreamingQuery

from penstock.core.known.routing_table import RoutingTable
from penstock.correlation.sampling import one_in_for
from penstock.engines.spark.jvm.stages import StageReader
from penstock.engines.spark.launch.application import start_application
from penstock.engines.spark.measured import measured
from penstock.engines.spark.routing.route import Routing
from penstock.local import processes

RESULTS = Path(__file__).parents[1] / "docs" / "results" / "routing-on-spark.md"
WARM_UP = 2
PAIRS = " with pairs"
_LOOKS_EVERY_S = 0.1
BATCHES_A_WINDOW = 60  # of ten minutes by default; more of them draw as many
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
    one_in = one_in_for(rows, 1 / BATCHES_A_WINDOW)  # as penstock has a governed query draw
    return {
        "plain": lambda spark, _: query(events(spark, rows), None),
        "measured": lambda spark, _: query(measured(events(spark, rows), "timestamp"), None),
        f"measured{PAIRS}": lambda spark, _: query(measured(events(spark, rows), "timestamp", pairs, one_in), None),
        "routed": lambda spark, checkpoint: routed(events(spark, rows), checkpoint),
    }


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a variant, by what its batches took once they were warm."""

    jvm_s: float  # of CPU, by a million rows
    tasks_s: float  # of that, what tasks say that they took
    batch_s: float  # on the clock, median


def run(spark: SparkSession, variant: Variant, options: argparse.Namespace) -> Run:
    """The batches after the first ones."""
    reader = StageReader(spark.sparkContext)
    with tempfile.TemporaryDirectory(prefix="in-pass-") as checkpoint:
        mode = QUERIES[options.operators].mode
        writer = variant(spark, checkpoint).writeStream.format("noop").outputMode(mode)
        query = writer.option("checkpointLocation", checkpoint).start()
        jvm_s = _jvm_seconds(spark, query, WARM_UP + options.batches)
        query.stop()
    first, last = min(jvm_s), max(jvm_s)
    wanted = range(first + 1, last + 1)
    tasks_s = sum(one.cpu_s * one.counts_for for one in reader.read() if one.batch_id in wanted)
    wall_s = [p["durationMs"]["triggerExecution"] / 1000 for p in query.recentProgress if p["batchId"] in wanted]
    millions = len(wanted) * options.rows / 1e6
    return Run((jvm_s[last] - jvm_s[first]) / millions, tasks_s / millions, _median(wall_s))


def _jvm_seconds(spark: SparkSession, query: StreamingQuery, last: int) -> dict[int, float]:
    """The CPU seconds that the JVM had taken when each batch had ended, from the last one of the warm-up on."""
    java: Any = spark.sparkContext._jvm
    pid = int(java.java.lang.ProcessHandle.current().pid())
    found: dict[int, float] = {}
    while query.isActive and last not in found:
        query.awaitTermination(_LOOKS_EVERY_S)  # type: ignore[arg-type]  # a fraction of a second is as good
        progress: Any = query.lastProgress
        if progress is not None and progress["batchId"] >= WARM_UP:
            found.setdefault(min(progress["batchId"], last), _cpu_s(pid))
    return found


def _cpu_s(pid: int) -> float:
    fields = processes.stat_fields(pid) or []
    return sum(int(fields[place]) for place in (11, 12)) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--operators", type=int, choices=QUERIES, default=2, help="of the query, with state")
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--batches", type=int, default=6, help="that count, of a run")
    parser.add_argument("--variants", default="", help="some of them, such as plain,routed; all otherwise")
    parser.add_argument("--entries", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=4, help="with those that are not counted")
    parser.add_argument(
        "--warm", type=int, default=1, help="rounds at first that are not counted: Java is not warm yet"
    )
    parser.add_argument("--write", action="store_true", help="append to docs/results/routing-on-spark.md")
    options = parser.parse_args()
    wanted = ("plain", *options.variants.split(",")) if options.variants else tuple(variants(options))
    if not 0 < options.warm < options.rounds or not set(wanted) <= set(variants(options)):
        parser.error(f"--rounds: more than --warm, which is one or more; --variants: of {', '.join(variants(options))}")
    spark = start_application("routing in pass", "local[2]", {"spark.sql.shuffle.partitions": PARTITIONS})
    found: dict[str, list[Run]] = {}
    named = [(name, variant) for name, variant in variants(options).items() if name in wanted]
    for number in range(options.rounds):
        # Forwards and backwards: whoever comes later finds a warmer machine.
        for name, variant in named[:: 1 if number % 2 else -1]:
            done = run(spark, variant, options)
            told = f"{time.strftime('%H:%M:%S')} load {os.getloadavg()[0]:.1f}: round {number}"
            print(f"{told}, {name}: {done}", file=sys.stderr, flush=True)
            if number >= options.warm:
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
        f"{options.rounds - options.warm} rounds of {options.batches} batches each after {options.warm} to get warm",
        "",
        "| variant | CPU s of a million rows, median | by round | of that in tasks | batch s, median | against plain "
        "| pairs alone |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, runs in found.items():
        rounds = [run.jvm_s for run in runs]
        alone = name.removesuffix(PAIRS)
        pairs = _against(runs, found[alone]) if name.endswith(PAIRS) and alone in found else ""
        lines.append(
            f"| {name} | {_median(rounds):.2f} | {min(rounds):.2f} to {max(rounds):.2f} "
            f"| {_median([run.tasks_s for run in runs]):.2f} | {_median([run.batch_s for run in runs]):.2f} "
            f"| {_against(runs, found['plain'])} | {pairs} |"
        )
    return "\n".join(lines) + "\n"


def _against(runs: Sequence[Run], others: Sequence[Run]) -> str:
    """How much more CPU, round by round, and the median of that: a round's neighbours share its machine."""
    more = [one.jvm_s / other.jvm_s - 1 for one, other in zip(runs, others, strict=True)]
    return f"{_median(more):+.1%} ({min(more):+.1%} to {max(more):+.1%})"


def _median(values: Sequence[float]) -> float:
    return float(statistics.median(values))


if __name__ == "__main__":
    main()
