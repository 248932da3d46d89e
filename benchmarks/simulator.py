"""How fast the simulator and the Henge policy are, and how their cost grows with jobs.

python benchmarks/simulator.py [--hours 48] [--jobs 40] [--out docs/results/simulator.md]
"""

import argparse
import os
import platform
import statistics
import time
from itertools import pairwise
from pathlib import Path

from penstock.core.asked.intents import Intent, Latency
from penstock.core.seen.figures import JobFigures, LatencyFigures, MachineFigures, OperatorFigures
from penstock.core.seen.view import JobView, View
from penstock.planning.registry import policy_named
from penstock.simulation.run import simulate
from penstock.simulation.scenario_file import Variant
from penstock.simulation.schema import ScenarioFile

OPERATORS = ("source", "parse", "filter", "join", "aggregate", "sink")


def scenario(jobs: int, seconds: float) -> ScenarioFile:
    """Jobs of six operators under a daily load, crowded enough that Henge has work to do."""
    flow = {a: [b] for a, b in pairwise(OPERATORS)}
    return ScenarioFile.model_validate(
        {
            "name": "benchmark",
            "duration": seconds,
            "cluster": {"machines": max(2, jobs // 4), "cores": 8, "noise": 0.02},
            "topologies": {"six": {"flow": flow, "operators": {name: {"cpu": "1ms"} for name in OPERATORS}}},
            "jobs": [
                {
                    "name": "job",
                    "copies": jobs,
                    "topology": "six",
                    "rate": {"sine": {"mean": 600, "amplitude": 500, "period": "24h"}, "noise": 0.05},
                    "intent": {"latency": "50ms", "utility": 10},
                }
            ],
        }
    )


def simulated_seconds(jobs: int, hours: float) -> tuple[float, int]:
    """Wall seconds of a simulation with its controller, and how many decisions it took."""
    variant = Variant({}, scenario(jobs, hours * 3600))
    started = time.perf_counter()
    result = simulate(variant, "henge", Path())
    return time.perf_counter() - started, len(result.recorder.decisions)


def fleet(jobs: int, at_s: float) -> View:
    """A fleet that misses its SLOs."""
    intent = Intent(Latency(0.05, utility=10))
    operators = tuple(OperatorFigures(name, 4, 0.9, 100.0, 100.0, 0.9, 0.5) for name in OPERATORS)
    views = tuple(
        JobView(JobFigures(f"job-{n}", operators, latency=LatencyFigures(1.0)), intent, 0.5, False, True)
        for n in range(jobs)
    )
    machines = tuple(MachineFigures(f"m-{n}", 8, 4.0) for n in range(jobs // 4))
    return View(at_s, views, machines, 0.5 * jobs, 10.0 * jobs)


def decision_seconds(jobs: int) -> float:
    """The slowest round of the policy over one search: look, wait until quiet, decide."""
    policy, slowest, decided = policy_named("henge"), 0.0, False
    memory = policy.start()
    for turn in range(12):
        view = fleet(jobs, 10.0 * turn)
        started = time.perf_counter()
        plan, memory = policy.decide(view, memory)
        slowest = max(slowest, time.perf_counter() - started)
        decided = decided or bool(plan.decisions)
    assert decided, "the benchmark must time a real decision"
    return slowest


def main() -> None:
    """Measure and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hours", type=float, default=48.0, help="simulated hours of the large run")
    parser.add_argument("--jobs", type=int, default=40, help="jobs of the large run")
    parser.add_argument("--out", type=Path, help="write the table to this file too")
    options = parser.parse_args()
    lines = [
        "# Simulator and Henge policy: speed and growth",
        "",
        f"{time.strftime('%Y-%m-%d')}, {os.cpu_count()} cores, {platform.machine()}, "
        f"Python {platform.python_version()}, "
        f"`python benchmarks/simulator.py --hours {options.hours:g} --jobs {options.jobs}`.",
        "",
    ]
    wall, decisions = simulated_seconds(options.jobs, options.hours)
    lines += [
        f"{options.jobs} jobs x 6 operators, {options.hours:g} h in steps of 1 s, controller included: "
        f"**{wall:.1f} s** ({decisions} decisions; target below 60 s).",
        "",
        "| jobs x 6 operators | wall seconds for one simulated hour (median of 3) | per job |",
        "|---|---|---|",
    ]
    for jobs in (10, 20, 40, 80, 160):
        hour = statistics.median(simulated_seconds(jobs, 1.0)[0] for _ in range(3))
        lines.append(f"| {jobs} | {hour:.2f} | {1000 * hour / jobs:.1f} ms |")
    lines += ["", "| jobs x 6 operators | slowest round of the Henge policy (median of 3) |", "|---|---|"]
    for jobs in (100, 1_000, 10_000):
        lines.append(f"| {jobs} | {statistics.median(decision_seconds(jobs) for _ in range(3)):.3f} s |")
    lines.append("")
    print("\n".join(lines))
    if options.out is not None:
        options.out.write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
