"""A backfill beside tenants that are in a hurry: hundreds of files wait for a query whose batches have no bound.

Under FAIR its first batch takes them all, and slots from everybody, for as long as the trial lasts. By hand: a batch of
one file for each slot, and four of six parts of the slots for the urgent tenant. In turns on one application, after
a warm-up:

    python benchmarks/backfill.py --runs 3
"""

import argparse
import os
import statistics
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from kafka_trial import machine
from machine_use import read_machine, use_between
from pyspark.sql import Column, DataFrame, SparkSession, functions
from pyspark.sql.streaming.readwriter import DataStreamWriter

from penstock.core.asked.intents import Intent, Juice, Latency
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.launch.application import start_application
from penstock.governing.comparison import PolicyTurn, Tenants, TrialResult, run_trial

SLOTS, FILES, LINES = 4, 400, 2_000
URGENT = "fraud"
INTENTS: Mapping[str, Intent] = {
    URGENT: Intent(Latency("3s", utility=40)),
    "clicks": Intent(Juice(0.9, utility=10)),
    "backfill": Intent(Juice(0.5, utility=10)),
}
HEADER = "| | utility, of all | fraud within 3 s, of the time | thousand rows of the backfill |\n|---|---|---|---|"
MOST = sum(intent.max_utility for intent in INTENTS.values())
BY_HAND = {URGENT: 4, "clicks": 1, "backfill": 1}
WAYS = {"FAIR": "fair", "by hand": "static", "penstock": "penstock"}


def main() -> None:
    """Trial after trial, and what came of each way."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--runs", type=int, default=3)
    asked.add_argument("--seconds", type=float, default=70.0)
    options = asked.parse_args()
    with tempfile.TemporaryDirectory(prefix="penstock-backfill-") as place:
        _write_files(Path(place))
        spark = start_application("backfill", f"local[{SLOTS}]", {"spark.sql.shuffle.partitions": SLOTS})
        try:
            _trial(spark, Path(place), "FAIR", 20.0)  # Java warms up
            found: dict[str, list[TrialResult]] = {way: [] for way in WAYS}
            before = read_machine({os.getpid(): "this"})
            for run in range(options.runs):
                for way in _turned(list(WAYS), run):
                    found[way].append(_trial(spark, Path(place), way, options.seconds))
                    print(f"{way}: {_utility(found[way][-1]):.2f}", flush=True)
            use = use_between(before, read_machine({os.getpid(): "this"}))
        finally:
            spark.stop()
    print(f"\n{machine()}; {use.text()}\n\n{HEADER}")
    for row in _rows(found):
        print(f"| {' | '.join(row)} |")


def _write_files(place: Path) -> None:
    for number in range(FILES):
        lines = (f"row {number} {line}\n" for line in range(LINES))
        (place / f"{number:04}.txt").write_text("".join(lines), encoding="utf-8")


def _turned(ways: Sequence[str], run: int) -> Sequence[str]:
    first = run % len(ways)
    return [*ways[first:], *ways[:first]]


def _trial(spark: SparkSession, files: Path, way: str, seconds: float) -> TrialResult:
    by_hand = way == "by hand"
    tenants = Tenants(lambda place: _jobs(files, place, by_hand), INTENTS)
    return run_trial(spark, tenants, PolicyTurn(WAYS[way], seconds, interval_s=2.0, window_s=10.0))


def _jobs(files: Path, checkpoints: Path, by_hand: bool) -> list[Job]:
    functions_of = {
        URGENT: partial(_rated, 300, 200),
        "clicks": partial(_rated, 300, 300),
        "backfill": partial(_filed, files, 60, SLOTS if by_hand else None),
    }
    return [
        Job(name, partial(_written, rows, checkpoints / name), slots=BY_HAND[name] if by_hand else None)
        for name, rows in functions_of.items()
    ]


def _rated(rows: int, hashes: int, spark: SparkSession) -> DataFrame:
    read = spark.readStream.format("rate").option("rowsPerSecond", rows).option("numPartitions", SLOTS)
    return read.load().select(_hashed(functions.col("value").cast("string"), hashes))


def _filed(files: Path, hashes: int, most: int | None, spark: SparkSession) -> DataFrame:
    read = spark.readStream.format("text")
    read = read if most is None else read.option("maxFilesPerTrigger", most)
    return read.load(str(files)).select(_hashed(functions.col("value"), hashes))


def _hashed(value: Column, times: int) -> Column:
    """Work for a core: hashed so many times."""
    turns = functions.sequence(functions.lit(1), functions.lit(times))
    return functions.aggregate(turns, value, lambda so_far, _: functions.sha2(so_far.cast("binary"), 512))


def _written(rows: partial[DataFrame], checkpoint: Path, spark: SparkSession) -> DataStreamWriter:
    writer = rows(spark).writeStream.format("noop").option("checkpointLocation", str(checkpoint))
    return writer.trigger(processingTime="1 second")


def _utility(result: TrialResult) -> float:
    return statistics.mean(view.utility for view in result.views) / MOST


def _rows(found: Mapping[str, Sequence[TrialResult]]) -> list[list[str]]:
    return [[way, *(_range(of, results) for of in (_utility, _in_time, _backfilled))] for way, results in found.items()]


def _in_time(result: TrialResult) -> float:
    return statistics.mean(view.job(URGENT).met for view in result.views)


def _backfilled(result: TrialResult) -> float:
    """In thousands, by what it processed in the mean over the views."""
    rates = [view.job("backfill").figures.processed_rps or 0.0 for view in result.views]
    return statistics.mean(rates) * result.trial.seconds / 1000.0


def _range(of: Callable[[TrialResult], float], results: Sequence[TrialResult]) -> str:
    values = sorted(map(of, results))
    return f"{statistics.median(values):.2f} ({values[0]:.2f} to {values[-1]:.2f})"


if __name__ == "__main__":
    main()
