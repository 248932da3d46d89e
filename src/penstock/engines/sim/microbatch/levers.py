"""The levers of a simulated application, each with its own physics.

A share counts from the next task on; a bound, a piece and a trigger from the next batch. The partitions of state are
taken up in a planned restart: when the open batch is committed the query stops, and is back `replan_s` later. Executors
are machines: one that goes takes its running tasks with it, one that comes is there after `executor_start_s`. For other
memory every query starts again: each when its open batch is committed, and back that much later than from a restart of
its own.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from penstock.core.asked.slot_limits import SlotLimits
from penstock.core.levers import (
    WHOLE,
    BatchBound,
    Dial,
    Disturbs,
    Executors,
    Memory,
    Move,
    Partitions,
    Piece,
    Shows,
    Slots,
    Trigger,
)
from penstock.engines.sim.microbatch.batches import replan, restart_all
from penstock.engines.sim.microbatch.faults import lose_machine
from penstock.engines.sim.microbatch.spec import LEAST_MEMORY_MIB
from penstock.engines.sim.microbatch.state import JobState
from penstock.engines.sim.microbatch.world import ClusterState


def job_dials(job: JobState) -> tuple[Dial, ...]:
    """What can be turned of a job beside its share."""
    spec, name = job.wanted, job.name
    restart: dict[str, Any] = {"disturbs": Disturbs.QUERY, "shows": Shows.AFTER_RESTART}
    bound = Dial("bound", name, spec.max_rows_per_batch, 1, shows=Shows.NEXT_BATCH)
    trigger = Dial("trigger", name, job.spec.trigger_s, 0.0, shows=Shows.NEXT_BATCH)
    cut = Dial("piece", name, spec.max_rows_per_task, 1, shows=Shows.NEXT_BATCH)
    in_stride = (bound, trigger, cut) if spec.cuttable else (bound, trigger)
    if len(spec.stages) == 1:
        return in_stride
    now = job.spec.stages[-1].partitions
    partitions = Dial("partitions", name, now, 1, asked=_asked(spec.stages[-1].partitions, now), **restart)
    return *in_stride, partitions


def application_dials(world: ClusterState) -> tuple[Dial, ...]:
    """What can be turned of the whole application."""
    there = sum(machine.alive for machine in world.machines)
    asked = _asked(world.executors, there)
    most = len(world.machines)
    executors = Dial("executors", WHOLE, there, 1, most, asked=asked, shows=Shows.WHEN_GIVEN)
    awaited = _asked(world.memory_wanted_mib, world.memory_mib)
    restart: dict[str, Any] = {"disturbs": Disturbs.APPLICATION, "shows": Shows.AFTER_RESTART}
    return executors, Dial("memory", WHOLE, world.memory_mib, LEAST_MEMORY_MIB, asked=awaited, **restart)


def refusal(world: ClusterState, move: Move) -> str | None:
    """Why it cannot be turned so; None when it can."""
    if isinstance(move, Executors):
        most = len(world.machines)
        return None if 1 <= move.after <= most else f"there are 1 to {most} executors to be had"
    if isinstance(move, Memory):
        return None if move.after >= LEAST_MEMORY_MIB else f"no executor starts with less than {LEAST_MEMORY_MIB} MiB"
    job = world.by_name.get(move.job)
    if job is None or not job.present:
        return f"there is no job {move.job!r}"
    check = _CHECKS.get(type(move))
    if check is None:
        return f"{job.name} has no {move.kind} to turn: its operators share its slots"
    return check(world, job, move)


def turn(world: ClusterState, move: Move) -> None:
    """Carry a move out that was not refused."""
    if isinstance(move, Executors):
        _hold(world, move.after)
        return
    if isinstance(move, Memory):
        if move.after != world.memory_wanted_mib:
            restart_all(world, move.after)
        return
    job = world.by_name[move.job]
    if isinstance(move, Slots):
        job.threads = move.after
        world.moved = True
    elif isinstance(move, BatchBound):
        before = job.spec.max_rows_per_batch
        job.be_bounded(move.after)
        if move.after is None and before is not None and world.cluster.small_first:
            # Else its next batch would take all that waited beyond the bound.
            job.begin_small(before, world.now, world.slots)
    elif isinstance(move, Piece):
        job.be_cut(move.after)
    elif isinstance(move, Trigger):
        job.begin_every(move.after)
    elif isinstance(move, Partitions):
        first, *shuffled = job.wanted.stages
        stages = (first, *(replace(stage, partitions=move.after) for stage in shuffled))
        replan(world, job, replace(job.wanted, stages=stages))


def _hold(world: ClusterState, executors: int) -> None:
    """So many machines, the first ones; those that come need time to start."""
    before, world.executors = world.executors, executors
    for machine in world.machines[executors:before]:
        lose_machine(world, machine, asked=True)
    for machine in world.machines[before:executors]:
        world.schedule(world.now + world.cluster.executor_start_s, "return", machine)


def _slots(world: ClusterState, job: JobState, move: Slots) -> str | None:
    spec, limit, most = job.spec, world.cluster.max_threads, most_threads(world, job)
    if not spec.min_threads <= move.after <= most:
        return f"{job.name} takes {spec.min_threads} to {most} threads"
    if limit is None or move.after <= job.threads:
        return None
    all_threads = sum(other.threads for other in world.jobs if other.present)
    return f"{limit} threads are all there are" if all_threads - job.threads + move.after > limit else None


def most_threads(world: ClusterState, job: JobState) -> int:
    """What it may have at the most: a weight beside those of all other jobs."""
    return SlotLimits(job.spec.min_threads, job.spec.max_threads).most_weight(world.slots, len(world.jobs))


def _bound(world: ClusterState, job: JobState, move: BatchBound) -> str | None:
    if move.after is None or move.after >= 1:
        return None
    return f"{job.name}: a batch of {move.after} rows does nothing"


def _piece(world: ClusterState, job: JobState, move: Piece) -> str | None:
    if not job.spec.cuttable:
        return f"{job.name} reads what its source gives: its tasks cannot be cut smaller"
    if move.after is None or move.after >= 1:
        return None
    return f"{job.name}: a task of {move.after} rows does nothing"


def _trigger(world: ClusterState, job: JobState, move: Trigger) -> str | None:
    return None if 0 <= move.after < float("inf") else f"{job.name}: a batch every {move.after} s is none"


def _partitions(world: ClusterState, job: JobState, move: Partitions) -> str | None:
    if len(job.spec.stages) == 1:
        return f"{job.name} keeps no state: it has one stage"
    return None if move.after >= 1 else f"{job.name}: {move.after} partitions cannot hold a state"


def _asked(wanted: float, there: float) -> float | None:
    return None if wanted == there else wanted


_CHECKS: Mapping[type[Any], Callable[[ClusterState, JobState, Any], str | None]] = {
    Slots: _slots,
    BatchBound: _bound,
    Piece: _piece,
    Trigger: _trigger,
    Partitions: _partitions,
}
