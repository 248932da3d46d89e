"""Eight tenants of the field's workloads on one application, from Kafka to Kafka, under one policy after the other.

    python benchmarks/kafka_tenants.py --runs 3 --seconds 120 [--riotbench SYS_sample_data_senml.csv.gz]

Starts a broker of its own and a generator for each topic; writes the table of `benchmarks/tenants.py`. `penstock` runs
with its default settings, `henge` with settings that were chosen for these tenants.
"""

import argparse
import os
import platform
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
from judged import Case, Judged, Watched, in_turn, judged_trial, keep, trial_as_run
from own_broker import own_broker
from pyspark.sql import SparkSession
from pyspark.sql.streaming.readwriter import DataStreamWriter
from table import CHOSEN, HEADER, rows
from trial_meter import Topics

from penstock.config.tenants import TenantPart
from penstock.core.asked.intents import Intent, Juice, Latency
from penstock.core.asked.slot_limits import SlotLimits
from penstock.engines.kafka.topics import make_topics
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.launch.application import start_application
from penstock.governing.comparison import PolicyTurn, Tenants, run_trial
from penstock.local.kafka.broker import Broker
from penstock.planning.registry import DEFAULT
from penstock.workloads.rows import SAMPLES, read_samples

ROOT = Path(__file__).parents[1]
HENGE_CHOSEN = f"henge, {CHOSEN}"
POLICIES = ("fifo", "fair", "static", "penstock", "henge")
URGENT = "campaigns"
PARTITIONS = 4
SLOTS = 8
INTERVAL_S = 2.0
HENGE = {"quiet_rounds": 2, "quiet_within": 0.03, "quiet_at_most_s": 12.0, "drop_within": 0.1, "blocklist_s": 60.0}
CONF = {"spark.sql.shuffle.partitions": 2, "spark.driver.memory": "1g"}


@dataclass(frozen=True, slots=True)
class KafkaTenant:
    """One of the eight: what it runs on which topic, how often, what it wants, and the slots a person would give it."""

    name: str
    job: str
    topic: str
    intent: Intent
    trigger_s: int
    by_hand: int = 1
    params: Mapping[str, Any] = field(default_factory=dict)


TENANTS = (
    KafkaTenant("campaigns", "yahoo_jobs:campaigns", "ads", Intent(Latency("5s", utility=40)), 1, by_hand=2),
    KafkaTenant("views", "yahoo_jobs:views", "ads", Intent(Latency("5s", utility=20)), 2),
    KafkaTenant("page-load", "pageload_jobs:page_load", "pages", Intent(Latency("10s", utility=10)), 4),
    KafkaTenant("tags", "places_jobs:tags", "places", Intent(Latency("20s", utility=5)), 5),
    KafkaTenant("etl", "riot_jobs:etl", "senml", Intent(Juice(0.8, utility=10)), 4),
    KafkaTenant("q1", "nexmark_jobs:query", "nexmark", Intent(Latency("5s", utility=10)), 2, params={"number": 1}),
    KafkaTenant("q5", "nexmark_jobs:query", "nexmark", Intent(Juice(0.8, utility=5)), 5, params={"number": 5}),
    KafkaTenant("q7", "nexmark_jobs:query", "nexmark", Intent(Latency("20s", utility=5)), 5, params={"number": 7}),
)
# Rows a second of each topic at load 1; a batch takes ten seconds' worth at most.
RATES = {"ads": 1000, "pages": 300, "places": 300, "senml": 50, "nexmark": 500}


def tenants_of(bootstrap: str, policy: str, load: float, sensors: str | None) -> Tenants:
    """The eight, reading their topics from now on and writing each to one of its own."""
    jobs = partial(_jobs, bootstrap, policy, load, sensors)
    return Tenants(jobs, {tenant.name: tenant.intent for tenant in TENANTS})


def _jobs(bootstrap: str, policy: str, load: float, sensors: str | None, place: Path) -> Sequence[Job]:
    return [_job(tenant, bootstrap, policy, load, sensors, place) for tenant in TENANTS]


def _job(tenant: KafkaTenant, bootstrap: str, policy: str, load: float, sensors: str | None, place: Path) -> Job:
    params = {
        **tenant.params,
        **({"sensors": sensors} if tenant.name == "etl" else {}),
        "source": {"kafka": bootstrap, "topic": tenant.topic},
        "sink": {"kafka": bootstrap, "topic": f"{tenant.name}-out"},
        "trigger": f"{tenant.trigger_s} seconds",
    }
    part = TenantPart.model_validate({"name": tenant.name, "job": tenant.job, "intent": {"juice": 0.5}})
    return Job(
        tenant.name,
        partial(_write, part, params, place),
        SlotLimits(1, SLOTS - 1),
        slots=tenant.by_hand if policy == "static" else 1,
        max_rows_per_batch=round(10 * load * RATES[tenant.topic]),
    )


def _write(part: TenantPart, params: Mapping[str, Any], place: Path, spark: SparkSession) -> DataStreamWriter:
    writer: DataStreamWriter = part.function()(spark, **params)
    return writer.option("checkpointLocation", str(place / part.name))


@contextmanager
def loads(bootstrap: str, load: float, samples: Path | None) -> Iterator[list[int]]:
    """A generator for each topic, for as long as the block lasts; their processes."""
    make_topics(bootstrap, [*RATES, *(f"{tenant.name}-out" for tenant in TENANTS)], PARTITIONS)
    started = []
    try:
        for topic, rate in RATES.items():
            maker = "riotbench" if topic == "senml" and samples is not None else topic
            started.append(_generator(bootstrap, topic, maker, load * rate, samples))
        yield [process.pid for process in started]
    finally:
        for process in started:
            process.terminate()
        for process in started:
            process.wait(timeout=60)


def _generator(
    bootstrap: str, topic: str, maker: str, rate_rps: float, samples: Path | None
) -> "subprocess.Popen[bytes]":
    options = {
        "--bootstrap": bootstrap,
        "--topic": topic,
        "--rate": f"{rate_rps:g}",
        "--for": "24h",
        "--rows": f"penstock.workloads.rows:{maker}",
    }
    command = [sys.executable, "-m", "penstock.cli.main", "load", *(word for pair in options.items() for word in pair)]
    return subprocess.Popen(command, env={**os.environ, SAMPLES: str(samples or "")}, stderr=subprocess.DEVNULL)


def _sensors(samples: Path | None, place: Path) -> str | None:
    """A table of the sensors in RIoTBench's own samples."""
    if samples is None:
        return None
    names = sorted({sensor for sensor, _ in read_samples(str(samples))})
    table = pd.DataFrame({"sensor": names, "district": "city", "floor": 0})
    table.to_csv(place / "sensors.csv", index=False)
    return str(place / "sensors.csv")


def _compare(spark: SparkSession, watched: Watched, sensors: str | None, options: argparse.Namespace) -> None:
    assert watched.topics is not None
    named = partial(tenants_of, watched.topics.bootstrap, load=options.load, sensors=sensors)
    run_trial(spark, named(policy="fair"), PolicyTurn("fair", options.warm))
    # One of each in turn, so that a machine that slows down slows down all of them.
    runs = [
        _judged(spark, named(policy=policy), policy, turn, watched, options)
        for turn in range(options.runs)
        for policy in in_turn(options.policies.split(","), turn)
    ]
    print("\n".join((HEADER, *rows(runs))), flush=True)


def _judged(
    spark: SparkSession, tenants: Tenants, policy: str, turn: int, watched: Watched, options: argparse.Namespace
) -> Judged:
    told = HENGE_CHOSEN if policy == "henge" else policy
    case = Case(f"kafka, load {options.load:g}", told, turn, URGENT)
    run = judged_trial(spark, tenants, _trial(policy, options.seconds), case, watched)
    shares = ", ".join(f"{tenant.name} {run.share(tenant.name):.2f}" for tenant in TENANTS)
    print(f"{run.line()}\n  {shares}", file=sys.stderr, flush=True)
    keep(run, options.out)
    return run


def _trial(policy: str, seconds: float) -> PolicyTurn:
    """The default policy as users have it; the others see and act as often as these tenants can bear."""
    measure_from_s = min(15.0, seconds / 4)
    if policy == DEFAULT:
        return trial_as_run(policy, seconds, measure_from_s)
    settings = HENGE if policy == "henge" else {}
    return PolicyTurn(policy, seconds, measure_from_s, INTERVAL_S, 15.0, 6.0, settings)


def _watched(broker: Broker, generators: Sequence[int]) -> Watched:
    assert broker.process is not None
    names = {broker.process.pid: "broker", **dict.fromkeys(generators, "generators")}
    return Watched(names, Topics(broker.bootstrap, {tenant.name: tenant.topic for tenant in TENANTS}))


def main() -> None:
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that what was started is ended too
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--warm", type=float, default=80.0, help="seconds of a first trial that does not count")
    parser.add_argument("--master", default=f"local[{SLOTS}]")
    parser.add_argument("--policies", default=",".join(POLICIES))
    parser.add_argument("--load", type=float, default=1.0, help="times the rates of all topics")
    parser.add_argument("--out", type=Path, help="a file that gets a JSON line for each run")
    parser.add_argument("--riotbench", type=Path, help="RIoTBench's SYS samples, replayed instead of made ones")
    options = parser.parse_args()
    machine = f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}, {options.master}"
    print(f"Kafka tenants, {time.strftime('%Y-%m-%d')}, {machine}, {options.runs} runs of {options.seconds:g} s.\n")
    with ExitStack() as open_:
        place = Path(open_.enter_context(tempfile.TemporaryDirectory(prefix="penstock-bench-")))
        broker = open_.enter_context(own_broker(PARTITIONS))
        generators = open_.enter_context(loads(broker.bootstrap, options.load, options.riotbench))
        spark = start_application("kafka bench", options.master, CONF, ROOT / "workloads", kafka=True)
        open_.callback(spark.stop)
        _compare(spark, _watched(broker, generators), _sensors(options.riotbench, place), options)


if __name__ == "__main__":
    main()
