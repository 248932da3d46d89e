"""Who gets the next free slot: threads become the weight and the minimum share of a job's pool."""

from collections.abc import Sequence

from penstock.engines.sim.microbatch.state import JobState

Rank = tuple[int, float, str]


def reshare(jobs: Sequence[JobState], slots: int) -> None:
    """Set the pools of `jobs` from their threads: together the minimum shares never exceed the slots."""
    wanted = max(slots, sum(job.threads for job in jobs))
    for job in jobs:
        job.share_slots = slots * job.threads / wanted
        job.min_share = slots * job.threads // wanted


def fair_order(job: JobState) -> Rank:
    """Spark's FAIR order: pools below their minimum share first, then by running tasks for each weight."""
    if job.running < job.min_share:
        return (0, job.running / job.min_share, job.name)
    return (1, job.running / job.threads, job.name)


def fifo_order(job: JobState) -> Rank:
    """Spark's FIFO order: the batch that began first."""
    return (job.batch_order, 0.0, job.name)
