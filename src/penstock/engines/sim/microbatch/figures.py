"""What the simulated application tells about itself: its present, turned into core's figures."""

from dataclasses import replace

from penstock.core.seen.figures import (
    ALL_OPERATORS,
    JobFigures,
    LatencyFigures,
    MachineFigures,
    OperatorFigures,
    Snapshot,
)
from penstock.core.seen.trouble import TroubleId, TroubleKind
from penstock.engines.lost_executors import LastFailure
from penstock.engines.sim.microbatch.batch import rows_into
from penstock.engines.sim.microbatch.batches import totals
from penstock.engines.sim.microbatch.ledger import Totals, WindowFlow
from penstock.engines.sim.microbatch.levers import application_dials, job_dials, most_threads
from penstock.engines.sim.microbatch.machines import SimulatedMachine
from penstock.engines.sim.microbatch.mixture import Uniform, latency_of
from penstock.engines.sim.microbatch.state import JobState
from penstock.engines.sim.microbatch.world import ClusterState

_ALL_THE_TIME = 0.99  # share of a window with a batch open; between two late batches there is no gap


def snapshot_of(world: ClusterState) -> Snapshot:
    """All jobs that are there, and all machines."""
    return Snapshot(
        at_s=world.now,
        jobs=tuple(_job(world, job) for job in world.jobs if job.present),
        machines=tuple(_machine(world, machine) for machine in world.machines),
        max_threads=world.cluster.max_threads,
        levers=application_dials(world),
    )


def aged(snapshot: Snapshot, now: float) -> Snapshot:
    """The same news, older."""
    age_s = now - snapshot.at_s
    return Snapshot(
        at_s=now,
        jobs=tuple(replace(job, age_s=job.age_s + age_s) for job in snapshot.jobs),
        machines=tuple(replace(machine, age_s=machine.age_s + age_s) for machine in snapshot.machines),
        max_threads=snapshot.max_threads,
        levers=snapshot.levers,
    )


def _job(world: ClusterState, job: JobState) -> JobFigures:
    now = totals(world, job)
    past = job.ledger.totals_at(world.now - world.cluster.window_s)
    flow = job.ledger.flow(now, world.cluster.window_s)
    down = world.now < job.down_until_s
    last = LastFailure() if job.loss is None else job.loss.failure
    return JobFigures(
        name=job.name,
        operators=(_operator(world, job, past, now),),
        latency=_latency(world, job, now, flow),
        juice=None if flow is None else flow.juice,
        arrival_rps=_rate(past, now, now.arrived - past.arrived),
        processed_rps=_rate(past, now, now.processed - past.processed),
        working_rps=job.report.rows / job.report.duration_s if job.report and job.report.duration_s > 0 else None,
        backlog_rows=float(now.arrived - now.processed),
        topology=job.spec.topology,
        settling=down,
        up_s=None if down else world.now - job.up_since_s,
        lost=last.lost,
        failed_at_s=last.at_s,
        downtime_s=last.downtime_s,
        short_s=last.short_s,
        short_of=last.short_of,
        slowed=last.slowed,
        max_threads=job.spec.max_threads,
        phases_s=job.report.phases_s if job.report else {},
        stages=job.report.stages if job.report else (),
        trouble=f"{job.down_for}; restarts in {job.down_until_s - world.now:.0f} s" if down else None,
        trouble_id=TroubleId(TroubleKind.RESTARTING, job.down_for) if down else None,
        levers=job_dials(job),
        batches=tuple(job.ended),
    )


def _operator(world: ClusterState, job: JobState, past: Totals, now: Totals) -> OperatorFigures:
    """The job's one scalable unit: its share of the slots."""
    processed_rps = _rate(past, now, now.processed - past.processed)
    leaving = rows_into(job.spec, len(job.spec.stages), 1.0)
    return OperatorFigures(
        name=ALL_OPERATORS,
        threads=job.threads,
        capacity=_capacity_of(job, past, now),
        rows_in_rps=processed_rps,
        rows_out_rps=None if processed_rps is None else processed_rps * leaving,
        busy_share=_of_share(past, now, now.busy_s - past.busy_s),
        cpu_share=_of_share(past, now, now.cpu_s - past.cpu_s),
        backlog_rows=float(now.arrived - now.processed),
        is_source=True,
        min_threads=job.spec.min_threads,
        max_threads=most_threads(world, job),
    )


def _capacity(past: Totals, now: Totals) -> float | None:
    """Henge, equation 3, with task time for execution time and slots for executors.

    A job that is in a batch all the time and still falls behind is at its capacity, even where the slots
    idle while it plans and commits.
    """
    elapsed_s = now.at_s - past.at_s
    always = elapsed_s > 0 and now.batch_s - past.batch_s >= _ALL_THE_TIME * elapsed_s
    if always and now.processed - past.processed < now.arrived - past.arrived:
        return 1.0
    return _of_share(past, now, now.busy_s - past.busy_s)


def _capacity_of(job: JobState, past: Totals, now: Totals) -> float | None:
    """While no batch has ended also by the tasks that run now: most of the window may lie before the first of them."""
    over_window = _capacity(past, now)
    if job.report is not None or not job.running:
        return over_window
    return max(over_window or 0.0, min(1.0, job.running / max(1.0, job.share_slots)))


def _latency(world: ClusterState, job: JobState, now: Totals, flow: WindowFlow | None) -> LatencyFigures | None:
    """Of the rows that were committed in the window, and of those that wait where nothing comes out any more."""
    parts = job.ledger.latencies(world.now - world.cluster.window_s if flow is None else flow.start_s)
    waiting = now.arrived - now.processed
    late = waiting > 0 and flow is not None and flow.stalled
    if late:
        # As if all that waits were committed now, the least that it can be.
        youngest_s = world.now - job.arrivals.time_of(now.arrived - 1)
        oldest_s = world.now - job.arrivals.time_of(now.processed)
        parts.append(Uniform(waiting, max(0.0, youngest_s), max(0.0, oldest_s)))
    return latency_of(parts, estimated=late) if parts else None


def _machine(world: ClusterState, machine: SimulatedMachine) -> MachineFigures:
    held = world.held_share
    return MachineFigures(
        name=machine.name,
        cores=machine.cores,
        load=machine.mean_load(world.now) if machine.alive else None,
        memory_share=None if held is None or not machine.alive else min(1.0, held),
        executors=1 if machine.alive else 0,
        alive=machine.alive,
        slots=machine.slots if machine.alive else 0,
        gc_share=None if held is None or not machine.alive else world.collecting,
    )


def _rate(past: Totals, now: Totals, rows: int) -> float | None:
    elapsed_s = now.at_s - past.at_s
    return rows / elapsed_s if elapsed_s > 0 else None


def _of_share(past: Totals, now: Totals, used_s: float) -> float | None:
    """`used_s` as a share of the slot time that is the job's; slots that others left idle do not raise it above 1."""
    slot_s = now.share_s - past.share_s
    return min(1.0, max(0.0, used_s / slot_s)) if slot_s > 0 else None
