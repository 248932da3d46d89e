"""What is known of all jobs, a column each: their costs as they were learnt, and their levers as they stand."""

from collections.abc import Sequence
from math import inf
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from penstock.core.arrays import Floats
from penstock.core.levers import ALL_OPERATORS, Dial, Disturbs
from penstock.core.seen.figures import JobFigures
from penstock.core.seen.view import JobView
from penstock.planning.arbiter.costs import JobCosts
from penstock.planning.arbiter.fitting import Squares

UNBOUNDED = inf  # a bound that there is none of, and slots and parts of which there may be any number
_LIGHT_STATE_BYTES = 256 * 2**20  # cut anew within seconds; more is for people to decide
_BUSY_CPU = 0.05  # of the cores: jobs that use less say nothing of how much slower work is


class LeverColumns(NamedTuple):
    """How their levers stand, a place for each job."""

    least: Floats
    most: Floats
    most_slots: Floats
    weight: Floats
    trigger_s: Floats
    bound: Floats
    can_bound: Floats
    can_retrigger: Floats
    in_stride: Floats
    parts: Floats
    most_parts: Floats
    piece: Floats
    can_cut: Floats


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
    fell: Floats
    could_fall: Floats
    took_s: Floats
    aside_s: Floats
    staged: Floats
    older_s: Floats
    own_bound: Floats
    own_trigger_s: Floats
    levers: LeverColumns

    @property
    def parted(self) -> Floats:
        """The stages that work on state; the first one reads a source, however many tasks it has."""
        alike = np.floor(self.tasks / np.maximum(self.levers.parts, 1.0))
        parted: Floats = np.where(self.levers.parts > 0, np.clip(alike, 0.0, np.maximum(self.stages - 1.0, 0.0)), 0.0)
        return parted

    @property
    def aside_load(self) -> Floats:
        """The share of the time that its batches are off the slots, as it is now."""
        load: Floats = np.minimum(1.0, self.aside_s / np.maximum(np.maximum(self.took_s, self.levers.trigger_s), 0.1))
        return load

    def core_share(self, slow: float) -> Floats:
        """The part of a task's time that it works, on a core or in want of one, where work takes so many times longer.

        For the rest of it the task waits for others.
        """
        share: Floats = np.minimum(1.0, self.cpu_share * slow)
        return share


_OF_COSTS = attrgetter(
    *("tasks", "stages", "cpu_share", "busy", "busy_staged", "took_s", "aside_s", "staged"),
    *("older_s", "left_rows", "arrival_rps", "own_bound", "own_trigger_s"),
)


def columns_of(jobs: Sequence[JobView], costs: Sequence[JobCosts], most: int) -> JobColumns:
    """`most` is the highest weight of who has no limit of its own."""
    task_s, row_s = Squares(*np.array([one.fit for one in costs]).T).costs()
    task_cpu_s, row_cpu_s = Squares(*np.array([one.cores_fit for one in costs]).T).costs()
    cold, _, fell, could_fall = np.array([one.warmth for one in costs]).T
    learnt = np.array([_OF_COSTS(one) for one in costs], dtype=float).T
    tasks, stages, cpu_share, busy, busy_staged, took_s, aside_s, staged, older_s, *told = learnt
    left_rows, rate_rps, own_bound, own_trigger_s = told
    rate_rps = np.nan_to_num(rate_rps)
    levers = LeverColumns(*np.array([_levers(job.figures, most) for job in jobs], dtype=float).T)
    return JobColumns(
        arrivals=np.maximum(1e-3, rate_rps),
        backlog=left_rows + rate_rps * took_s,
        tasks=np.maximum(1.0, tasks),
        stages=np.maximum(1.0, stages),
        task_s=task_s,
        row_s=row_s,
        task_cpu_s=task_cpu_s,
        row_cpu_s=row_cpu_s,
        cpu_share=cpu_share,
        busy=busy,
        busy_staged=busy_staged,
        cold=cold,
        fell=fell,
        could_fall=could_fall,
        took_s=took_s,
        aside_s=aside_s,
        staged=staged,
        older_s=older_s,
        own_bound=np.where(own_bound > 0.0, own_bound, UNBOUNDED),
        own_trigger_s=np.where(np.isnan(own_trigger_s), levers.trigger_s, own_trigger_s),
        levers=levers,
    )


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


def most_weight(job: JobFigures, most: int) -> int:
    """The highest weight that it may have, where that of who has no limit of its own is so high."""
    unit = job.operator(ALL_OPERATORS)
    own = job.max_threads if unit.max_threads is None else unit.max_threads
    return most if own is None else min(own, most)


def _levers(job: JobFigures, most: int) -> tuple[float, ...]:
    """Its levers as they stand, as `LeverColumns` has them."""
    unit = job.operator(ALL_OPERATORS)
    dials = {dial.kind: dial for dial in job.levers}
    bound, trigger, parts = dials.get("bound"), dials.get("trigger"), dials.get("partitions")
    most = most_weight(job, most)
    can_retrigger = _turned(trigger)
    return (
        unit.min_threads,
        max(most, unit.min_threads),
        UNBOUNDED if job.max_threads is None else job.max_threads,
        unit.threads,
        _now(trigger) or 0.0,
        _now(bound) or UNBOUNDED,
        _turned(bound) and bound is not None and bound.disturbs is Disturbs.NOTHING,
        can_retrigger,
        can_retrigger and trigger is not None and trigger.disturbs is Disturbs.NOTHING,
        (_now(parts) or 0.0) if _turned(parts) and (job.state_bytes or 0) <= _LIGHT_STATE_BYTES else 0.0,
        UNBOUNDED if parts is None or parts.most is None else parts.most,
        _now(dials.get("piece")) or UNBOUNDED,
        _turned(dials.get("piece")),
    )


def _now(dial: Dial | None) -> float | None:
    """How a lever stands, or will."""
    if dial is None:
        return None
    return dial.now if dial.asked is None else dial.asked


def _turned(dial: Dial | None) -> bool:
    """Whether a policy may turn it."""
    return dial is not None and not dial.by_people and dial.least != dial.most
