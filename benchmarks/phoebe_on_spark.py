"""Phoebe on real Spark: the Yahoo! benchmark and top-speed windowing on replayed loads, with failures, judged.

    python benchmarks/phoebe_on_spark.py [--minutes 30] [--speed 4] [--profiles DIR] [--out FILE] [--json FILE]

A broker and a standalone cluster of two workers are started on loopback. Each job is an application of its own, run by
`penstock run --restart` with policy phoebe. Both run side by side for so many minutes on the recorded loads of the
paper's jobs, scaled down and played `--speed` times as fast. In turn an executor is killed, the query, and the whole
driver. Without --profiles both jobs are profiled first with `penstock profile`, while they run.
"""

import argparse
import json
import math
import os
import platform
import shutil
import signal
import statistics
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from phoebe_answers import exactly_once
from phoebe_predicted import Prediction, predicted, settings_of
from phoebe_watch import Recovery, Watched
from phoebe_world import MOST, WORKLOADS, Workload, World, harm, world

from penstock.engines.kafka.offsets import TopicEnds
from penstock.store.open import find_run, open_store

LOOK_EVERY_S = 0.5
KINDS = ("executor", "query", "driver")
TARGET_S = 180.0
DRAINED_WITHIN_S = 300.0
PROFILED_AT_RPS = 150.0  # of each job while it is profiled
PROFILED_WITHIN_S = 1500.0


@dataclass(slots=True)
class Failure:
    """One failure of one job: what was said of it before, and what came."""

    job: str
    kind: str
    at_s: float
    predicted: Prediction | None
    recovery: Recovery | None = None


@dataclass(slots=True)
class Run:
    """All that was seen."""

    options: argparse.Namespace
    watched: dict[str, Watched]
    ends: TopicEnds
    failures: list[Failure] = field(default_factory=list)
    started_s: float = 0.0
    ended_s: float = 0.0


def settings(speed: float, profile: Path) -> dict[str, Any]:
    """The paper's numbers in the time of a load that is played faster."""
    phoebe = {
        "interval_s": 600.0 / speed,
        "bin_s": 120.0 / speed,
        "step_s": 60.0 / speed,
        "least_history": 8,
        "downtime_s": 60.0,
        "disturbance_s": 5.0,
    }
    intent = {"latency": "10s", "recovery": f"{TARGET_S:.0f}s", "utility": 10}
    job = {"intent": intent}
    return {"policy": "phoebe", "settings": {"phoebe": phoebe}, "profiles": {profile.stem: profile.name}, "job": job}


def plan(minutes: float, count: int) -> list[tuple[float, str, str]]:
    """(second, job, kind): so many failures of each job, the jobs in turn, the first after a fifth of the time."""
    spacing_s = minutes * 60 * 0.8 / count
    found = [
        (minutes * 12 + spacing_s * (number + place / len(WORKLOADS)), work.name, KINDS[number % len(KINDS)])
        for number in range(count)
        for place, work in enumerate(WORKLOADS)
    ]
    return sorted(found)


def governed(made: World, options: argparse.Namespace) -> Run:
    """Both jobs for so many minutes, with failures."""
    watched = {work.name: Watched(made.place / "checkpoints" / work.name) for work in WORKLOADS}
    run = Run(options, watched, TopicEnds(made.bootstrap))
    for work in WORKLOADS:
        made.start_driver(work, "phoebe")
    made.until_ready([work.name for work in WORKLOADS])
    for work in WORKLOADS:
        made.start_load(work, work.rates(options.minutes, options.speed), options.speed)
    run.started_s = time.time()
    left = plan(options.minutes, options.failures)
    while any(load.poll() is None for load in made.loads.values()):
        at_s = time.time() - run.started_s
        if left and at_s >= left[0][0]:
            _, name, kind = left.pop(0)
            known = settings_of(options.speed, made.place / f"{name}.csv")
            said = predicted(made.store(name), name, kind, run_kinds(run, name), known)
            run.failures.append(Failure(name, kind, time.time(), said))
            done = harm(made, name, kind)
            tell(f"{at_s:.0f} s: {name}: {kind} {'killed' if done else 'NOT killed: nothing there'}")
        look(made, run)
    run.ended_s = time.time()
    drained(made, run)
    return run


def run_kinds(run: Run, name: str) -> Mapping[str, list[float]]:
    """The downtimes of this job's failures so far, by kind: what there is to learn from."""
    found: dict[str, list[float]] = {}
    for failure in run.failures:
        downtime_s = run.watched[failure.job].recovery(failure.at_s).downtime_s
        if failure.job == name and downtime_s is not None:
            found.setdefault(failure.kind, []).append(downtime_s)
    return found


def look(made: World, run: Run) -> None:
    """One sample of everything."""
    began_s = time.monotonic()
    made.check()
    ends, executors = run.ends.read(list(run.watched)), made.executors()
    for name, watched in run.watched.items():
        watched.ends.append((time.time(), sum(ends[name].values())))
        watched.executors.append((time.time(), len(executors.get(name, []))))
        watched.look()
    time.sleep(max(0.0, LOOK_EVERY_S - (time.monotonic() - began_s)))


def drained(made: World, run: Run) -> None:
    """Until every row is in a committed batch."""
    deadline = time.monotonic() + DRAINED_WITHIN_S
    while time.monotonic() < deadline:
        look(made, run)
        waiting = [w for w in run.watched.values() if not w.batches() or w.batches()[-1].rows < w.ends[-1][1]]
        if not waiting:
            return
    tell("not all rows were processed in time")


def tell(text: str) -> None:
    """Progress."""
    print(text, flush=True)


def report(made: World, run: Run) -> tuple[str, dict[str, Any]]:
    """The tables, and the same as a document."""
    for failure in run.failures:
        failure.recovery = run.watched[failure.job].recovery(failure.at_s)
    lines = [
        f"{time.strftime('%Y-%m-%d %H:%M')}, {os.cpu_count()} cores shared with other work (load average "
        f"{os.getloadavg()[2]:.0f} over the last 15 minutes), Linux {platform.release()}, Spark 4.3 standalone, two "
        f"workers. `python benchmarks/phoebe_on_spark.py --minutes {run.options.minutes:g} --speed "
        f"{run.options.speed:g} --failures {run.options.failures}`",
        "",
        *recoveries(run),
        "",
        *resources(made, run),
    ]
    failures = [{**asdict(failure), "at_s": failure.at_s - run.started_s} for failure in run.failures]
    return "\n".join(lines), {"failures": failures, "jobs": {work.name: jobs(made, run, work) for work in WORKLOADS}}


def recoveries(run: Run) -> list[str]:
    """Predicted and measured, failure by failure, and the mean errors."""
    lines = [
        "| at | job | killed | executors | rate/s | downtime | recovery, measured | predicted before | "
        "with the downtime it had | planned at the worst |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    before, knowing = [], []
    for failure in run.failures:
        said, came = failure.predicted, failure.recovery
        assert came is not None
        row = [f"{failure.at_s - run.started_s:.0f} s", failure.job, failure.kind]
        row += ["-", "-"] if said is None else [str(said.scaleout), f"{said.rate_rps:.0f}"]
        row += [seconds(came.downtime_s), seconds(came.recovered_s)]
        with_it = None if said is None or came.downtime_s is None else said.recovery_s(came.downtime_s)
        row += ["-", "-", "-"] if said is None else [seconds(said.expected_s), seconds(with_it), seconds(said.worst_s)]
        lines.append(f"| {' | '.join(row)} |")
        if said is not None and came.recovered_s is not None:
            before.append(abs(said.expected_s / came.recovered_s - 1.0))
            knowing += [] if with_it is None else [abs(with_it / came.recovered_s - 1.0)]
    late = [f for f in run.failures if f.recovery and (f.recovery.recovered_s or 1e9) > TARGET_S]
    return [
        *lines,
        "",
        f"- failures: {len(run.failures)}; recovered within {TARGET_S:.0f} s: {len(run.failures) - len(late)}",
        f"- mean error of what was predicted before the failure: {mean_text(before)} (target: 10 %)",
        f"- mean error of the same with the downtime that the failure turned out to have: {mean_text(knowing)}",
    ]


def resources(made: World, run: Run) -> list[str]:
    """Reconfigurations, executor-seconds, and whether every row was counted once."""
    lines = [
        "| job | reconfigurations | executor-seconds | static 4 | saved | windows | wrong | rows |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for work in WORKLOADS:
        found = jobs(made, run, work)
        lines.append(
            f"| {work.name} | {found['reconfigurations']} | {found['executor_s']:.0f} | {found['static_s']:.0f} | "
            f"{100 * (1 - found['executor_s'] / found['static_s']):.1f} % | {found['windows']} | {found['wrong']} | "
            f"{found['rows']} |"
        )
    return lines


def jobs(made: World, run: Run, work: Workload) -> dict[str, Any]:
    """What is told of one job."""
    lasted_s = run.ended_s - run.started_s
    store = open_store(made.store(work.name))
    decisions = store.read_run(find_run(store, "last").id).decisions
    windows, wrong, rows = exactly_once(made.bootstrap, work.name)
    return {
        "reconfigurations": len(decisions),
        "decisions": [[one.decision.at_s, one.decision.why] for one in decisions],
        "executor_s": run.watched[work.name].executor_s(run.started_s, run.ended_s),
        "static_s": MOST * lasted_s,
        "windows": windows,
        "wrong": wrong,
        "rows": rows,
    }


def seconds(value: float | None) -> str:
    """Whole seconds, or a dash for what was not seen."""
    return "-" if value is None else f"{value:.0f} s" if math.isfinite(value) else "never"


def mean_text(errors: Sequence[float]) -> str:
    """As a percentage, with how many there are."""
    return "-" if not errors else f"{100 * statistics.mean(errors):.1f} % over {len(errors)}"


def profiled(made: World, options: argparse.Namespace) -> None:
    """Run each job for itself, profile it meanwhile with `penstock profile`, and stop it."""
    for work in WORKLOADS:
        path = made.tenants_file(work, {"job": {"intent": {"latency": "10s", "utility": 10}, "slots": 2}})
        made.start_driver(work, "static")
        made.until_ready([work.name])
        made.start_load(work, [PROFILED_AT_RPS] * round(PROFILED_WITHIN_S), 1.0)
        tell(f"profiling {work.name}; see {made.place}/{work.name}.profile.log")
        time.sleep(options.record_s)
        where = ["--store", str(made.store(work.name)), "--out", str(made.place / f"{work.name}.csv")]
        how = ["--record", f"{options.record_s:.0f}s", "--settle", "10s", "--measure", "20s"]
        rates = ["--first-rate", "100", "--step-rate", "100"]
        scaleouts = ["--scaleouts", ",".join(str(size) for size in range(1, MOST + 1) if size != 3)]
        command = ["profile", f"{path}:{work.name}", *scaleouts, *where, *how, *rates]
        done = made.penstock(f"{work.name}.profile", *command)
        if done.wait(PROFILED_WITHIN_S) != 0:
            raise SystemExit(f"profiling failed; see {made.place}/{work.name}.profile.log")
        made.loads[work.name].send_signal(signal.SIGINT)
        made.loads.pop(work.name).wait(60.0)
        made.stop(work.name)


def main() -> None:
    """Profile, govern, tell."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--speed", type=float, default=4.0)
    parser.add_argument("--failures", type=int, default=6, help="of each job")
    parser.add_argument("--profiles", type=Path, help="where ads.csv and cars.csv are; profiled first without")
    parser.add_argument("--record-s", type=float, default=120.0, help="how much of the input is recorded to profile")
    parser.add_argument("--only-profile", action="store_true", help="leave it at that, with the profiles in --out")
    parser.add_argument("--place", type=Path, help="where all files go, kept; a temporary directory without")
    parser.add_argument("--out", type=Path, help="where the tables go; with --only-profile, a directory")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    place = options.place or Path(tempfile.mkdtemp(prefix="penstock-phoebe-"))
    if options.profiles is None:
        with world(place / "profiling") as made:
            profiled(made, options)
        options.profiles = place / "profiling"
    if options.only_profile:
        return
    with world(place / "governing") as made:
        for work in WORKLOADS:
            shutil.copy(options.profiles / f"{work.name}.csv", made.place)
            made.tenants_file(work, settings(options.speed, made.place / f"{work.name}.csv"))
        run = governed(made, options)
        for work in WORKLOADS:
            made.stop(work.name)
        text, document = report(made, run)
    print(text)
    if options.out is not None:
        options.out.write_text(text + "\n", encoding="utf-8")
    if options.json is not None:
        options.json.write_text(json.dumps(document, indent=2), encoding="utf-8")
    if options.place is None:
        shutil.rmtree(place, ignore_errors=True)


if __name__ == "__main__":
    main()
