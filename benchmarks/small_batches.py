"""What a small batch of a query that counts takes, by how the files of its checkpoint are written on a local disk.

    python benchmarks/small_batches.py --runs 3

Each case has a process of its own, in turns: an application as `penstock run` starts it, in which one setting is as
Spark has it, or both are. The first batches do not count; a hundred of them take half a minute.
"""

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Mapping
from multiprocessing import get_context

from machine_use import read_machine
from pyspark.sql import SparkSession, functions
from pyspark.sql.streaming.query import StreamingQuery

from penstock.engines.spark.jvm.checkpoint_writer import CHANGELOG, write_as_spark_does
from penstock.engines.spark.launch.application import start_application

PARTITIONS = 4
SKIPPED = 30  # batches, of cold code
SNAPSHOTS = {CHANGELOG: "false"}
CASES: Mapping[str, tuple[Mapping[str, str], bool]] = {  # its conf, and whether Spark chooses who writes
    "as Spark has it": (SNAPSHOTS, True),
    "written plainly": (SNAPSHOTS, False),
    "changes instead of snapshots": ({}, True),
    "both, as penstock has it": ({}, False),
}


def batches(case: str, count: int) -> tuple[float, float]:
    """The time of one batch and the CPU time that it takes, with all processes that it starts; in milliseconds."""
    conf, by_spark = CASES[case]
    wanted = {"spark.sql.shuffle.partitions": PARTITIONS, **conf}
    spark = start_application("small batches", f"local[{PARTITIONS}]", wanted)
    try:
        if by_spark:
            write_as_spark_does(spark)
        return _measured(spark, count)
    finally:
        spark.stop()


def _measured(spark: SparkSession, count: int) -> tuple[float, float]:
    rows = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 100).load()
    counts = rows.groupBy((functions.col("value") % 10).alias("key")).count()
    with tempfile.TemporaryDirectory(prefix="penstock-bench-", ignore_cleanup_errors=True) as place:
        writer = counts.writeStream.format("noop").outputMode("update").option("checkpointLocation", place)
        query = writer.start()
        began, ended = [_at(query, number) for number in (SKIPPED, SKIPPED + count)]
        query.stop()
    return (ended[0] - began[0]) / count * 1000, (ended[1] - began[1]) / count * 1000


def _at(query: StreamingQuery, batch: int) -> tuple[float, float]:
    """The clock and the CPU time used, once that batch has ended."""
    while (query.lastProgress or {"batchId": -1})["batchId"] < batch:
        if not query.isActive:
            raise SystemExit(f"the query ended: {query.exception()}")
        time.sleep(0.05)
    return time.monotonic(), read_machine({os.getpid(): "all"}).processes_s["all"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--batches", type=int, default=100)
    options = parser.parse_args()
    taken: dict[str, list[tuple[float, float]]] = {case: [] for case in CASES}
    for _ in range(options.runs):
        for case, found in taken.items():
            with get_context("spawn").Pool(1) as own:
                found.append(own.apply(batches, (case, options.batches)))
    print("| files of the checkpoint | a batch, ms | range | its CPU time, ms | range |\n|---|---|---|---|---|")
    for case, found in taken.items():
        times = [_told(list(figures)) for figures in zip(*found, strict=True)]
        print(f"| {case} | {' | '.join(times)} |")


def _told(figures: list[float]) -> str:
    return f"{statistics.median(figures):.0f} | {min(figures):.0f} to {max(figures):.0f}"


if __name__ == "__main__":
    main()
