"""Cases that nobody chose, on real Spark and Kafka: drawn by a seed, under FAIR, by hand and under the default policy.

    python benchmarks/drawn_on_spark.py --cases 8 --first 100 --seconds 70

By hand: whoever is worth most has all slots but one, and the others one each. Each way gets topics of its own and
default settings, in one application, each round in the order of the one before turned round: whoever comes later meets
warmer code. Told are each way's utility of all that could be had, of all of it and of its second half, and what was
decided.
"""

import argparse
import os
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import mean

from cpu_calibration import load_command
from drawn_tenants import KINDS, PARTITIONS, DrawnCase, DrawnTenant, drawn_case, query_of, row_seconds
from judged import Case, Judged, Watched, in_turn, judged_trial, trial_as_run
from kafka_trial import machine
from own_broker import own_broker
from pyspark.sql import SparkSession
from trial_meter import Topics

from penstock.engines.kafka.topics import make_topics
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.launch.application import start_application
from penstock.governing.comparison import Tenants

WAYS = {"FAIR": "fair", "by hand": "static", "penstock": "penstock"}
WARM_UP_S = 40.0


def main() -> None:
    """Case after case, and what came of each way."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--cases", type=int, default=8)
    asked.add_argument("--first", type=int, default=0, help="the first case's seed")
    asked.add_argument("--seconds", type=float, default=70.0)
    asked.add_argument("--rounds", type=int, default=2, help="runs of each way in a case")
    asked.add_argument("--slots", type=int, default=2 * (os.cpu_count() or 1))
    asked.add_argument("--ways", type=lambda text: text.split(","), default=list(WAYS))
    options = asked.parse_args()
    with ExitStack() as open_:
        bootstrap = open_.enter_context(own_broker(PARTITIONS)).bootstrap
        conf = {"spark.sql.shuffle.partitions": PARTITIONS}
        spark = start_application("drawn", f"local[{options.slots}]", conf, kafka=True)
        open_.callback(spark.stop)
        row_s = {kind: row_seconds(spark, kind) for kind in KINDS}
        costs = ", ".join(f"{kind} {1000.0 * cost_s:.2f}" for kind, cost_s in row_s.items())
        print(f"{machine()}; local[{options.slots}]; ms of a slot for a row: {costs}\n", flush=True)
        found = [
            _compared(spark, bootstrap, drawn_case(seed, options.slots, row_s), options)
            for seed in range(options.first, options.first + options.cases)
        ]
    print(f"\n| case | {' | '.join(options.ways)} |\n|---|{'---|' * len(options.ways)}")
    for seed, runs in enumerate(found, options.first):
        print(f"| {seed} | {' | '.join(_in_short(runs[way]) for way in options.ways)} |")
    for words, place in (("mean", 0), ("mean of second halves", 1)):
        means = [mean(run[place] for runs in found for run in runs[way]) for way in options.ways]
        print(f"| {words} | {' | '.join(f'{one:.3f}' for one in means)} |")


def _compared(
    spark: SparkSession, bootstrap: str, case: DrawnCase, options: argparse.Namespace
) -> Mapping[str, list[tuple[float, float]]]:
    """For each way and run its utility, and that of its second half."""
    print(f"case {case.seed}: {case.load:.2f} x what can be done\n  " + "\n  ".join(t.text() for t in case.tenants))
    _trial(spark, bootstrap, case, "FAIR", WARM_UP_S, "warm")
    order = in_turn(options.ways, case.seed)
    runs: dict[str, list[tuple[float, float]]] = {way: [] for way in options.ways}
    for turn in range(options.rounds):
        for way in order if turn % 2 == 0 else reversed(order):
            run = _trial(spark, bootstrap, case, way, options.seconds, f"{way.replace(' ', '-')}-{turn}")
            runs[way].append((run.utility(), run.utility(options.seconds / 2.0)))
            print(f" {way}: {run.utility():.3f} ({', '.join(_each(run))}); {run.machine.text()}")
            for told in run.result.decisions:
                print(f"    {told.text()}", flush=True)
    return runs


def _in_short(runs: Sequence[tuple[float, float]]) -> str:
    all_of_it = [whole for whole, _ in runs]
    return f"{mean(all_of_it):.2f} [{min(all_of_it):.2f} to {max(all_of_it):.2f}], {mean(late for _, late in runs):.2f}"


def _trial(spark: SparkSession, bootstrap: str, case: DrawnCase, way: str, seconds: float, label: str) -> Judged:
    topics = {tenant.name: f"c{case.seed}-{label}-{tenant.name}" for tenant in case.tenants}
    make_topics(bootstrap, list(topics.values()), PARTITIONS)
    waiting = {topics[t.name]: t.waiting_s * t.rate_rps for t in case.tenants if t.waiting_s}
    if waiting:
        subprocess.run([*load_command(bootstrap, waiting), "--at-once"], check=True)
    by_hand = _by_hand(case) if way == "by hand" else {}

    def jobs(place: Path) -> list[Job]:
        return [
            Job(t.name, query_of(t, bootstrap, topics[t.name], place), slots=by_hand.get(t.name)) for t in case.tenants
        ]

    trial = trial_as_run(WAYS[way], seconds, measure_from_s=0.0)
    most = max(case.tenants, key=lambda tenant: tenant.intent.max_utility).name
    with _arriving(bootstrap, case.tenants, topics, seconds / 2.0) as processes:
        watched = Watched({process.pid: "generator" for process in processes}, Topics(bootstrap, topics))
        about = Case(str(case.seed), way, 0, most)
        return judged_trial(spark, Tenants(jobs, case.intents), trial, about, watched)


def _by_hand(case: DrawnCase) -> Mapping[str, int]:
    most = max(case.tenants, key=lambda tenant: tenant.intent.max_utility)
    return {tenant.name: max(1, case.slots - 1) if tenant is most else 1 for tenant in case.tenants}


@contextmanager
def _arriving(
    bootstrap: str, tenants: Sequence[DrawnTenant], topics: Mapping[str, str], half_s: float
) -> Iterator[list["subprocess.Popen[bytes]"]]:
    """Rows for as long as the block lasts; more of some from half-way on."""
    processes = [subprocess.Popen(load_command(bootstrap, {topics[t.name]: t.rate_rps for t in tenants}))]
    more = {topics[t.name]: (t.from_half_way - 1.0) * t.rate_rps for t in tenants if t.from_half_way > 1.0}
    later = threading.Timer(half_s, lambda: processes.append(subprocess.Popen(load_command(bootstrap, more))))
    if more:
        later.start()
    try:
        yield processes
        ended = [process.returncode for process in processes if process.poll() is not None]
        if ended:
            raise RuntimeError(f"rows stopped coming: a generator ended by itself, with {ended}")
    finally:
        later.cancel()
        for process in processes:
            process.terminate()
            process.wait(timeout=90)


def _each(run: Judged) -> Iterator[str]:
    for name in run.intents:
        met = mean(moment.had[name].met for moment in run.moments)
        last = run.moments[-1].had[name]
        late = "?" if last.latency_s is None else f"{last.latency_s:.1f} s"
        juice = "?" if last.juice is None else f"{last.juice:.2f}"
        yield f"{name} met {met:.0%}, has {run.share(name):.2f}, at last {late}, {juice}"


if __name__ == "__main__":
    main()
