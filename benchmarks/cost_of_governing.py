"""What rounds cost a query that nobody competes with: the same query, governed and left alone in turns.

    python benchmarks/cost_of_governing.py --pairs 24 --seconds 20
    python benchmarks/cost_of_governing.py --pairs 24 --seconds 15 --interval 2

One query runs all the time and takes all the processor it gets; it is governed for a stretch, then left alone for one,
and each pair of stretches comes in the other order than the pair before. Rounds come as `penstock run` has them, every
10 s, unless `--interval` says otherwise: more often, what they cost is easier to tell from chance. The beginning
and the end of governing do not count. Two ratios are told, with the interval that 95 % of all such sets of pairs would
agree on: of batches a second, which feels all that other processes do, and of batches for each second of a core that
the application and penstock used, which feels hardly any of it.
"""

import argparse
import os
import signal
import statistics
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
from judged import pid_of
from machine_use import read_machine
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from penstock.core.asked.intents import Intent, Juice
from penstock.engines.spark.engine import SparkEngine
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.jvm.live import LiveSpark
from penstock.engines.spark.launch.application import start_application
from penstock.engines.spark.settings import SparkSettings
from penstock.engines.spark.watch.progress import epoch_s
from penstock.governing.controller import Controller
from penstock.governing.governed import Governed
from penstock.loop import LoopSettings
from penstock.planning.registry import DEFAULT, policy_named

NAME = "alone"
ROWS = 200_000  # of a batch
_SETTLES_S = 3.0  # of each stretch: the controller begins, with its first round, or has just ended
_WARM = 4  # stretches before the first that counts
_RESAMPLED = 10_000


@dataclass(frozen=True, slots=True)
class Mark:
    """The last batch that was done, when, and the CPU time used by then, by process."""

    batch: int
    at_s: float
    cpu_s: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Stretch:
    """What came through in one stretch, and the cores that each process used for it."""

    batches_per_s: float
    cores: Mapping[str, float]

    @property
    def batches_per_cpu_s(self) -> float:
        """For each second of a core."""
        return self.batches_per_s / sum(self.cores.values())


@dataclass(frozen=True, slots=True)
class Ratio:
    """Governed over left alone: the typical pair, and the interval of 95 % around it."""

    middle: float
    low: float
    high: float

    def text(self) -> str:
        """In words."""
        return f"{self.middle:.3f} ({self.low:.3f}-{self.high:.3f})"


def ratio_of(pairs: Sequence[tuple[float, float]], seed: int = 1) -> Ratio:
    """The geometric mean of governed / alone over pairs, and how far it would move with other pairs (bootstrap).

    >>> ratio_of([(98.0, 100.0), (100.0, 100.0)]).text()
    '0.990 (0.980-1.000)'
    """
    logs = np.log([governed / alone for governed, alone in pairs])
    rng = np.random.default_rng(seed)
    means = rng.choice(logs, (_RESAMPLED, len(logs))).mean(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return Ratio(float(np.exp(logs.mean())), float(np.exp(low)), float(np.exp(high)))


def governing(spark: SparkSession, interval_s: float) -> AbstractContextManager[Any]:
    """The default policy with default settings, over the query that runs."""
    engine = SparkEngine(LiveSpark(spark), [Job(NAME)], SparkSettings(10.0))
    settings = LoopSettings(interval_s=interval_s)
    return Controller(engine, Governed({NAME: Intent(Juice(0.1))}, policy_named(DEFAULT), settings=settings))


def unlimited(spark: SparkSession) -> StreamingQuery:
    """A query as fast as it goes."""
    source = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", ROWS).option("numPartitions", 4)
    summed = source.load().selectExpr("sum(hash(value, timestamp)) AS sum")
    return summed.writeStream.format("noop").outputMode("update").queryName(NAME).start()


def stretch(spark: SparkSession, query: StreamingQuery, seconds: float, interval_s: float | None = None) -> Stretch:
    """One stretch of the query that runs, governed where rounds have an interval."""
    with nullcontext() if interval_s is None else governing(spark, interval_s):
        time.sleep(_SETTLES_S)
        before = _mark(spark, query)
        time.sleep(seconds)
        after = _mark(spark, query)
    span_s = after.at_s - before.at_s
    cores = {name: (used - before.cpu_s[name]) / span_s for name, used in after.cpu_s.items()}
    return Stretch((after.batch - before.batch) / span_s, cores)


def _mark(spark: SparkSession, query: StreamingQuery) -> Mark:
    progress = query.lastProgress
    if progress is None:
        raise SystemExit("the query has not ended a batch; it needs longer to start")
    ended_s = epoch_s(progress["timestamp"]) + progress["durationMs"]["triggerExecution"] / 1000.0
    used = read_machine({os.getpid(): "penstock", pid_of(spark): "spark"})
    return Mark(int(progress["batchId"]), ended_s, used.processes_s)


Pair = tuple[Stretch, Stretch]  # governed, and left alone


def measured(spark: SparkSession, count: int, seconds: float, interval_s: float) -> list[Pair]:
    """So many pairs, each in the other order: a drifting machine favours none."""
    query = unlimited(spark)
    time.sleep(_WARM * seconds)
    pairs: list[Pair] = []
    for pair in range(count):
        order = (interval_s, None) if pair % 2 else (None, interval_s)
        came = {rounds: stretch(spark, query, seconds, rounds) for rounds in order}
        pairs.append((came[interval_s], came[None]))
    query.stop()
    return pairs


def told(pairs: Sequence[Pair]) -> str:
    """What they say."""
    per_s = ratio_of([(governed.batches_per_s, alone.batches_per_s) for governed, alone in pairs])
    per_cpu_s = ratio_of([(governed.batches_per_cpu_s, alone.batches_per_cpu_s) for governed, alone in pairs])
    lines = [f"Governed / left alone: throughput {per_s.text()}, for each second of a core {per_cpu_s.text()}."]
    for name, one in (("Governed", 0), ("Left alone", 1)):
        cores = {kind: statistics.median(pair[one].cores[kind] for pair in pairs) for kind in pairs[0][one].cores}
        batches = statistics.median(pair[one].batches_per_s for pair in pairs)
        used = ", ".join(f"{kind} {found:.3f}" for kind, found in cores.items())
        lines.append(f"{name}: {batches:.1f} batches a second, cores: {used} (medians).")
    return "\n".join(lines)


def main() -> None:
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that what was started is ended too
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=24)
    parser.add_argument("--seconds", type=float, default=20.0, help="of each stretch")
    parser.add_argument("--interval", type=float, default=LoopSettings().interval_s, help="of rounds, in seconds")
    parser.add_argument("--master", default="local[8]")
    options = parser.parse_args()
    spark = start_application("cost of governing", options.master, {"spark.sql.shuffle.partitions": 4})
    pairs = measured(spark, options.pairs, options.seconds, options.interval)
    spark.stop()
    how = f"{options.pairs} pairs of {options.seconds:g} s, rounds of {options.interval:g} s, {options.master}"
    print(f"{time.strftime('%Y-%m-%d')}, {how}; load {os.getloadavg()[0]:.1f} at the end; intervals of 95 %.")
    print(told(pairs))


if __name__ == "__main__":
    main()
