"""What the simulated cluster tells of itself: its arrays read into figures."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from penstock.core.arrays import Floats, Ints
from penstock.core.seen.figures import JobFigures, LatencyFigures, MachineFigures, OperatorFigures
from penstock.engines.sim.layout import Layout
from penstock.engines.sim.meters import Meters
from penstock.engines.sim.physics import STEP_S, Physics

# Percentiles that are told, with their standard normal quantiles.
QUANTILES = ((50.0, 0.0), (90.0, 1.2815515655), (95.0, 1.6448536270), (99.0, 2.3263478740))


@dataclass(frozen=True, slots=True)
class ClusterReading:
    """All that a reading of the cluster needs."""

    at_s: float
    layout: Layout
    physics: Physics
    meters: Meters
    threads: Ints
    paused_until: Floats
    started_at: Floats


def read_jobs(reading: ClusterReading, active: NDArray[np.bool_]) -> tuple[JobFigures, ...]:
    """The figures of all jobs that have begun and not ended."""
    tally = reading.meters.latest
    span = max(tally.steps, 1) * STEP_S
    columns = _operator_columns(reading, span)
    latencies = _latencies(reading, active)
    juice = reading.meters.juice().tolist()
    queue = reading.physics.queue
    first = reading.layout.first.tolist()
    arrivals = np.where(reading.layout.is_source, tally.arrived, 0.0) / span
    taken = np.where(reading.layout.is_source, tally.done, 0.0) / span
    per_job = [
        np.bincount(reading.layout.job_of, weights=values, minlength=len(active)).tolist()
        for values in (arrivals, taken, queue)
    ]
    result = []
    for number in np.flatnonzero(active).tolist():
        job = reading.layout.jobs[number]
        operators = tuple(
            OperatorFigures(operator.name, *columns[row], operator.min_threads, operator.max_threads)
            for operator, row in zip(job.operators, range(first[number], first[number + 1]), strict=True)
        )
        result.append(
            JobFigures(
                name=job.name,
                operators=operators,
                latency=latencies[number],
                juice=juice[number],
                arrival_rps=per_job[0][number],
                processed_rps=per_job[1][number],
                working_rps=per_job[1][number],
                backlog_rows=per_job[2][number],
                topology=job.topology,
                settling=bool(reading.paused_until[number] > reading.at_s),
                up_s=reading.at_s - float(reading.started_at[number]),
                max_threads=job.max_threads,
            )
        )
    return tuple(result)


def _operator_columns(
    reading: ClusterReading, span: float
) -> list[tuple[int, float, float, float, float, float, float, bool]]:
    """threads, capacity, rows in, rows out, busy share, CPU share, backlog, is source; by operator."""
    layout, physics, tally = reading.layout, reading.physics, reading.meters.latest
    steps = max(tally.steps, 1)
    busy = np.minimum(tally.busy / steps, 1.0)
    sent = np.bincount(layout.edge_from, weights=layout.selectivity, minlength=layout.size)
    cpu_part = layout.cpu_s / np.maximum(layout.cpu_s + layout.wait_s, 1e-12)
    return list(
        zip(
            reading.threads.tolist(),
            busy.tolist(),
            (tally.done / span).tolist(),
            (tally.done * sent / span).tolist(),
            busy.tolist(),
            (busy * cpu_part).tolist(),
            physics.queue.tolist(),
            layout.is_source.tolist(),
            strict=True,
        )
    )


def _latencies(reading: ClusterReading, active: NDArray[np.bool_]) -> list[LatencyFigures | None]:
    """A job that finished nothing while rows wait has a latency that grows as long as that lasts."""
    mean, variance = reading.meters.latency()
    shape = np.maximum(mean * mean / np.maximum(variance, 1e-18), 1e-3)
    # Wilson and Hilferty: the cube root of a gamma variable is about normal.
    tails = [mean * np.maximum(1 - 1 / (9 * shape) + z / (3 * np.sqrt(shape)), 0.0) ** 3 for _, z in QUANTILES]
    table = np.stack([mean, *tails], axis=1).tolist()
    known = reading.meters.last_latency
    result: list[LatencyFigures | None] = []
    for number, row in enumerate(table):
        if row[0] == row[0]:
            known[number] = (reading.at_s, row[0])
            quantiles = tuple((percentile, row[1 + i]) for i, (percentile, _) in enumerate(QUANTILES))
            result.append(LatencyFigures(row[0], quantiles))
        elif number in known and active[number]:
            stuck = known[number][1] + reading.at_s - known[number][0]
            result.append(LatencyFigures(stuck, tuple((percentile, stuck) for percentile, _ in QUANTILES)))
        else:
            result.append(None)
    return result


def read_machines(physics: Physics) -> tuple[MachineFigures, ...]:
    """Cores, load and memory of each machine."""
    cores = physics.cluster.cores
    return tuple(
        MachineFigures(f"machine-{number}", cores, load, memory, alive=alive > 0)
        for number, (load, memory, alive) in enumerate(
            zip(physics.load.tolist(), physics.memory_share.tolist(), physics.alive.tolist(), strict=True)
        )
    )
