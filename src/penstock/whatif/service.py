"""Service: what the batches of a query cost, learnt from many cycles of its past.

Where the engine told of every batch that ended, the cost is fitted to them (see batch_costs.py). Where it did not, one
cycle alone cannot tell what a row costs from what a batch costs however few its rows, nor a trigger from a query that
is always busy: rows of a batch are taken for those processed a second times the seconds from commit to commit.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from penstock.core.arrays import Floats
from penstock.core.seen.figures import JobFigures
from penstock.core.seen.view import View
from penstock.whatif.batch_costs import BatchCosts, batch_costs

LEAST_SEEN = 3  # cycles with figures: fewer say nothing
VARIED = 0.15  # spread of rows from batch to batch, by their mean, from which a row's cost shows
FEW_ROWS = 100.0  # rows of a task: with fewer, and no spread to learn from, its time is taken as its own
QUIET = 25  # percentile of what batches took beyond their tasks: the rest is waiting for slots, which is simulated
IDLE = 0.1  # share of the time from commit to commit: with more of it idle, a trigger sets the pace
NOT_BEHIND = 0.98
LEAST_OVERHEAD_S = 0.02


@dataclass(frozen=True, slots=True)
class StageService:
    """One stage of every batch: slot time for each row that the batch took, and for each task whatever its rows."""

    tasks: int
    row_s: float
    task_s: float


@dataclass(frozen=True, slots=True)
class Service:
    """One query's batches. `overhead_s` is what a batch takes outside its tasks; `trigger_s` 0 where the next batch
    starts when the last is done; `most_rows` what a batch takes at most, where it was seen to be held back."""

    stages: tuple[StageService, ...]
    overhead_s: float
    trigger_s: float
    most_rows: int | None
    overhead_spread: float = 0.0  # standard deviation of its logarithm
    core_share: float = 0.0  # of the time in tasks, what they spend on a core
    launch_s: float = 0.0  # of a stage that waits for nothing, what it takes beyond its tasks


def learnt(views: Sequence[View], slots: int) -> dict[str, Service]:
    """The service of each job whose batches can be told apart, from what was seen of it."""
    seen: dict[str, list[JobFigures]] = {}
    for view in views:
        for job in view.jobs:
            if _tells(job.figures):
                seen.setdefault(job.name, []).append(job.figures)
    found = {name: _service(figures, slots) for name, figures in seen.items() if len(figures) >= LEAST_SEEN}
    for name, figures in seen.items():
        costs = batch_costs(batch for job in figures for batch in job.batches)
        if costs is not None and name in found:
            found[name] = _as_told(found[name], figures[-1], costs)
    return found


def _as_told(service: Service, job: JobFigures, costs: BatchCosts) -> Service:
    """With the costs of the batches, shared out between the stages as they were busy."""
    busy_s = [stage.busy_s or 0.0 for stage in job.stages]
    whole_s = sum(busy_s)
    parts = [one_s / whole_s if whole_s > 0 else 1.0 / len(busy_s) for one_s in busy_s]
    stages = tuple(
        StageService(max(1, stage.tasks), costs.row_s * part, costs.batch_s * part / max(1, stage.tasks))
        for stage, part in zip(job.stages, parts, strict=True)
    )
    return Service(
        stages=stages,
        overhead_s=max(LEAST_OVERHEAD_S, costs.aside_s),
        trigger_s=service.trigger_s,
        most_rows=costs.most_rows,
        overhead_spread=costs.aside_spread,
        core_share=costs.core_share,
        launch_s=costs.launch_s,
    )


def _tells(job: JobFigures) -> bool:
    return bool(job.processed_rps and job.checkpoint_s and job.stages and job.batch_s)


def _service(seen: Sequence[JobFigures], slots: int) -> Service:
    plan = max(seen, key=lambda job: len(job.stages))
    seen = [job for job in seen if len(job.stages) == len(plan.stages)]  # a plan that changed is another service
    every_s = np.array([job.checkpoint_s or 0.0 for job in seen])
    rows = every_s * np.array([job.processed_rps or 0.0 for job in seen])
    batch_s = np.array([job.batch_s or 0.0 for job in seen])
    # A window's sums belong to as many batches as its rows fill.
    batches = np.maximum(1.0, np.array([max(stage.rows_in or 0 for stage in job.stages) for job in seen]) / rows)
    busy = {place: np.array([job.stages[place].busy_s or 0.0 for job in seen]) / batches for place in _places(plan)}
    stages = tuple(_stage(plan, place, rows, busy[place]) for place in _places(plan))
    in_tasks_s = sum(
        (busy[place] / min(plan.stages[place].tasks, slots) for place in _places(plan)), np.zeros(len(seen))
    )
    paced = float(np.median(every_s - batch_s)) > IDLE * float(np.median(every_s))
    return Service(
        stages=stages,
        overhead_s=max(LEAST_OVERHEAD_S, float(np.percentile(batch_s - in_tasks_s, QUIET))),
        trigger_s=float(np.median(every_s)) if paced else 0.0,
        most_rows=_most_rows(seen, rows),
    )


def _places(job: JobFigures) -> range:
    return range(len(job.stages))


def _stage(plan: JobFigures, place: int, rows: Floats, busy_s: Floats) -> StageService:
    """A line through what the stage took by the rows of its batch; neither part of it is below zero."""
    tasks = max(1, plan.stages[place].tasks)
    mean_rows, mean_s = float(rows.mean()), float(busy_s.mean())
    if float(rows.std()) >= VARIED * mean_rows:
        slope = float(((rows - mean_rows) * (busy_s - mean_s)).sum() / ((rows - mean_rows) ** 2).sum())
        row_s = min(max(0.0, slope), mean_s / mean_rows)
    else:
        through = max(stage.rows_in or 0 for stage in plan.stages)
        per_task = mean_rows * (plan.stages[place].rows_in or 0) / max(1, through) / tasks
        row_s = 0.0 if per_task < FEW_ROWS else mean_s / mean_rows
    return StageService(tasks, row_s, max(0.0, mean_s - row_s * mean_rows) / tasks)


def _most_rows(seen: Sequence[JobFigures], rows: Floats) -> int | None:
    held_back = [n for job, n in zip(seen, rows, strict=True) if _behind(job)]
    return max(1, round(max(held_back))) if held_back else None


def _behind(job: JobFigures) -> bool:
    return (job.processed_rps or 0.0) < NOT_BEHIND * (job.arrival_rps or 0.0)
