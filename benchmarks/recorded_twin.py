"""Recorded runs as twins: what each job's batches cost on Spark, fitted to them, in place of what a case supposes.

Only costs are fitted, never what came of them: latency, juice and utility are the simulator's own, to be held against
those that were recorded.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from penstock.engines.sim.microbatch import MicroBatchFault, MicroBatchJob, Slowness
from penstock.simulation.twins.twin import Twin

_VARIED = 0.15  # spread of rows from batch to batch, by their mean, from which what a task costs beside them shows
_STEP_S = 5.0  # for which the machine's slowness is taken as one
_SELDOM = 10  # percent
_MORE_THAN_A_BATCH_WITHOUT_ROWS = 1.0

Recording = Mapping[str, Any]  # as benchmarks/recording.py writes it


@dataclass(frozen=True, slots=True)
class Costs:
    """Of one job's batches: slot time and core time of a row, slot time of a task beside, time on the driver."""

    row_s: float
    task_s: float
    row_cpu_s: float
    driver_s: float
    driver_noise: float


def twin_of(recording: Recording, like: Twin) -> Twin:
    """The case of `like` with the costs of the recorded run, over the same time."""
    ended_s = recording["rounds"][-1]["at_s"]
    costs = {job.name: costs_of(recording["batches"][job.name]) for job in like.jobs}
    jobs = tuple(_job(job, costs[job.name], _whole(recording["batches"][job.name])[0], ended_s) for job in like.jobs)
    noise = float(np.mean([cost.driver_noise for cost in costs.values()]))
    slowness = tuple(_slowness(recording, costs, from_s) for from_s in np.arange(0.0, ended_s, _STEP_S))
    launch_s = min(_launch_s(batches) for batches in recording["batches"].values())
    cluster = replace(like.cluster, driver_noise=noise, slowness=slowness, launch_s=launch_s)
    starting = tuple(MicroBatchFault("job", at_s=0.0, target=job.name) for job in jobs)
    return replace(like, name=f"{like.name} as recorded", cluster=cluster, jobs=jobs, faults=starting, seconds=ended_s)


def costs_of(batches: Sequence[Mapping[str, Any]]) -> Costs:
    """The costs that fit a job's batches best: none of them below zero."""
    seen = _whole(batches)
    rows, tasks, busy_s, cpu_s, took_s, staged_s = (
        np.array([batch[word] for batch in seen], dtype=float)
        for word in ("rows", "tasks", "busy_s", "cpu_s", "took_s", "staged_s")
    )
    row_s, task_s = _line(rows, busy_s)
    aside_s = np.maximum(took_s - staged_s, 1e-3)
    return Costs(
        row_s=row_s,
        task_s=task_s / float(tasks.mean()),
        row_cpu_s=min(row_s, float(cpu_s.sum() / rows.sum())),
        driver_s=float(aside_s.mean()),
        driver_noise=float(np.log(aside_s).std()),
    )


def _slowness(recording: Recording, costs: Mapping[str, Costs], from_s: float) -> Slowness:
    """How much longer than all in all what was under way in those seconds took: others used the machine too."""
    tasks, driver = [], []
    for name, cost in costs.items():
        for batch in _whole(recording["batches"][name]):
            if batch["ended_s"] > from_s and batch["ended_s"] - batch["took_s"] < from_s + _STEP_S:
                expected_s = cost.row_s * batch["rows"] + cost.task_s * batch["tasks"]
                tasks.append((batch["busy_s"], expected_s))
                driver.append((max(1e-3, batch["took_s"] - batch["staged_s"]), cost.driver_s))
    return Slowness(float(from_s), _ratio(tasks), _ratio(driver))


def _launch_s(batches: Sequence[Mapping[str, Any]]) -> float:
    """What a stage that waited for nothing took beyond its tasks: seldom less than this."""
    beyond_s = [batch["staged_s"] - batch["busy_s"] / batch["tasks"] for batch in _whole(batches)]
    return max(0.0, float(np.percentile(beyond_s, _SELDOM)))


def _ratio(pairs: Sequence[tuple[float, float]]) -> float:
    return sum(seen for seen, _ in pairs) / sum(expected for _, expected in pairs) if pairs else 1.0


def _whole(batches: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Batches of which everything is known, without those that had nothing to do."""
    return [batch for batch in batches if batch["rows"] > _MORE_THAN_A_BATCH_WITHOUT_ROWS and batch["busy_s"]]


def _line(rows: "np.ndarray[Any, np.dtype[np.float64]]", seconds: "np.ndarray[Any, np.dtype[np.float64]]") -> Any:
    """Seconds for a row, and for a batch beside its rows; all for its rows where all batches have as many."""
    mean_rows, mean_s = float(rows.mean()), float(seconds.mean())
    if float(rows.std()) < _VARIED * mean_rows:
        return mean_s / mean_rows, 0.0
    slope = float(((rows - mean_rows) * (seconds - mean_s)).sum() / ((rows - mean_rows) ** 2).sum())
    row_s = min(max(0.0, slope), mean_s / mean_rows)
    return row_s, mean_s - row_s * mean_rows


def _job(job: MicroBatchJob, costs: Costs, first: Mapping[str, Any], ended_s: float) -> MicroBatchJob:
    """It is down until its first batch starts; rows arrive from as long before as those that waited then took."""
    (stage,) = job.stages
    begins_s = max(0.0, first["ended_s"] - first["took_s"])
    waited = first["rows"] + (first["left_rows"] or 0.0)
    arrivals = np.resize(job.arrivals, int(ended_s) + 2)
    from_s = max(0, int(begins_s - waited / float(arrivals[0])))
    arrivals = np.concatenate((np.zeros(from_s), arrivals))
    return replace(
        job,
        stages=(replace(stage, **_spent(costs)),),
        arrivals=arrivals,
        restart_s=begins_s,
        batch_overhead_s=0.7 * costs.driver_s,
        commit_s=0.3 * costs.driver_s,
    )


def _spent(costs: Costs) -> dict[str, Any]:
    """Of a stage's task: core time is for the rows, the rest of its time waits."""
    return {
        "cpu_s_per_row": costs.row_cpu_s,
        "wait_s_per_row": costs.row_s - costs.row_cpu_s,
        "task_overhead_s": costs.task_s,
    }
