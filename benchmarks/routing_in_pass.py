"""What routing costs inside a query: CPU time of a batch plain, with pairs observed, with keys routed, with both.

    python benchmarks/routing_in_pass.py [--rows 200000] [--batches 8] [--entries 10000] [--write]

CPU time of the tasks, as Spark's executors measure it, since a shared machine's clock says more of its other users.
"""

import argparse
import os
import platform
import statistics
import tempfile
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession, functions

from penstock.core.routing_table import RoutingTable
from penstock.engines.spark.measured import measured
from penstock.engines.spark.routing.route import Routing
from penstock.engines.spark.stages import StageReader
from penstock.governing.application import start_application

RESULTS = Path(__file__).parents[1] / "docs" / "results" / "routing-on-spark.md"
WARM_UP = 3
REGIONS, TAGS, PARTITIONS = 1000, 20_000, 4
Variant = Callable[[SparkSession], DataFrame]


def events(spark: SparkSession, rows: int) -> DataFrame:
    """Rows of 1,000 regions and, ever rarer, 20,000 tags."""
    source = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", rows).option("numPartitions", 4).load()
    evenly = functions.pmod(functions.hash("value"), functions.lit(65_536)) / 65_536.0
    return source.select(
        "timestamp",
        functions.concat(functions.lit("region "), functions.col("value") * 7919 % REGIONS).alias("region"),
        functions.concat(functions.lit("tag "), (functions.pow(evenly, 3) * TAGS).cast("int")).alias("tag"),
    )


def variants(rows: int, entries: int, place: Path) -> Mapping[str, Variant]:
    """The same running count, four ways; `measured` alone is what latency costs without pairs."""
    table = RoutingTable(PARTITIONS, {"left": {f"region {i}": i % PARTITIONS for i in range(entries)}})

    def grouped(stream: DataFrame, name: str | None = None) -> DataFrame:
        if name is None:
            return stream.groupBy("region").count()
        route = Routing(name, left="region", checkpoint=place / name)
        if not (place / name).exists():
            route.start_with(stream.sparkSession, table)
        return stream.groupBy(*route.left_key()).count()

    pairs = ("region", "tag")
    return {
        "plain": lambda spark: grouped(events(spark, rows)),
        "measured": lambda spark: grouped(measured(events(spark, rows), "timestamp")),
        "measured, with pairs": lambda spark: grouped(measured(events(spark, rows), "timestamp", pairs)),
        "routed": lambda spark: grouped(events(spark, rows), "routed"),
        "routed, measured, with pairs": lambda spark: grouped(
            measured(events(spark, rows), "timestamp", pairs), "both"
        ),
    }


def cpu_of_batches(spark: SparkSession, variant: Variant, batches: int) -> list[float]:
    """CPU seconds of each batch after the first ones."""
    reader = StageReader(spark.sparkContext)
    writer = variant(spark).writeStream.format("noop").outputMode("update")
    query = writer.option("checkpointLocation", tempfile.mkdtemp(prefix="in-pass-")).start()
    progress: Any = None
    while query.isActive and (progress is None or progress["batchId"] < WARM_UP + batches):
        query.awaitTermination(1)
        progress = query.lastProgress
    query.stop()
    found: dict[int, float] = {}
    for reading in reader.read():  # once, when every stage is done
        found[reading.batch_id] = found.get(reading.batch_id, 0.0) + reading.cpu_s * reading.counts_for
    return [cpu_s for batch, cpu_s in sorted(found.items()) if WARM_UP <= batch < WARM_UP + batches]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--batches", type=int, default=8)
    parser.add_argument("--entries", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--write", action="store_true", help="append to docs/results/routing-on-spark.md")
    options = parser.parse_args()
    spark = start_application("routing in pass", "local[2]", {"spark.sql.shuffle.partitions": PARTITIONS})
    found: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as place:
        for _ in range(options.rounds):
            for name, variant in variants(options.rows, options.entries, Path(place)).items():
                found.setdefault(name, []).extend(cpu_of_batches(spark, variant, options.batches))
    spark.stop()
    text = report(found, options.rows, options.entries)
    print(text)
    if options.write:
        with RESULTS.open("a", encoding="utf-8") as file:
            file.write("\n" + text)


def report(found: Mapping[str, list[float]], rows: int, entries: int) -> str:
    """A section of the results."""
    plain = statistics.median(found["plain"])
    lines = [
        f"## In the query's own pass: {rows:,} rows a batch, {entries:,} entries in the table",
        "",
        f"{date.today()}, {platform.machine()}, {os.cpu_count()} cores, `python benchmarks/routing_in_pass.py`",
        "",
        "| variant | CPU of a batch, median | lowest to highest | against plain |",
        "|---|---|---|---|",
    ]
    for name, cpu_s in found.items():
        middle = statistics.median(cpu_s)
        spread = f"{min(cpu_s):.3f} to {max(cpu_s):.3f} s"
        lines.append(f"| {name} | {middle:.3f} s | {spread} | {middle / plain - 1:+.1%} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
