"""Routing on a real standalone cluster: what part of the second operator's shuffle stays on its host, and its worth.

    python benchmarks/routing_on_spark.py --workers 4,6 [--pairs TAXI.csv.gz ...] [--write]
    sudo python benchmarks/routing_on_spark.py --network 100mbit,1gbit [--payloads 0,4000,12000] [--write]

The same rows pass two windowed operators hashed, routed by the table that METIS makes of earlier rows, and at worst
(partners of a pair always apart). With --workers each has a loopback address of its own, so that what it reads from
another travels over TCP and Spark counts it as remote; with --network each is a host of its own, in a network
namespace behind a link of that bandwidth. Every cluster is started and ended here. --pairs names CSV files with
columns k1 and k2.
"""

import argparse
import csv
import json
import os
import platform
import signal
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from datetime import date
from itertools import chain
from pathlib import Path

from routed_query import CASES, Measured, Task

from penstock.local import processes
from penstock.local.spark import standalone

RESULTS = Path(__file__).parents[1] / "docs" / "results" / "routing-on-spark.md"
DRIVER = Path(__file__).with_name("routed_query.py")
TARGET_POINTS, TARGET_TIMES, TARGET_ASTRAY = 3.0, 1.5, 0.02


class DriverError(Exception):
    """A cluster's runs did not come to their end; those of others count all the same."""


def measured(task: Task, bandwidth: str | None) -> list[Measured]:
    """The task on a cluster of its own."""
    place = Path(tempfile.mkdtemp(prefix="routing-cluster-"))
    state, told = place / "cluster.json", place / "task.json"
    told.write_text(json.dumps(asdict(task)), encoding="utf-8")
    try:
        cluster = standalone.up(state, task.workers, 1, "1g", processes.free_port(), bandwidth)
        command = [sys.executable, str(DRIVER), cluster.master, str(told)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
            assert running.stdout is not None
            found = list(_told(running.stdout))
        if running.returncode != 0:
            raise DriverError(f"the driver ended with {running.returncode}; its words are above")
    finally:
        standalone.down(state)
    return found


def _told(lines: Iterator[str]) -> Iterator[Measured]:
    for line in lines:
        if line.startswith("{"):
            one = Measured(**json.loads(line))
            print(replace(one, tasks=()), file=sys.stderr, flush=True)
            yield one


def locality_rows(what: str, workers: int, found: Sequence[Measured]) -> Iterator[str]:
    """A line for each case: predicted and measured."""
    for case in CASES:
        of_case = [one for one in found if one.case == case]
        each = [100 * (one.local - one.predicted) for one in of_case]
        yield (
            f"| {what} | {workers} | {case} | {of_case[0].predicted:.3f} | {_median(of_case, 'local'):.3f} "
            f"| {statistics.median(each):+.1f} ({min(each):+.1f} to {max(each):+.1f}) "
            f"| {max(one.astray for one in of_case):.1%} | {_median(of_case, 'rows_rps'):,.0f} "
            f"| {_median(of_case, 'batch_s'):.2f} |"
        )


def network_rows(bandwidth: str, found: Sequence[Measured]) -> Iterator[str]:
    """A line for each payload: rows a second by case, and routed over hashed."""
    for payload in dict.fromkeys(one.payload for one in found):
        of = {case: [one for one in found if (one.case, one.payload) == (case, payload)] for case in CASES}
        speed = {case: _median(of[case], "rows_rps") for case in CASES}
        times = [a.rows_rps / b.rows_rps for a, b in zip(of["routed"], of["hash"], strict=True)]
        local = " / ".join(f"{_median(of[case], 'local'):.2f}" for case in CASES)
        seconds = " / ".join(f"{_median(of[case], 'batch_s'):.2f}" for case in CASES)
        speeds = " / ".join(f"{speed[case]:,.0f}" for case in CASES)
        yield (
            f"| {bandwidth} | {payload / 1000:g} kB | {local} | {speeds} | {seconds} "
            f"| x{speed['routed'] / speed['hash']:.2f} ({min(times):.2f} to {max(times):.2f}) |"
        )


def _median(found: Sequence[Measured], field: str) -> float:
    return float(statistics.median(getattr(one, field) for one in found))


def locality_section(options: argparse.Namespace) -> Iterator[str]:
    """Loopback: predicted against measured."""
    yield from ("", "## Local share, workers on loopback", "", _when(), "")
    head = "predicted | measured | points off, median (range) | tasks astray, at most | rows/s | batch s |"
    yield f"| pairs | workers | case | {head}"
    yield "|---|---|---|---|---|---|---|---|---|"
    off: list[float] = []
    astray: list[float] = []
    for workers in _whole(options.workers):
        task = Task(workers, (512,), options.rows, batches=options.batches, rounds=options.rounds)
        for what in (*([] if options.no_synthetic else [None]), *options.pairs):
            try:
                found = measured(replace(task, pairs=what), None)
            except DriverError as error:
                yield f"| {what or 'synthetic'} | {workers} | {error} | | | | | |"
                continue
            _keep_tasks(options.tasks, workers, what or "synthetic", found)
            off += [100 * abs(one.local - one.predicted) for one in found]
            astray += [one.astray for one in found]
            name = f"synthetic, {task.locality:.0%}" if what is None else Path(what).name.split(".")[0]
            yield from locality_rows(name, workers, found)
    if not off:
        return
    yield from ("", f"Largest difference of any run: {max(off):.1f} points ({_met(max(off) <= TARGET_POINTS)}: 3).")
    most = max(astray)
    yield f"Most tasks astray in the measured batches of any run: {most:.1%} ({_met(most < TARGET_ASTRAY)}: under 2 %)."


def _keep_tasks(path: Path | None, workers: int, what: str, found: Sequence[Measured]) -> None:
    """One line for each stateful task; `belonged` is empty before partitions were placed."""
    if path is None:
        return
    fresh = not path.exists()
    with path.open("a", newline="", encoding="utf-8") as file:
        lines = csv.writer(file)
        if fresh:
            lines.writerow(("workers", "pairs", "case", "run", "batch", "partition", "executor", "belonged"))
        for number, one in enumerate(found):
            lines.writerows((workers, what, one.case, number // len(CASES), *task) for task in one.tasks)


def network_section(options: argparse.Namespace) -> Iterator[str]:
    """Hosts with links of their own: what routing is worth."""
    yield from ("", f"## Throughput, {options.hosts} hosts behind shaped links", "", _when(), "")
    yield "| link | payload | local share: hash / routed / worst | rows/s | batch s | routed over hash |"
    yield "|---|---|---|---|---|---|"
    for bandwidth in options.network.split(","):
        task = Task(options.hosts, _whole(options.payloads), options.rows, batches=options.batches)
        try:
            yield from network_rows(bandwidth, measured(replace(task, rounds=options.rounds), bandwidth))
        except DriverError as error:
            yield f"| {bandwidth} | {error} | | | | |"
    yield from ("", f"Target: x{TARGET_TIMES} or more at 4 kB and above.")


def _when() -> str:
    command = " ".join([Path(sys.argv[0]).name, *(f"{Path(word).name}" for word in sys.argv[1:])])
    return f"{date.today()}, {platform.machine()}, {os.cpu_count()} cores, `{command}`"


def _whole(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(",") if part)


def _met(holds: bool) -> str:
    return "target met" if holds else "target missed"


def main() -> None:
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that what was started is ended too
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", default="", help="numbers of workers on loopback, such as 4,6")
    parser.add_argument("--pairs", nargs="*", default=[])
    parser.add_argument("--no-synthetic", action="store_true", help="only the pairs of --pairs")
    parser.add_argument("--tasks", type=Path, help="a CSV file: which executor ran which partition, task by task")
    parser.add_argument("--network", default="", help="bandwidths, such as 100mbit,1gbit; needs root")
    parser.add_argument("--hosts", type=int, default=4)
    parser.add_argument("--payloads", default="0,4000,12000", help="bytes of a row between the operators")
    parser.add_argument("--rows", type=int, default=24_000, help="in a batch, at most")
    parser.add_argument("--batches", type=int, default=5, help="measured ones of each run; three more go before")
    parser.add_argument("--rounds", type=int, default=1, help="runs of each case")
    parser.add_argument("--write", action="store_true", help="append to docs/results/routing-on-spark.md")
    options = parser.parse_args()
    sections = [
        *([locality_section(options)] if options.workers else []),
        *([network_section(options)] if options.network else []),
    ]
    for line in chain.from_iterable(sections):  # as they come: what fails later costs none of them
        print(line, flush=True)
        if options.write:
            with RESULTS.open("a", encoding="utf-8") as file:
                file.write(line + "\n")


if __name__ == "__main__":
    main()
