"""Phoebe on real Spark: the Yahoo! benchmark and top-speed windowing on replayed loads, with failures, judged.

    python benchmarks/phoebe_on_spark.py [--minutes 30] [--speed 4] [--profiles DIR] [--out FILE] [--json FILE]
    python benchmarks/phoebe_on_spark.py --no-drill --kinds driver --failures 1 --minutes 15    # the first driver ever

A broker and a standalone cluster of two workers are started on loopback. Each job is an application of its own, run by
`penstock run --restart` with policy phoebe. Both run side by side for so many minutes on the recorded loads of the
paper's jobs, scaled down and played `--speed` times as fast. In turn an executor is killed, the query, and the whole
driver, or what `--kinds` says. Before that there is a drill at an even load, in which each of these happens once to
each job, to learn what they cost. Without --profiles both jobs are profiled first of all with `penstock profile`, while
they run. Thirty lost executors take an hour and a half, profiles included: --minutes 60 --failures 15 --kinds executor
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from phoebe_predicted import numbers_of, predicted, settings_of
from phoebe_report import TARGET_S, Failure, Run, decisions_of, report
from phoebe_watch import Watched
from phoebe_world import WORKLOADS, Workload, World, harm, world

from penstock.engines.kafka.offsets import TopicEnds

LOOK_EVERY_S = 0.5
KINDS = ("executor", "query", "driver")
ANSWERS_WITHIN_S = 30.0
DRAINED_WITHIN_S = 180.0
PROFILED_AT_RPS = 100.0  # of each job while it is profiled
PROFILED_WITHIN_S = 1500.0
DRILL_WITHIN_S = 300.0  # for a job to be over one failure
CALM_BATCHES, CALM_S = 4, 20.0  # cold JVMs take minutes until so many batches in a row are as late as is allowed
CALM_WITHIN_S = 420.0
QUIET_S = 45.0  # between a recovery and the next failure of the drill
IN_BATCH_WITHIN_S = 30.0


def settings(speed: float, profile: Path) -> dict[str, Any]:
    """What a tenants file of the run says beside its job."""
    phoebe = numbers_of(speed)
    intent = {"latency": "20s", "recovery": f"{TARGET_S:.0f}s", "utility": 10}
    job = {"intent": intent}
    return {"policy": "phoebe", "settings": {"phoebe": phoebe}, "profiles": {profile.stem: profile.name}, "job": job}


def plan(minutes: float, count: int, kinds: Sequence[str]) -> list[tuple[float, str, str]]:
    """(second, job, kind): so many failures of each job, the jobs in turn, the first after a fifth of the time."""
    spacing_s = minutes * 60 * 0.8 / count
    found = [
        (minutes * 12 + spacing_s * (number + place / len(WORKLOADS)), work.name, kinds[number % len(kinds)])
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
    if not options.no_drill:
        drill(made, run)
    for work in WORKLOADS:
        made.start_load(work, work.rates(options.minutes, options.speed), options.speed)
        run.decided_before[work.name] = len(decisions_of(made, work.name))
    run.started_s, stolen_before = time.time(), stolen_s()
    left = plan(options.minutes, options.failures, options.kinds)
    while any(load.poll() is None for load in made.loads.values()):
        at_s = time.time() - run.started_s
        due = next((one for one in left if one[0] <= at_s and recovered(run, one[1])), None)
        if due is not None:
            left.remove(due)
            fail(made, run, due[1], due[2])
        look(made, run)
    run.ended_s = time.time()
    run.stolen = (stolen_s() - stolen_before) / ((os.cpu_count() or 1) * (run.ended_s - run.started_s))
    drained(made, run)
    return run


def drill(made: World, run: Run) -> None:
    """Each kind of failure once for each job, at the load with which the recorded one begins."""
    for work in WORKLOADS:
        first_rps = work.rates(run.options.minutes, run.options.speed)[0]
        made.start_load(work, [first_rps] * round(PROFILED_WITHIN_S), 1.0)
    run.started_s = time.time()
    until_calm(made, run)
    for kind in run.options.kinds:
        for work in WORKLOADS:
            fail(made, run, work.name, kind, drill=True)
            deadline = time.monotonic() + DRILL_WITHIN_S
            while not recovered(run, work.name) and time.monotonic() < deadline:
                look(made, run)
            look_for(made, run, QUIET_S)
            until_calm(made, run)
    for work in WORKLOADS:
        made.loads.pop(work.name).kill()


def until_calm(made: World, run: Run) -> None:
    """Until both jobs are in time, so that a failure is all that disturbs them."""
    deadline = time.monotonic() + CALM_WITHIN_S
    while time.monotonic() < deadline:
        look(made, run)
        if all(watched.calm(CALM_BATCHES, CALM_S) for watched in run.watched.values()):
            return
    tell("the jobs did not become calm in time; going on")


def look_for(made: World, run: Run, seconds: float) -> None:
    """Samples for so long."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        look(made, run)


def recovered(run: Run, name: str) -> bool:
    """Whether the job is over its last failure: one at a time is judged, the next one waits."""
    at_s = [failure.at_s for failure in run.failures if failure.job == name]
    return not at_s or run.watched[name].recovery(at_s[-1]).recovered_s is not None


def fail(made: World, run: Run, name: str, kind: str, drill: bool = False) -> None:
    """Note what is said of a failure, then let it happen."""
    if kind == "query":  # it is made to fail by its running Spark job, so it must have one
        until_in_batch(made, run, name)
    known = settings_of(run.options.speed, made.place / f"{name}.csv")
    into_s = run.watched[name].into_s(time.time())
    said = predicted(made.store(name), name, kind, run_kinds(run, name), known, into_s)
    run.failures.append(Failure(name, kind, time.time(), said, drill))
    done = harm(made, name, kind)
    tell(f"{time.time() - run.started_s:.0f} s: {name}: {kind} {'killed' if done else 'NOT killed: nothing there'}")


def until_in_batch(made: World, run: Run, name: str) -> None:
    """Until a batch of the job is under way."""
    deadline = time.monotonic() + IN_BATCH_WITHIN_S
    while not run.watched[name].in_batch() and time.monotonic() < deadline:
        look(made, run)


def run_kinds(run: Run, name: str) -> Mapping[str, list[float]]:
    """What failures of each kind cost this job so far, as downtimes that explain its recoveries."""
    found: dict[str, list[float]] = {}
    for failure in run.failures:
        if failure.job == name and failure.predicted is not None:
            recovered_s = run.watched[name].recovery(failure.at_s).recovered_s
            if recovered_s is not None:
                found.setdefault(failure.kind, []).append(failure.predicted.downtime_of(recovered_s))
    return found


def look(made: World, run: Run) -> None:
    """One sample of everything."""
    began_s = time.monotonic()
    made.check()
    ends = run.ends.read_patiently(list(run.watched), ANSWERS_WITHIN_S)
    executors = made.executors()
    for name, watched in run.watched.items():
        watched.ends.append((time.time(), sum(ends[name].values())))
        watched.executors.append((time.time(), len(executors.get(name, []))))
        watched.look()
    time.sleep(max(0.0, LOOK_EVERY_S - (time.monotonic() - began_s)))


def drained(made: World, run: Run) -> None:
    """Until every row is in a committed batch, and every job over its last failure."""
    deadline = time.monotonic() + DRAINED_WITHIN_S
    while time.monotonic() < deadline:
        look(made, run)
        waiting = [w for w in run.watched.values() if not w.batches() or w.batches()[-1].rows < w.ends[-1][1]]
        if not waiting and all(recovered(run, name) for name in run.watched):
            return
    tell("not all rows were processed, or not all jobs over their last failure, in time")


def stolen_s() -> float:
    """Seconds, of all cores since the machine began, in which it wanted a core and its host gave it none."""
    fields = Path("/proc/stat").read_text(encoding="ascii").splitlines()[0].split()
    return int(fields[8]) / os.sysconf("SC_CLK_TCK")


def tell(text: str) -> None:
    """Progress."""
    print(text, flush=True)


def profiled(made: World, options: argparse.Namespace) -> None:
    """Profile each job with `penstock profile` while it runs; one after the other, for they share the cores."""
    for work in WORKLOADS:
        made.tenants_file(work, {"job": {"intent": {"latency": "10s", "utility": 10}}})
        made.start_driver(work, "static")
        made.until_ready([work.name])
        made.start_load(work, [PROFILED_AT_RPS] * round(PROFILED_WITHIN_S), 1.0)
        time.sleep(options.record_s / 2)
        tell(f"profiling {work.name}; see {made.place}/{work.name}.profile.log")
        if profile_command(made, work, options).wait(PROFILED_WITHIN_S) != 0:
            raise SystemExit(f"profiling failed; see {made.place}/{work.name}.profile.log")
        made.stop(work.name)
        made.loads.pop(work.name).kill()


def profile_command(made: World, work: Workload, options: argparse.Namespace) -> "subprocess.Popen[bytes]":
    """`penstock profile` as a user calls it."""
    job = f"{made.place / work.name}.yaml:{work.name}"
    where = ["--store", str(made.store(work.name)), "--out", str(made.place / f"{work.name}.csv")]
    how = ["--record", f"{options.record_s:.0f}s", "--settle", "15s", "--measure", "25s"]
    rates = ["--first-rate", "50", "--step-rate", "50"]
    search = made.penstock(f"{work.name}.profile", "profile", job, "--scaleouts", "1,2,4", *where, *how, *rates)
    made.searches.append(search)
    return search


def main() -> None:
    """Profile, govern, tell."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--speed", type=float, default=4.0)
    parser.add_argument("--failures", type=int, default=3, help="of each job; it decides nothing soon after one")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS, help="what fails, in turn")
    parser.add_argument("--no-drill", action="store_true", help="learn what failures cost from those that are judged")
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
