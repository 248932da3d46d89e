"""What a run of phoebe_on_spark saw, and how it is told: recoveries, resources, exactly once."""

import argparse
import math
import os
import platform
import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from phoebe_answers import exactly_once
from phoebe_predicted import Prediction
from phoebe_watch import Recovery, Watched
from phoebe_world import MOST, WORKLOADS, Workload, World

from penstock.engines.kafka.offsets import TopicEnds
from penstock.planning.phoebe.memory import JobMemory, PhoebeMemory
from penstock.store.open import find_run, open_store

TARGET_S = 180.0


@dataclass(slots=True)
class Failure:
    """One failure of one job: what was said of it before, and what came."""

    job: str
    kind: str
    at_s: float
    predicted: Prediction | None
    drill: bool = False
    recovery: Recovery | None = None

    @property
    def error(self) -> float | None:
        """Of what was predicted before it."""
        if self.predicted is None or self.recovery is None or self.recovery.recovered_s is None:
            return None
        return abs(self.predicted.expected_s / self.recovery.recovered_s - 1.0)

    @property
    def error_own(self) -> float | None:
        """Of what the policy itself foretold of its kind."""
        own_s = None if self.error is None or self.predicted is None else self.predicted.own_s
        if own_s is None or self.recovery is None or not self.recovery.recovered_s:
            return None
        return abs(own_s / self.recovery.recovered_s - 1.0)

    @property
    def error_knowing(self) -> float | None:
        """Of the same with the downtime that it had."""
        if self.error is None or self.predicted is None or self.recovery is None or self.recovery.downtime_s is None:
            return None
        return abs(self.predicted.recovery_s(self.recovery.downtime_s) / (self.recovery.recovered_s or 0.0) - 1.0)


@dataclass(slots=True)
class Run:
    """All that was seen."""

    options: argparse.Namespace
    watched: dict[str, Watched]
    ends: TopicEnds
    failures: list[Failure] = field(default_factory=list)
    decided_before: dict[str, int] = field(default_factory=dict)
    started_s: float = 0.0
    ended_s: float = 0.0
    stolen: float = 0.0  # share of the cores' time that the machine did not get from its host meanwhile


def report(made: World, run: Run) -> tuple[str, dict[str, Any]]:
    """The tables, and the same as a document."""
    for failure in run.failures:
        failure.recovery = run.watched[failure.job].recovery(failure.at_s)
    told = {work.name: jobs(made, run, work) for work in WORKLOADS}
    lines = [
        f"{time.strftime('%Y-%m-%d %H:%M')}, {os.cpu_count()} cores (load average {os.getloadavg()[2]:.0f} over the "
        f"last 15 minutes; the host kept {100 * run.stolen:.0f} % of the cores' time for others), Linux "
        f"{platform.release()}, Spark 4.3 standalone, two workers. `python benchmarks/phoebe_on_spark.py "
        f"--minutes {run.options.minutes:g} --speed {run.options.speed:g} --failures {run.options.failures} "
        f"--kinds {run.options.kinds}{' --no-drill' if run.options.no_drill else ''}`",
        "",
        *recoveries(run),
        "",
        *resources(told),
    ]
    failures = [{**asdict(failure), "at_s": failure.at_s - run.started_s} for failure in run.failures]
    return "\n".join(lines), {"failures": failures, "jobs": told}


def recoveries(run: Run) -> list[str]:
    """Predicted and measured, failure by failure, and the mean errors of those after the drill."""
    judged = [failure for failure in run.failures if not failure.drill]
    late = [f for f in judged if f.recovery and (f.recovery.recovered_s or 1e9) > TARGET_S]
    errors = [failure.error for failure in judged if failure.error is not None]
    own = [failure.error_own for failure in judged if failure.error_own is not None]
    knowing = [failure.error_knowing for failure in judged if failure.error_knowing is not None]
    return [
        "| at | job | killed | executors | rate/s | downtime | recovery, measured | predicted before | "
        "with the downtime it had | foretold by the policy | planned at the worst |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
        *(recovery_row(run, failure) for failure in run.failures),
        "",
        f"- failures after the drill: {len(judged)}; recovered within {TARGET_S:.0f} s: {len(judged) - len(late)}",
        f"- mean error of what was predicted before the failure from recoveries: {mean_text(errors)} (target: 10 %)",
        f"- mean error of what the policy itself foretold of the kind: {mean_text(own)} (target: 10 %)",
        f"- mean error of the first with the downtime that the failure turned out to have: {mean_text(knowing)}",
    ]


def recovery_row(run: Run, failure: Failure) -> str:
    """One failure."""
    said, came = failure.predicted, failure.recovery
    assert came is not None
    row = ["drill" if failure.drill else f"{failure.at_s - run.started_s:.0f} s", failure.job, failure.kind]
    row += ["-", "-"] if said is None else [str(said.scaleout), f"{said.rate_rps:.0f}"]
    row += [seconds(came.downtime_s), seconds(came.recovered_s)]
    with_it = None if said is None or came.downtime_s is None else said.recovery_s(came.downtime_s)
    told = None if said is None else (said.expected_s, with_it, said.own_s, said.worst_s)
    row += ["-"] * 4 if told is None else map(seconds, told)
    return f"| {' | '.join(row)} |"


def resources(told: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Reconfigurations, executor-seconds, and whether every row was counted once."""
    lines = [
        "| job | reconfigurations | executor-seconds | static 4 | saved | windows | wrong | rows |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, found in told.items():
        lines.append(
            f"| {name} | {found['reconfigurations']} | {found['executor_s']:.0f} | {found['static_s']:.0f} | "
            f"{100 * (1 - found['executor_s'] / found['static_s']):.1f} % | {found['windows']} | {found['wrong']} | "
            f"{found['rows']} |"
        )
    for name, found in told.items():
        learnt = found["learnt"]
        downtimes = ", ".join(seconds(value) for value in learnt["downtimes_s"]) or "none"
        lines.append(
            f"- {name}: learnt while it served: capacity {len(learnt['capacities'])} times, latency "
            f"{learnt['latencies']} times, downtimes {downtimes}"
        )
    return lines


def jobs(made: World, run: Run, work: Workload) -> dict[str, Any]:
    """What is told of one job."""
    lasted_s = run.ended_s - run.started_s
    decisions = decisions_of(made, work.name)[run.decided_before[work.name] :]
    store = open_store(made.store(work.name))
    store.begin(find_run(store, "last"))
    memory = store.last_memory("phoebe", PhoebeMemory)
    learnt = JobMemory() if memory is None else memory.jobs.get(work.name, JobMemory())
    windows, wrong, rows = exactly_once(made.bootstrap, work.name)
    return {
        "reconfigurations": len(decisions),
        "decisions": [[one.decision.at_s, one.decision.why] for one in decisions],
        "learnt": {
            "capacities": [[seen.scaleout, seen.rate_rps] for seen in learnt.evidence if seen.saturated],
            "latencies": sum(not seen.saturated for seen in learnt.evidence),
            "downtimes_s": [failure.stop_s for failure in learnt.seen],
            "disturbances_s": list(learnt.disturbances_s),
        },
        "executor_s": run.watched[work.name].executor_s(run.started_s, run.ended_s),
        "static_s": MOST * lasted_s,
        "windows": windows,
        "wrong": wrong,
        "rows": rows,
    }


def decisions_of(made: World, name: str) -> Sequence[Any]:
    """All that were recorded of a job so far."""
    store = open_store(made.store(name), create=False)
    try:
        return store.read_run(find_run(store, "last").id).decisions
    finally:
        store.close()


def seconds(value: float | None) -> str:
    """Whole seconds, or a dash for what was not seen."""
    return "-" if value is None else f"{value:.0f} s" if math.isfinite(value) else "never"


def mean_text(errors: Sequence[float]) -> str:
    """Mean and median as percentages; where recovery was said to take for ever, only the median counts it."""
    if not errors:
        return "-"
    finite = [error for error in errors if math.isfinite(error)]
    never = f", {len(errors) - len(finite)} said never" if len(finite) < len(errors) else ""
    mean = f"{100 * statistics.mean(finite):.0f} %" if finite else "-"
    return f"{mean} over {len(finite)}{never}; median {100 * statistics.median(errors):.0f} %"
