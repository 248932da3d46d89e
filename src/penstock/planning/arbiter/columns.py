"""What is known of all jobs, a column each: their costs as they were learnt, and their levers as they stand."""

from collections.abc import Iterable, Mapping
from math import inf
from typing import NamedTuple

import numpy as np

from penstock.core.arrays import Floats
from penstock.core.levers import ALL_OPERATORS, Dial, Disturbs
from penstock.core.view import JobView
from penstock.planning.arbiter.costs import JobCosts

UNBOUNDED = inf  # a bound that there is none of, and parts of which there may be any number
_LIGHT_STATE_BYTES = 256 * 2**20  # cut anew within seconds; more is for people to decide
_BUSY_CPU = 0.05  # of the cores: jobs that use less say nothing of how much slower work is


class JobColumns(NamedTuple):
    """A place for each job. Of bounds and of the most parts, UNBOUNDED: none."""

    arrivals: Floats
    backlog: Floats
    tasks: Floats
    stages: Floats
    task_s: Floats
    row_s: Floats
    task_cpu_s: Floats
    row_cpu_s: Floats
    cpu_share: Floats
    busy: Floats
    busy_staged: Floats
    cold: Floats
    took_s: Floats
    aside_s: Floats
    staged: Floats
    own_bound: Floats
    least: Floats
    most: Floats
    weight: Floats
    trigger_s: Floats
    own_trigger_s: Floats
    bound: Floats
    can_bound: Floats
    can_retrigger: Floats
    in_stride: Floats
    parts: Floats
    most_parts: Floats

    @property
    def parted(self) -> Floats:
        """The stages that work on state; the first one reads a source, however many tasks it has."""
        alike = np.floor(self.tasks / np.maximum(self.parts, 1.0))
        parted: Floats = np.where(self.parts > 0, np.clip(alike, 0.0, np.maximum(self.stages - 1.0, 0.0)), 0.0)
        return parted

    @property
    def aside_load(self) -> Floats:
        """The share of the time that its batches are off the slots, as it is now."""
        load: Floats = np.minimum(1.0, self.aside_s / np.maximum(np.maximum(self.took_s, self.trigger_s), 0.1))
        return load

    def core_share(self, slow: float) -> Floats:
        """The part of a task's time that it works, on a core or in want of one, where work takes so many times longer.

        For the rest of it the task waits for others.
        """
        share: Floats = np.minimum(1.0, self.cpu_share * slow)
        return share


def columns_of(jobs: Iterable[tuple[JobView, JobCosts]], slots: int) -> JobColumns:
    """Where there are so many slots."""
    rows = [_row(job, costs, slots) for job, costs in jobs]
    table = np.array([[row[name] for name in JobColumns._fields] for row in rows], dtype=float)
    return JobColumns(*table.T)


def contention(of: JobColumns, slots: float, cores: float) -> tuple[float, float]:
    """How many times longer work takes now than on a core of its own, and the cores that tasks have together.

    Tasks that wait for a core stay in their slots. The job whose tasks had a core for most of their time says how
    much slower all are at the most: what the others' tasks lack beyond that, they wait for otherwise. The tasks that
    wanted cores beside its own, over how much slower they were, are the cores that there were for them.
    """
    # Cores that each uses for what arrives.
    used = of.row_cpu_s * of.arrivals + of.task_cpu_s * of.tasks / np.maximum(of.took_s, 0.1)
    share = np.where(used > _BUSY_CPU * cores, of.cpu_share, 0.0)
    if slots <= cores or not share.any():
        return 1.0, cores
    telling = int(share.argmax())
    slow = min(max(1.0, 1.0 / float(share[telling])), slots / (0.5 * cores))
    wanting = of.busy * of.core_share(slow)
    met = min(slots, float(wanting.sum() - wanting[telling] + of.busy_staged[telling]))
    left = met / slow if met > cores else slots / slow
    return slow, min(cores, max(0.5 * cores, left))


def _row(job: JobView, costs: JobCosts, slots: int) -> Mapping[str, float]:
    """What is known of one job, by column."""
    figures = job.figures
    (unit,) = (operator for operator in figures.operators if operator.name == ALL_OPERATORS)
    dials = {dial.kind: dial for dial in figures.levers}
    bound, trigger, parts = (dials.get(kind) for kind in ("bound", "trigger", "partitions"))
    rate_rps = costs.arrival_rps or 0.0
    most = min(limit for limit in (figures.max_threads, unit.max_threads, slots) if limit is not None)
    task_s, row_s = costs.fit.costs()
    task_cpu_s, row_cpu_s = costs.cores_fit.costs()
    return {
        "arrivals": max(1e-3, rate_rps),
        "backlog": costs.left_rows + rate_rps * costs.took_s,
        "tasks": max(1.0, costs.tasks),
        "stages": max(1.0, costs.stages),
        "task_s": task_s,
        "row_s": row_s,
        "task_cpu_s": task_cpu_s,
        "row_cpu_s": row_cpu_s,
        "cpu_share": costs.cpu_share,
        "busy": costs.busy,
        "busy_staged": costs.busy_staged,
        "cold": costs.warmth.cold,
        "took_s": costs.took_s,
        "aside_s": costs.aside_s,
        "staged": costs.staged,
        "own_bound": costs.own_bound or UNBOUNDED,
        "least": unit.min_threads,
        "most": max(most, unit.min_threads),
        "weight": unit.threads,
        "trigger_s": _now(trigger) or 0.0,
        "own_trigger_s": (_now(trigger) or 0.0) if costs.own_trigger_s is None else costs.own_trigger_s,
        "bound": _now(bound) or UNBOUNDED,
        "can_bound": _turned(bound) and bound is not None and bound.disturbs is Disturbs.NOTHING,
        "can_retrigger": _turned(trigger),
        "in_stride": _turned(trigger) and trigger is not None and trigger.disturbs is Disturbs.NOTHING,
        "parts": (_now(parts) or 0.0) if _turned(parts) and (figures.state_bytes or 0) <= _LIGHT_STATE_BYTES else 0.0,
        "most_parts": UNBOUNDED if parts is None or parts.most is None else parts.most,
    }


def _now(dial: Dial | None) -> float | None:
    """How a lever stands, or will."""
    if dial is None:
        return None
    return dial.now if dial.asked is None else dial.asked


def _turned(dial: Dial | None) -> bool:
    """Whether a policy may turn it."""
    return dial is not None and not dial.by_people and dial.least != dial.most
