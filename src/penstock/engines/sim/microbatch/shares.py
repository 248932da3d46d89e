"""Who gets the next free slot: Spark's pools, whose weights and minimum shares come from the threads of the jobs.

What a pool gets for its threads is the rule of the Spark engine (its `pool_shares`), written again: the two worlds do
not know each other, and a test holds them to the same figures.
"""

from collections.abc import Callable, Mapping, Sequence

from penstock.core.asked.floors import floor_of, floors_kept
from penstock.engines.sim.microbatch.state import JobState

Rank = tuple[int, float, str]


def reshare(jobs: Sequence[JobState], slots: int, scheduling: str) -> None:
    """Set the pools of `jobs`: governed ones from their threads, fair ones all alike, as Spark makes them by itself."""
    wanted = max(slots, sum(job.threads for job in jobs), 1)
    for job in jobs:
        job.share_slots = slots * job.threads / wanted
    threads = {job.name: job.threads for job in jobs}
    floors = floors_kept(threads, {job.name: _floor(job, slots) for job in jobs}, slots) if jobs else {}
    for job in jobs:
        job.weight, job.min_share = (job.threads, floors[job.name]) if scheduling == "governed" else (1, 0)


def _floor(job: JobState, slots: int) -> int:
    """Its share rounded down, or all; never below its own least threads, nor above what there is or it may have."""
    most = slots if job.spec.max_threads is None else min(slots, job.spec.max_threads)
    return min(max(floor_of(job.share_slots, slots), job.spec.min_threads), most)


def fair_order(job: JobState) -> Rank:
    """Spark's FAIR order: pools below their minimum share first, then by running tasks for each weight."""
    if job.running < job.min_share:
        return (0, job.running / job.min_share, job.name)
    return (1, job.running / job.weight, job.name)


def fifo_order(job: JobState) -> Rank:
    """Spark's FIFO order: the batch whose Spark job was submitted first, with all its stages."""
    return (job.batch_order, 0.0, job.name)


ORDERS: Mapping[str, Callable[[JobState], Rank]] = {"fair": fair_order, "governed": fair_order, "fifo": fifo_order}
