"""The life of a job and its batches.

start -> wait for trigger -> planning -> stage 1 .. n -> commit -> wait for trigger ...
              ^                    (a failure at any point: down, then the open batch again)  |
              +-------------------------------------------------------------------------------+
"""

import math
from collections.abc import Callable, Mapping

from penstock.engines.first_batches import FIRST_ROWS
from penstock.engines.sim.microbatch.batch import OpenBatch
from penstock.engines.sim.microbatch.ledger import BatchEnd, Totals
from penstock.engines.sim.microbatch.spec import MicroBatchJob
from penstock.engines.sim.microbatch.state import JobState
from penstock.engines.sim.microbatch.tasks import TASK, drive_batch, end_work, kill_work, offer_slots
from penstock.engines.sim.microbatch.world import ClusterState

Visit = tuple[JobState, int]  # a job and the life that the news belongs to

_POLL_S = 0.01  # how often a query without a trigger interval looks for rows


def start_job(world: ClusterState, job: JobState) -> None:
    """The job appears, and its first trigger is due."""
    job.present = True
    job.accrue(world.now)
    _begin_small(world, job)
    world.moved = True
    world.schedule(world.now, "trigger", (job, job.life))


def end_job(world: ClusterState, job: JobState) -> None:
    """The job is taken away; rows that it did not process stay where they are."""
    job.life += 1
    _stop_batch(world, job)
    job.present = False
    world.share_anew()
    world.take_up_memory()
    offer_slots(world)


def fail_job(world: ClusterState, job: JobState) -> None:
    """The job dies and comes back after its downtime, with its open batch to be done again."""
    if not job.present:
        return
    job.life += 1
    _stop_batch(world, job)
    _go_down(world, job, job.spec.restart_s, "failed")
    offer_slots(world)


def _begin_small(world: ClusterState, job: JobState) -> None:
    if world.cluster.small_first and job.wanted.max_rows_per_batch is None:
        job.begin_small(FIRST_ROWS * world.slots, world.now, world.slots)


def replan(world: ClusterState, job: JobState, spec: MicroBatchJob) -> None:
    """The job becomes another when its open batch is committed; at once when none is open."""
    job.planned = spec
    if job.batch is None and world.now >= job.down_until_s:
        _take_up(world, job)


def restart_all(world: ClusterState, memory_mib: int) -> None:
    """Every query starts again between two batches of its own, on executors of that memory."""
    world.memory_wanted_mib = memory_mib
    present = [job for job in world.jobs if job.present]
    for job in present:
        job.planned = job.wanted  # all of them, before the first one is down: they go together
    for job in present:
        replan(world, job, job.wanted)
    world.take_up_memory()


def restart_job(world: ClusterState, visit: Visit) -> None:
    """Back after a failure: the open batch runs again with the same rows, so each row counts once."""
    job, life = visit
    if life != job.life:
        return
    job.accrue(world.now)
    job.up_since_s = world.now
    _begin_small(world, job)
    if job.batch is None:
        _become_wanted(world, job)
        world.schedule(world.now, "trigger", visit)
    else:
        job.batch.restart(world.now)
        drive_batch(world, job, job.spec.batch_overhead_s, "planned")


def trigger(world: ClusterState, visit: Visit) -> None:
    """Take what has arrived, at most a full batch of it; without rows, wait for the next trigger."""
    job, life = visit
    if life != job.life:
        return
    waiting = job.arrivals.by(_offered_until(job, world.now)) - job.processed
    rows = min(waiting, job.bound or waiting)
    if rows == 0:
        _await_rows(world, job)
        return
    first = job.processed
    job.accrue(world.now)
    job.batch = OpenBatch(rows, job.arrivals.time_of(first), job.arrivals.time_of(first + rows - 1), world.now)
    drive_batch(world, job, job.spec.batch_overhead_s, "planned")


def work_done(world: ClusterState, end: tuple[int, int]) -> None:
    """A task, a batch's planning or its commit is done."""
    work = end_work(world, *end)
    if work is not None:
        _AFTER[work.then](world, work.job, work.batch)


def sample_job(world: ClusterState, job: JobState) -> None:
    """Note the running totals, once a second."""
    job.ledger.sample(totals(world, job), _kept_s(world))


def totals(world: ClusterState, job: JobState) -> Totals:
    """The running totals as of now."""
    job.accrue(world.now)
    return Totals(
        at_s=world.now,
        arrived=job.arrivals.by(world.now),
        processed=job.processed,
        busy_s=job.busy_s,
        cpu_s=job.cpu_s,
        share_s=job.share_s,
        batch_s=job.batch_s,
    )


def _next_stage(world: ClusterState, job: JobState, batch: OpenBatch) -> None:
    if batch.open_next_stage(job.spec, world.now):
        world.line.awaits(job, batch.left)
        offer_slots(world)
    else:
        drive_batch(world, job, job.spec.commit_s, "committed")


def _planned(world: ClusterState, job: JobState, batch: OpenBatch) -> None:
    """Its first stage may run: a Spark job has its place in the queue once it is planned."""
    batch.stages_from_s = world.now
    job.batch_order = next(world.works)
    _next_stage(world, job, batch)


def _task_done(world: ClusterState, job: JobState, batch: OpenBatch) -> None:
    """A slot is free; after the last task of a stage the next stage may run."""
    offer_slots(world)  # before the next stage is known: Spark offers a slot as soon as it is free
    if batch.left == 0:
        batch.close_stage(job.spec, world.now, job.share_slots)
        _next_stage(world, job, batch)


def _committed(world: ClusterState, job: JobState, batch: OpenBatch) -> None:
    """Its rows are processed, all at this instant."""
    job.accrue(world.now)
    job.report = batch.report(world.now)
    job.processed += batch.rows
    left = job.arrivals.by(_offered_until(job, batch.started_s)) - job.processed
    job.tell(left)
    job.batch = None
    job.loosen(left, world.now)
    entry = BatchEnd(
        at_s=world.now,
        rows=batch.rows,
        oldest_s=batch.oldest_s,
        newest_s=batch.newest_s,
        duration_s=world.now - batch.started_s,
        arrived=job.arrivals.by(world.now),
        processed=job.processed,
    )
    job.ledger.commit(entry, _kept_s(world))
    if job.planned is not None:
        _take_up(world, job)
        return
    world.schedule(_due_after(job, batch.started_s, world.now), "trigger", (job, job.life))


_AFTER: Mapping[str, Callable[[ClusterState, JobState, OpenBatch], None]] = {
    "planned": _planned,
    TASK: _task_done,
    "committed": _committed,
}


def _take_up(world: ClusterState, job: JobState) -> None:
    """Between two batches the query stops and starts again as what was planned."""
    job.life += 1
    job.accrue(world.now)
    # Executors of another size start with the query; those that are there would only be handed on.
    more_s = world.cluster.executor_start_s if world.memory_awaited else 0.0
    _become_wanted(world, job)
    _go_down(world, job, job.spec.replan_s + more_s, "changed")


def _become_wanted(world: ClusterState, job: JobState) -> None:
    job.spec, job.planned = job.wanted, None
    world.take_up_memory()


def _go_down(world: ClusterState, job: JobState, for_s: float, why: str) -> None:
    job.down_until_s, job.down_for = world.now + for_s, why
    world.schedule(job.down_until_s, "restart", (job, job.life))


def _stop_batch(world: ClusterState, job: JobState) -> None:
    job.accrue(world.now)
    world.line.awaits(job, 0)
    kill_work(world, lambda work: work.job is job)


def _await_rows(world: ClusterState, job: JobState) -> None:
    if job.spec.trigger_s > 0:
        due = _next_trigger(job, world.now)
    else:
        due = max(_offered_from(job, job.arrivals.time_of(job.processed)), world.now + _POLL_S)
    if due < math.inf:
        world.schedule(due, "trigger", (job, job.life))


def _offered_until(job: JobState, now: float) -> float:
    """The source offers the rows that arrived by then: all, or those of the steps that are over."""
    step_s, from_s = job.spec.source_step_s, job.spec.starts_at_s
    return now if step_s == 0 else from_s + math.floor((now - from_s) / step_s + 1e-9) * step_s


def _offered_from(job: JobState, arrived_s: float) -> float:
    """When the source offers a row that arrived then."""
    step_s, from_s = job.spec.source_step_s, job.spec.starts_at_s
    if step_s == 0 or arrived_s == math.inf:
        return arrived_s
    return from_s + math.ceil((arrived_s - from_s) / step_s - 1e-9) * step_s


def _due_after(job: JobState, started_s: float, now: float) -> float:
    """At the next trigger, or at once when the batch took longer than the interval."""
    interval_s = job.spec.trigger_s
    return now if now - started_s >= interval_s else max(now, _next_trigger(job, started_s))


def _next_trigger(job: JobState, after_s: float) -> float:
    """The first multiple of the interval, counted from the job's start and its phase, that lies after `after_s`."""
    interval_s, from_s = job.spec.trigger_s, job.spec.starts_at_s + job.spec.trigger_phase_s
    passed = math.floor((after_s - from_s) / interval_s + 1e-9)
    return from_s + (passed + 1) * interval_s


def _kept_s(world: ClusterState) -> float:
    return 2.0 * world.cluster.window_s
