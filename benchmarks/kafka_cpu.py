"""Real Kafka, work that binds the cores, nothing tuned: what the urgent tenant gets at 1.0, 1.3 and 1.6 x the cores.

One trial of one policy, about four minutes in all (start, calibration, a first trial of half a minute,
and 110 s):

    python benchmarks/kafka_cpu.py --loads 1.3 --slots 4 --policies penstock --runs 1 --out runs.jsonl

All of it, by default on as many slots as cores and twice as many, each policy once in every turn:

    python benchmarks/kafka_cpu.py --runs 5 --grid 2 --out runs.jsonl

The rates come from the machine: while more rows wait than anybody can do, so many come through of each tenant; that
is a load of 1.0. `--rates FILE` keeps them from one call to the next, so that runs of different calls are alike; each
call says what the machine can do this time. All runs of a call are in one JVM, whose code is warm by then; with
`--fresh` each has a process of its own beside the same broker, as `penstock run` begins.
`penstock` and `henge` run with default settings and the rounds and windows of `penstock run`. "Shares by hand",
"bounds by hand" and "tasks by hand" are a person's choices, `--grid` measures more of them: the best of these is the
clairvoyant's.
"""

import argparse
import json
import os
import platform
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TypeAlias

from cpu_calibration import calibrated, load_command
from cpu_tenants import PARTITIONS, TENANTS, URGENT, by_hand, grid, tenants_of
from judged import Case, Judged, Watched, in_turn, judged_trial, keep, trial_as_run
from own_broker import own_broker
from pyspark.sql import SparkSession
from recording import record
from table import HEADER, rows
from trial_meter import Topics

from penstock.engines.kafka.topics import make_topics
from penstock.engines.spark.launch.application import start_application
from penstock.errors import ConfigError
from penstock.governing.comparison import PolicyTurn, record_trials, run_trial
from penstock.planning.registry import POLICIES as REGISTERED
from penstock.store.open import open_store

# Spark's own 200 partitions would be 200 tasks of a few milliseconds in each batch of a tenant that counts: who runs a
# stream of some hundred rows a second has lowered them, or has not heard of them: `--partitions 200`.
PARTITIONS_OF_STATE = 4
POLICIES = ("fair", "shares by hand", "bounds by hand", "tasks by hand", "penstock", "henge")
COUNTED_FROM_S = 15.0
WARM_UP_S = 30.0
Ran: TypeAlias = Callable[[float, Mapping[str, float], str, int], Judged]  # load, rates at 1.0, policy and turn


@dataclass(frozen=True, slots=True)
class Bench:
    """The broker, the slots of the applications beside it, and what was asked for."""

    bootstrap: str
    broker_pid: int
    slots: int
    options: argparse.Namespace

    @contextmanager
    def application(self) -> Iterator[SparkSession]:
        """One that ends with the block."""
        conf = {"spark.sql.shuffle.partitions": self.options.partitions}
        spark = start_application("kafka cpu bench", f"local[{self.slots}]", conf, kafka=True)
        try:
            yield spark
        finally:
            spark.stop()

    def warmed_up(self, spark: SparkSession, rates: Mapping[str, float]) -> None:
        """A first trial that does not count: generator and broker are cold too."""
        with generator(self.bootstrap, rates):
            run_trial(spark, tenants_of(self.bootstrap, rates, None), PolicyTurn("fair", WARM_UP_S))

    def ran(self, spark: SparkSession, load: float, rates: Mapping[str, float], policy: str, turn: int) -> Judged:
        """One run at these rates."""
        case = Case(f"{load:g} x the cores, {self.slots} slots", policy, turn, URGENT, {"rates": rates})
        fixed = {**by_hand(self.slots), **grid(self.slots)}.get(policy)
        trial = trial_as_run("static" if fixed is not None else policy, self.options.seconds, COUNTED_FROM_S)
        topics = Topics(self.bootstrap, {tenant.name: tenant.topic for tenant in TENANTS})
        with generator(self.bootstrap, rates) as generating:
            watched = Watched({self.broker_pid: "broker", generating.pid: "generator"}, topics)
            run = judged_trial(spark, tenants_of(topics.bootstrap, rates, fixed), trial, case, watched)
        keep(run, self.options.out)
        if self.options.record is not None:
            record(self.options.record, case.name, run.result)
        if self.options.store is not None:
            with closing(open_store(self.options.store)) as archive:
                record_trials([run.result], f"load-{load:g}-slots-{self.slots}", archive)
        return run

    def ran_fresh(self, load: float, rates: Mapping[str, float], policy: str, turn: int) -> Judged:
        """The same in a process that ends with it."""
        context = get_context("spawn")
        told, tells = context.Pipe(duplex=False)
        own = context.Process(target=self._ran_alone, args=(tells, load, rates, policy, turn))
        own.start()
        tells.close()
        try:
            run = told.recv()
        except EOFError:
            raise SystemExit(f"the run of {policy} ended without a result; what it said is above") from None
        except BaseException:
            own.terminate()
            raise
        finally:
            own.join()
        assert isinstance(run, Judged)
        return run

    def _ran_alone(self, tells: Connection, load: float, rates: Mapping[str, float], policy: str, turn: int) -> None:
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        with self.application() as spark:
            run = self.ran(spark, load, rates, policy, turn)
        tells.send(run)


@contextmanager
def generator(bootstrap: str, rates: Mapping[str, float]) -> Iterator["subprocess.Popen[bytes]"]:
    """Rows at these rates for as long as the block lasts."""
    process = subprocess.Popen(load_command(bootstrap, rates))
    try:
        yield process
        if process.poll() is not None:
            raise SystemExit(f"the generator ended by itself, with exit code {process.returncode}")
    finally:
        process.terminate()
        process.wait(timeout=90)


def rates_of(bench: Bench, spark: SparkSession) -> Mapping[str, float]:
    """The rates of a load of 1.0: those of the file where it has them, else what was measured, which goes into it."""
    options, file = bench.options, bench.options.rates
    measured = calibrated(spark, bench.bootstrap, options.warm, options.calibrate)
    known = json.loads(file.read_text(encoding="utf-8")) if file is not None and file.exists() else {}
    rates: Mapping[str, float] | None = known.get(str(bench.slots), measured)
    if rates is None:
        raise SystemExit("too busy with other things: a tenant ended fewer than three batches; raise --calibrate")
    if file is not None:
        file.write_text(json.dumps({**known, str(bench.slots): rates}, indent=2) + "\n", encoding="utf-8")
    told = ", ".join(f"{name} {rate:.0f}" for name, rate in rates.items())
    now = "too little to be told" if measured is None else f"{sum(measured.values()) / sum(rates.values()):.2f}"
    print(f"local[{bench.slots}]: a load of 1.0 is {told} rows/s; of that can be done now: {now}\n", flush=True)
    return rates


def check(policies: Sequence[str], slots: int) -> None:
    """A name that nobody knows is told before the machine is calibrated."""
    known = [*REGISTERED, *by_hand(slots), *grid(slots)]
    for policy in policies:
        if policy not in known:
            raise ConfigError("--policies", policy, f"choose among {', '.join(known)}")


def main() -> None:
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that what was started is ended too
    options = _options()
    for slots in options.slots:
        check(options.policies, slots)
    machine = f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"
    print(f"CPU-bound tenants on Kafka, {time.strftime('%Y-%m-%d')}, {machine}, {options.seconds:g} s a run.\n")
    with own_broker(PARTITIONS) as broker:
        make_topics(broker.bootstrap, [topic for t in TENANTS for topic in (t.topic, t.full_topic)], PARTITIONS)
        assert broker.process is not None
        for slots in options.slots:
            _compare(Bench(broker.bootstrap, broker.process.pid, slots, options))


def _compare(bench: Bench) -> None:
    with bench.application() as spark:
        ones = rates_of(bench, spark)
        bench.warmed_up(spark, ones)
        print(HEADER, flush=True)
        if not bench.options.fresh:
            _each(bench, ones, partial(bench.ran, spark))
            return
    _each(bench, ones, bench.ran_fresh)


def _each(bench: Bench, ones: Mapping[str, float], ran: Ran) -> None:
    for load in bench.options.loads:
        rates = {name: load * rate for name, rate in ones.items()}
        turns = [
            _told(ran(load, rates, policy, turn))
            for turn in range(bench.options.runs)
            for policy in _policies(bench, turn)
        ]
        print("\n".join(rows(turns, {**by_hand(bench.slots), **grid(bench.slots)})), flush=True)


def _policies(bench: Bench, turn: int) -> list[str]:
    """One of each in turn, so that a machine that slows down slows down all of them."""
    measured = grid(bench.slots) if turn < bench.options.grid else ()
    return in_turn(list(dict.fromkeys([*bench.options.policies, *measured])), turn)


def _told(run: Judged) -> Judged:
    print(run.line(), *(f"  {told.text()}" for told in run.result.decisions), sep="\n", file=sys.stderr, flush=True)
    return run


def _options() -> argparse.Namespace:
    cores = os.cpu_count() or 1
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--loads", type=_numbers, default=[1.0, 1.3, 1.6], help="times what the cores can do")
    parser.add_argument("--slots", type=_whole_numbers, default=[cores, 2 * cores], help="of the application")
    parser.add_argument("--policies", type=lambda text: text.split(","), default=list(POLICIES))
    parser.add_argument("--partitions", type=int, default=PARTITIONS_OF_STATE, help="of states, as nobody chose them")
    parser.add_argument("--grid", type=int, default=0, help="turns in which fixed shares by fixed bounds take part")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=110.0)
    parser.add_argument("--warm", type=float, default=30.0, help="seconds before the machine is calibrated")
    parser.add_argument("--calibrate", type=float, default=40.0, help="seconds of each stretch of it")
    parser.add_argument("--fresh", action="store_true", help="each run in a process of its own, whose code is cold")
    parser.add_argument("--rates", type=Path, help="a file that keeps the rates of a load of 1.0")
    parser.add_argument("--out", type=Path, help="a file that gets a JSON line for each run")
    parser.add_argument("--record", type=Path, help="add each run to this file, batch by batch")
    parser.add_argument("--store", help="keep each run in this store, for `penstock explain` and the pages")
    return parser.parse_args()


def _numbers(text: str) -> Sequence[float]:
    return [float(part) for part in text.split(",")]


def _whole_numbers(text: str) -> Sequence[int]:
    return [int(part) for part in text.split(",")]


if __name__ == "__main__":
    main()
