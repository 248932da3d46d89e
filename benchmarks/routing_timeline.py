"""Figures 13 and 14 of the locality paper on real Spark: throughput and local share over time, the loop closed.

    python benchmarks/routing_timeline.py [--workers 4] [--batches 80] [--window 30] [--policy static] [--out DIRECTORY]
    sudo python benchmarks/routing_timeline.py --network 100mbit --payload 4000

Nothing is counted beforehand. The query starts hashed; penstock counts pairs in its own pass, makes a table when a
window of them is full and puts it into force while the query runs. Half-way through the rows all partners change. For
each batch a line of timeline.csv says how fast it was and what part of the second operator's shuffle stayed on its
worker; timeline.png shows them with the moments at which penstock re-routed. --network puts every worker behind a
link of that bandwidth. Nothing but tables changes unless --policy names one that turns other levers as well.
"""

import argparse
import csv
import itertools
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import matplotlib as mpl
import numpy as np
from pyspark.sql import SparkSession
from routed_query import CONF, Pairs, files_of, last_shuffle, query_of, synthetic, wait_for_executors, write_files
from trial_meter import told_batches

from penstock.core.asked.intents import Intent, Latency
from penstock.engines.spark.engine import SparkEngine
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.jvm.listener import QueryEvents
from penstock.engines.spark.jvm.live import LiveSpark
from penstock.engines.spark.jvm.stages import StageReader
from penstock.engines.spark.launch.application import start_application
from penstock.engines.spark.measured import measured
from penstock.engines.spark.routing.route import Routing
from penstock.engines.spark.settings import SparkSettings
from penstock.engines.spark.watch.progress import Batch
from penstock.engines.spark.watch.stages import StageReading
from penstock.governing.controller import Controller
from penstock.governing.governed import Governed
from penstock.local import processes
from penstock.local.spark import standalone
from penstock.loop import LoopSettings
from penstock.planning.routing_settings import RoutingMode, RoutingSettings
from penstock.running.session import decider

mpl.use("Agg")
from matplotlib import pyplot as plt

NAME = "timeline"
WINDOW_S = 60  # of event time; a file holds the rows of one
_WITHIN_S = 780.0  # then it ends with what it has
_TOLD_EVERY = 10  # batches
_LOOKS_EVERY_S = 0.2
_STEADY = 3  # batches


@dataclass(frozen=True, slots=True)
class Moment:
    """A batch: when it ended since the first one began, how fast it was, what part of its rows stayed."""

    at_s: float
    batch: int
    rows: int
    seconds: float
    rows_rps: float
    local: float | None  # None where nothing was shuffled


@dataclass(frozen=True, slots=True)
class Timeline:
    """What came of a run; instants as in its moments."""

    moments: tuple[Moment, ...]
    rerouted: tuple[tuple[float, str], ...]  # when a table came into force, and why
    changed_s: float  # when the first batch ended whose partners were others


def drifting(rows: int, keys: int, locality: float) -> Pairs:
    """Pairs of which that share are partners; in the second half everybody's partner is another."""
    before, after = synthetic(rows // 2, keys, locality), synthetic(rows // 2, keys, locality, seed=8)
    order = np.random.default_rng(9).permutation(keys)
    return before + [(left, f"right {order[int(right.split()[1])]}") for left, right in after]


def governed(spark: SparkSession, routing: Routing, options: argparse.Namespace) -> Controller:
    """penstock, which re-routes by itself."""
    how = SparkSettings(route_window_s=options.window)
    engine = SparkEngine(LiveSpark(spark), [Job(NAME, route=routing)], how)
    policy = decider(options.policy, routing=RoutingSettings(RoutingMode.ACT))
    intents = {NAME: Intent(Latency("10s"))}
    return Controller(engine, Governed(intents, policy, settings=LoopSettings(interval_s=2.0)))


def run(spark: SparkSession, options: argparse.Namespace) -> Timeline:
    """All batches, one after the other as fast as they go."""
    place = Path(tempfile.mkdtemp(prefix="routing-timeline-"))
    pairs = drifting(options.batches * options.rows, 40 * options.workers, options.locality)
    write_files(pairs, options.batches, place / "in", WINDOW_S)
    routing = Routing(NAME, left="left", right="right", checkpoint=place / "checkpoint")
    stream = measured(files_of(spark, place / "in"), "at", pairs=("left", "right"))
    writer = query_of(stream, routing, options.payload, WINDOW_S).writeStream.format("noop").outputMode("append")
    writer = writer.option("checkpointLocation", str(place / "checkpoint")).queryName(NAME)
    reader, events = StageReader(spark.sparkContext), QueryEvents(spark, name_pools=False)
    batches: dict[int, Batch] = {}
    readings: list[StageReading] = []
    began_s = time.time()
    events.attach()
    with governed(spark, routing, options) as controller:
        query = writer.start()
        while query.isActive and rows_of(batches) < len(pairs) and time.time() < began_s + _WITHIN_S:
            time.sleep(_LOOKS_EVERY_S)
            before = len(batches)
            batches |= {batch.batch_id: batch for _, batch in told_batches(events) if batch.rows}
            readings += reader.read()
            if len(batches) // _TOLD_EVERY > before // _TOLD_EVERY:
                at = f"{time.time() - began_s:.0f} s, load {os.getloadavg()[0]:.1f}"
                print(f"{at}: {rows_of(batches):,} of {len(pairs):,} rows", file=sys.stderr, flush=True)
        query.stop()
        decisions = controller.decisions
        deeds = controller.snapshot().deeds
    events.detach()
    for deed in deeds:
        print(f"by itself: {deed.text}: {deed.why}", file=sys.stderr)
    shares = last_shuffle([*readings, *reader.read()])
    moments = tuple(_moments(batches, shares, began_s))
    halves = zip(moments, itertools.accumulate(one.rows for one in moments), strict=True)
    changed = next((one.at_s for one, until in halves if until > len(pairs) // 2), float("inf"))
    return Timeline(moments, tuple((one.decision.at_s, one.decision.why) for one in decisions), changed)


def rows_of(batches: Mapping[int, Batch]) -> int:
    """What they held, together."""
    return sum(int(batch.rows) for batch in batches.values())


def _moments(batches: Mapping[int, Batch], shares: Mapping[int, tuple[int, int]], began_s: float) -> Iterator[Moment]:
    for number, batch in sorted(batches.items()):
        local, remote = shares.get(number, (0, 0))
        seconds = batch.committed_s - batch.started_s
        share = local / (local + remote) if local + remote else None
        yield Moment(batch.committed_s - began_s, number, int(batch.rows), seconds, batch.rows / seconds, share)


def told(timeline: Timeline) -> Iterator[str]:
    """What the picture shows, in numbers: hashed, with the first table, after the change, with the next one."""
    yield "| from | to | batches | rows/s, median | local share, median |"
    yield "|---|---|---|---|---|"
    ends = sorted([*(at_s for at_s, _ in timeline.rerouted), timeline.changed_s])
    for begin_s, end_s in zip([0.0, *ends], [*ends, float("inf")], strict=True):
        part = [one for one in timeline.moments if begin_s <= one.at_s < end_s]
        shares = [one.local for one in part if one.local is not None]
        if shares:
            speed = statistics.median(one.rows_rps for one in part)
            last_s = part[-1].at_s
            yield f"| {begin_s:.0f} s | {last_s:.0f} s | {len(part)} | {speed:,.0f} | {statistics.median(shares):.3f} |"


def draw(timeline: Timeline, path: Path) -> None:
    """Throughput above, local share below."""
    figure, (above, below) = plt.subplots(2, 1, figsize=(11, 6), sharex=True)
    at_s = [one.at_s for one in timeline.moments]
    above.plot(at_s, [one.rows_rps for one in timeline.moments], color="#0b6e4f", linewidth=1.2)
    above.set_ylabel("rows/s")
    shared = [one for one in timeline.moments if one.local is not None]
    below.plot([one.at_s for one in shared], [one.local for one in shared], color="#0b6e4f", linewidth=1.2)
    below.set(ylabel="local share", xlabel="seconds", ylim=(0, 1))
    for panel in (above, below):
        panel.axvline(timeline.changed_s, color="#c1666b", linestyle=":", label="all partners change")
        for number, (moment_s, _) in enumerate(timeline.rerouted):
            panel.axvline(moment_s, color="#555555", linestyle="--", label="penstock re-routes" if not number else None)
    above.legend(fontsize=8, frameon=False)
    above.set_ylim(bottom=0)
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def write(timeline: Timeline, place: Path) -> None:
    """The CSV file and the picture."""
    place.mkdir(parents=True, exist_ok=True)
    with (place / "timeline.csv").open("w", newline="", encoding="utf-8") as file:
        lines = csv.DictWriter(file, list(asdict(timeline.moments[0])))
        lines.writeheader()
        lines.writerows(asdict(one) for one in timeline.moments)
    draw(timeline, place / "timeline.png")


def drive(master: str, options: argparse.Namespace) -> None:
    """On a cluster that is there."""
    spark = start_application(NAME, master, {**CONF, "spark.executor.memory": "640m"})
    wait_for_executors(spark, options.workers)
    spark.conf.set("spark.sql.shuffle.partitions", str(options.workers))
    timeline = run(spark, options)
    spark.stop()
    if not timeline.moments:
        raise SystemExit("no batch ended")
    write(timeline, options.out)
    for at_s, why in timeline.rerouted:
        print(f"{at_s:.0f} s: {why}")
    print("\n".join(told(timeline)))


def main() -> None:
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that what was started is ended too
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--network", help="a bandwidth, such as 100mbit; needs root")
    parser.add_argument("--rows", type=int, default=12_000, help="in a batch")
    parser.add_argument("--batches", type=int, default=80)
    parser.add_argument("--payload", type=int, default=512, help="bytes of a row between the operators")
    parser.add_argument("--locality", type=float, default=0.8)
    parser.add_argument("--window", type=float, default=30.0, help="seconds over which pairs are counted")
    parser.add_argument("--policy", default="static", help="what else it does, such as penstock")
    parser.add_argument("--out", type=Path, default=Path("routing-timeline"))
    parser.add_argument("--driver", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.driver:
        drive(options.driver, options)
        return
    state = Path(tempfile.mkdtemp(prefix="routing-cluster-")) / "cluster.json"
    try:
        cluster = standalone.up(state, options.workers, 1, "1g", processes.free_port(), options.network)
        print(f"{time.strftime('%Y-%m-%d %H:%M')}, load {os.getloadavg()[0]:.1f}", flush=True)
        subprocess.run([sys.executable, __file__, *sys.argv[1:], "--driver", cluster.master], check=True)
    finally:
        standalone.down(state)


if __name__ == "__main__":
    main()
