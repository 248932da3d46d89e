"""The same tenants on real Spark under one policy after the other: constrained, feasible, spike, diurnal.

    python benchmarks/tenants.py --runs 3 --seconds 120 [--workers 2] [--cases spike] [--grid 1]

With --workers on a standalone cluster of as many workers of four slots, on loopback addresses of their own, which is
started and ended here.

`penstock`, the default policy, runs with its default settings and the rounds and windows of `penstock run`; `henge`
with settings that were chosen for these tenants. --grid measures shares by hand for the case that is said first: what
a clairvoyant could have chosen. Writes a Markdown table with medians and ranges, and the machine that it comes from.
"""

import argparse
import math
import os
import platform
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from judged import Case, Judged, Watched, in_turn, judged_trial, keep, trial_as_run
from pyspark.sql import SparkSession
from recording import record
from table import CHOSEN, HEADER, rows

from penstock.core.asked.intents import Intent, Juice, Latency
from penstock.core.asked.slot_limits import SlotLimits
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.launch.application import start_application
from penstock.governing.comparison import PolicyTurn, Tenants, run_trial
from penstock.governing.demo_tenants import Tenant, spike
from penstock.local import processes
from penstock.local.spark import standalone
from penstock.planning.registry import DEFAULT

SLOTS_EACH = 4  # of a worker
URGENT = "payments"
HENGE_CHOSEN = f"henge, {CHOSEN}"
POLICIES = ("fifo", "fair", "static", "penstock", "henge")
INTERVAL_S = 2.0
GOVERN_FROM_S = 6.0
COUNTED_FROM_S = 10.0
# Rounds of two seconds, five in one of Henge's: a run takes two minutes, and quiet is judged on the same six rounds.
HENGE = {"quiet_within": 0.02, "quiet_at_most_s": 20.0, "drop_within": 0.03}
# What a person would give at the median load, within eight slots.
BY_HAND = {"payments": 4, "reports": 2, "clicks": 1, "models": 1}
GRID = {
    f"payments {payments}, reports {reports}": {**BY_HAND, "payments": payments, "reports": reports}
    for payments in (3, 4, 5, 6, 7)
    for reports in (1, 2)
    if (payments, reports) != (BY_HAND["payments"], BY_HAND["reports"])
}
FIXED = {"static": BY_HAND, **GRID}


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
    return Job(job.name, job.function, job.limits, slots=FIXED[policy][job.name] if policy in FIXED else 1)


def _day(seconds: float, low: float, high: float) -> tuple[tuple[float, float], ...]:
    """A day of the web in a run: one long wave."""
    points = 24
    middle, swing = (high + low) / 2, (high - low) / 2
    return tuple(
        (seconds * n / points, round(middle - swing * math.cos(2 * math.pi * n / points), 1)) for n in range(points + 1)
    )


@contextmanager
def master_of(options: argparse.Namespace) -> Iterator[tuple[str, Watched]]:
    """Where the tenants run, and the processes of the cluster that is there for them alone."""
    if options.workers is None:
        yield options.master, Watched()
        return
    with tempfile.TemporaryDirectory(prefix="penstock-bench-") as place:
        state = Path(place, "cluster.json")
        try:
            cluster = standalone.up(state, options.workers, SLOTS_EACH, port=processes.free_port())
            yield cluster.master, Watched({process.pid: "cluster" for process in cluster.processes})
        finally:
            standalone.down(state)


def main() -> None:
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that what was started is ended too
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--master", default="local[8]")
    parser.add_argument("--workers", type=int, help="run on a cluster of so many instead")
    parser.add_argument("--cases", default="constrained,feasible,spike,diurnal")
    parser.add_argument("--policies", default=",".join(POLICIES))
    parser.add_argument("--grid", type=int, default=0, help="turns of the first case in which shares by hand take part")
    parser.add_argument("--out", type=Path, help="a file that gets a JSON line for each run")
    parser.add_argument("--record", type=Path, help="add each run to this file, batch by batch")
    options = parser.parse_args()
    with master_of(options) as (master, watched):
        spark = start_application("bench", master, {"spark.sql.shuffle.partitions": 4})
        _bench(spark, master, watched, options)
        spark.stop()


def _bench(spark: SparkSession, master: str, watched: Watched, options: argparse.Namespace) -> None:
    machine = f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}, {master}"
    print(f"Real Spark, {time.strftime('%Y-%m-%d')}, {machine}, {options.runs} runs of {options.seconds:g} s.\n")
    print(HEADER, flush=True)
    chosen = cases(options.seconds)
    run_trial(spark, tenants_of(chosen["feasible"], "fair"), PolicyTurn("fair", 15.0))  # warm
    for place, name in enumerate(options.cases.split(",")):
        grid_turns = options.grid if place == 0 else 0
        # One of each in turn, so that a machine that slows down slows down all of them.
        runs = [
            _judged(spark, Case(name, policy, turn, URGENT), chosen[name], watched, options)
            for turn in range(options.runs)
            for policy in in_turn([*options.policies.split(","), *(GRID if turn < grid_turns else ())], turn)
        ]
        print("\n".join(rows(runs, FIXED if grid_turns else ())), flush=True)


def _judged(spark: SparkSession, case: Case, load: Load, watched: Watched, options: argparse.Namespace) -> Judged:
    tenants = tenants_of(load, case.policy)
    if case.policy == "henge":
        case = replace(case, policy=HENGE_CHOSEN)
    run = judged_trial(spark, tenants, trial_of(case.policy, options.seconds), case, watched)
    print(run.line(), file=sys.stderr, flush=True)
    keep(run, options.out)
    if options.record is not None:
        record(options.record, case.name, run.result)
    return run


def trial_of(policy: str, seconds: float) -> PolicyTurn:
    """The default policy as users have it; the others see and act as often as these tenants can bear."""
    if policy == DEFAULT:
        return trial_as_run(policy, seconds, COUNTED_FROM_S)
    named, settings = ("henge", HENGE) if policy == HENGE_CHOSEN else (policy, {})
    named = "static" if policy in FIXED else named
    return PolicyTurn(named, seconds, COUNTED_FROM_S, INTERVAL_S, 10.0, GOVERN_FROM_S, settings)


if __name__ == "__main__":
    main()
