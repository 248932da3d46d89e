"""The same tenants on real Spark under fifo, fair, static and henge: constrained, feasible, spike, diurnal.

    python benchmarks/tenants.py --runs 3 --seconds 120 [--workers 2] [--cases spike]

With --workers on a standalone cluster of as many workers of four slots, on loopback addresses of their own, which is
started and ended here.

Writes a Markdown table with medians and spreads, and the machine that it comes from.
"""

import argparse
import math
import os
import platform
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.readwriter import DataStreamWriter
from recording import record
from table import HEADER, late, row

from penstock.core.intents import Intent, Juice, Latency
from penstock.engines import processes
from penstock.engines.spark import standalone
from penstock.engines.spark.jobs import Job
from penstock.engines.spark.shares import SlotLimits
from penstock.governing.application import start_application
from penstock.governing.comparison import Tenants, Trial, TrialResult, run_trial
from penstock.governing.demo_tenants import Tenant, spike

SLOTS_EACH = 4  # of a worker
ALONE = "alone"  # the case of one query that nobody competes with, governed and not
POLICIES = ("fifo", "fair", "static", "henge")
INTERVAL_S = 2.0
GOVERN_FROM_S = 6.0
# Rounds of two seconds, five in one of Henge's: a run takes two minutes, and quiet is judged on the same six rounds.
HENGE = {"quiet_within": 0.02, "quiet_at_most_s": 20.0, "drop_within": 0.03}
# What a person would give at the median load, within eight slots.
STATIC = {"payments": 4, "reports": 2, "clicks": 1, "models": 1}


@dataclass(frozen=True, slots=True)
class Load:
    """Rows a second of the urgent and of the greedy tenant over a run; the other two stay as they are."""

    payments: tuple[tuple[float, float], ...]
    clicks: tuple[tuple[float, float], ...]


def cases(seconds: float) -> Mapping[str, Load]:
    """What each case asks of the eight slots."""
    third = seconds / 3
    return {
        "constrained": Load(((0.0, 200.0),), ((0.0, 300.0),)),
        "feasible": Load(((0.0, 170.0),), ((0.0, 60.0),)),
        "spike": Load(spike(100.0, 2.2, third, 2 * third), ((0.0, 200.0),)),
        "diurnal": Load(_day(seconds, 60.0, 220.0), ((0.0, 160.0),)),
    }


def tenants_of(load: Load, policy: str) -> Tenants:
    """The four tenants under this load."""
    listed = (
        Tenant("payments", Intent(Latency("3s", utility=40)), load.payments, SlotLimits(1, 7), wait_s=0.018, tasks=12),
        Tenant(
            "reports",
            Intent(Latency("20s", utility=10)),
            ((0.0, 60.0),),
            SlotLimits(1, 4),
            wait_s=0.02,
            tasks=12,
            trigger_s=2.0,
        ),
        Tenant(
            "clicks", Intent(Juice(0.8, utility=10)), load.clicks, SlotLimits(1, 4), wait_s=0.02, tasks=12, bounded=True
        ),
        Tenant(
            "models",
            Intent(Juice(0.8, utility=10)),
            ((0.0, 40.0),),
            SlotLimits(1, 2),
            burn_s=0.003,
            tasks=2,
            bounded=True,
        ),
    )
    intents = {tenant.name: tenant.intent for tenant in listed}
    return Tenants(lambda place: [_job(tenant, place, policy) for tenant in listed], intents)


def _job(tenant: Tenant, place: Path, policy: str) -> Job:
    job = tenant.job(place)
    return Job(job.name, job.function, job.limits, slots=STATIC[job.name] if policy == "static" else 1)


def _day(seconds: float, low: float, high: float) -> tuple[tuple[float, float], ...]:
    """A day of the web in a run: one long wave."""
    points = 24
    middle, swing = (high + low) / 2, (high - low) / 2
    return tuple(
        (seconds * n / points, round(middle - swing * math.cos(2 * math.pi * n / points), 1)) for n in range(points + 1)
    )


def unlimited(spark: SparkSession) -> DataStreamWriter:
    """A query of its own, as fast as it goes."""
    source = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 200_000).option("numPartitions", 4)
    return (
        source.load().selectExpr("sum(hash(value, timestamp)) AS sum").writeStream.format("noop").outputMode("update")
    )


def throughput(spark: SparkSession, governed: bool, seconds: float) -> float:
    """Rows a second of one query that nobody competes with."""
    if governed:
        from penstock.engines.spark.engine import SparkEngine, SparkSettings
        from penstock.governing.controller import Controller, Governed
        from penstock.loop import LoopSettings
        from penstock.planning.registry import policy_named

        engine = SparkEngine(spark, [Job("alone")], SparkSettings(10.0))
        settings = LoopSettings(interval_s=INTERVAL_S)
        with Controller(engine, Governed({"alone": Intent(Juice(0.1))}, policy_named("henge"), settings=settings)):
            return _rows_per_s(spark, seconds)
    return _rows_per_s(spark, seconds)


def _batches(query: StreamingQuery) -> int:
    progress = query.lastProgress
    return 0 if progress is None else int(progress["batchId"])


def _rows_per_s(spark: SparkSession, seconds: float) -> float:
    query = unlimited(spark).queryName("alone").start()
    time.sleep(seconds / 4)
    started_s, skipped = time.monotonic(), _batches(query)
    time.sleep(seconds)
    batches = _batches(query) - skipped
    spent_s = time.monotonic() - started_s
    query.stop()
    return batches * 200_000 / spent_s


def cost_of_governing(spark: SparkSession, seconds: float, pairs: int = 12) -> str:
    """Governed over ungoverned throughput in pairs, each in the other order: a drifting machine favours none."""
    ratios = []
    for pair in range(pairs):
        order = (True, False) if pair % 2 else (False, True)
        rates = {governed: throughput(spark, governed, seconds) for governed in order}
        ratios.append(rates[True] / rates[False])
    low, middle, high = statistics.quantiles(ratios, n=4)
    spread = f"half of them {low:.3f}-{high:.3f}, all {min(ratios):.3f}-{max(ratios):.3f}"
    return f"{middle:.3f} (median of {pairs} pairs; {spread})"


@contextmanager
def master_of(options: argparse.Namespace) -> Iterator[str]:
    """Where the tenants run."""
    if options.workers is None:
        yield options.master
        return
    with tempfile.TemporaryDirectory(prefix="penstock-bench-") as place:
        state = Path(place, "cluster.json")
        try:
            yield standalone.up(state, options.workers, SLOTS_EACH, port=processes.free_port()).master
        finally:
            standalone.down(state)


def main() -> None:
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that what was started is ended too
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=180.0)
    parser.add_argument("--master", default="local[8]")
    parser.add_argument("--workers", type=int, help="run on a cluster of so many instead")
    parser.add_argument("--cases", default=f"constrained,feasible,spike,diurnal,{ALONE}", help=f"{ALONE}: throughput")
    parser.add_argument("--policies", default=",".join(POLICIES))
    parser.add_argument("--record", type=Path, help="add each run to this file, batch by batch")
    options = parser.parse_args()
    with master_of(options) as master:
        spark = start_application("bench", master, {"spark.sql.shuffle.partitions": 4})
        _bench(spark, master, options)
        spark.stop()


def _bench(spark: SparkSession, master: str, options: argparse.Namespace) -> None:
    machine = f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}, {master}"
    print(f"Real Spark, {time.strftime('%Y-%m-%d')}, {machine}, {options.runs} runs of {options.seconds:g} s.\n")
    listed = options.cases.split(",")
    if compared := [case for case in listed if case != ALONE]:
        _compare(spark, compared, options)
    if ALONE in listed:
        print(f"Throughput of one query alone, governed / ungoverned: {cost_of_governing(spark, 10.0)}", flush=True)


def _compare(spark: SparkSession, listed: list[str], options: argparse.Namespace) -> None:
    print(HEADER, flush=True)
    chosen = cases(options.seconds)
    run_trial(spark, tenants_of(chosen["feasible"], "fair"), Trial("fair", 15.0))  # warm
    policies = options.policies.split(",")
    for case in listed:
        # One of each in turn, so that a machine that slows down slows down all of them.
        turns = [[_trial(spark, case, policy, options) for policy in policies] for _ in range(options.runs)]
        for policy, results in zip(policies, zip(*turns, strict=True), strict=True):
            print(row(case, policy, "payments", results), flush=True)
    print()


def _trial(spark: SparkSession, case: str, policy: str, options: argparse.Namespace) -> TrialResult:
    trial = Trial(
        policy,
        options.seconds,
        measure_from_s=10.0,
        interval_s=INTERVAL_S,
        window_s=10.0,
        govern_from_s=GOVERN_FROM_S,
        settings=HENGE if policy == "henge" else {},
    )
    result = run_trial(spark, tenants_of(cases(options.seconds)[case], policy), trial)
    if options.record is not None:
        record(options.record, case, result)
    print(f"{policy}: {result.utility_share:.3f}, last third {late(result):.3f}", file=sys.stderr, flush=True)
    return result


if __name__ == "__main__":
    main()
