"""Ordinary jobs for the tests; each test states only what matters to it."""

from typing import Any

import numpy as np

from penstock.core.levers import Slots
from penstock.core.plan import Step
from penstock.core.seen.figures import JobFigures
from penstock.engines.sim.microbatch import (
    MicroBatchCluster,
    MicroBatchEngine,
    MicroBatchFault,
    MicroBatchJob,
    MicroBatchStage,
)


def waiting_stage(partitions: int, wait_s_per_row: float) -> MicroBatchStage:
    """A stage without CPU work or overhead: its tasks take rows / partitions x wait, whatever else runs."""
    return MicroBatchStage("wait", partitions, wait_s_per_row=wait_s_per_row, task_overhead_s=0.0)


def a_job(name: str = "job", rate: float = 100.0, seconds: int = 3600, **changed: Any) -> MicroBatchJob:
    """100 rows/s in batches of 1 s: 4 tasks of 25 rows x 10 ms + 50 ms, 100 ms to plan and 100 ms to commit."""
    stage = MicroBatchStage("work", 4, cpu_s_per_row=0.01, task_overhead_s=0.05)
    ordinary: dict[str, Any] = {"stages": (stage,), "batch_overhead_s": 0.1, "commit_s": 0.1}
    ordinary["arrivals"] = np.full(seconds, float(rate))
    return MicroBatchJob(name, **{**ordinary, **changed})


def a_hungry_job(name: str, **changed: Any) -> MicroBatchJob:
    """More rows than any share of 8 slots can take, in bounded batches of 256 tasks of 25 ms, without overheads."""
    ordinary: dict[str, Any] = {
        "stages": (waiting_stage(256, 0.01),),
        "max_rows_per_batch": 640,
        "trigger_s": 0.1,
        "rate": 2000.0,
        "batch_overhead_s": 0.0,
        "commit_s": 0.0,
    }
    return a_job(name, **{**ordinary, **changed})


def an_engine(
    *jobs: MicroBatchJob, slots: int = 4, cores: int = 4, faults: tuple[MicroBatchFault, ...] = (), **cluster: Any
) -> MicroBatchEngine:
    """A quiet cluster of one machine."""
    return MicroBatchEngine(MicroBatchCluster(slots=slots, cores=cores, **cluster), jobs, faults)


def seen(engine: MicroBatchEngine, at_s: float, name: str = "job") -> JobFigures:
    """The figures of one job."""
    return next(job for job in engine.observe(at_s).jobs if job.name == name)


def mean_latency(engine: MicroBatchEngine, at_s: float, name: str = "job") -> float:
    """The mean latency of one job, which must have one."""
    latency = seen(engine, at_s, name).latency
    assert latency is not None
    return latency.mean_s


def to_threads(job: str, before: int, after: int) -> Step:
    """A step that changes one job's share."""
    return Step(job, (Slots(job, before, after),))
