"""Limits of jobs that change while they run: who has more slots than it may, or fewer, gets what it may."""

from collections.abc import Mapping
from dataclasses import replace

from penstock.core.asked.slot_limits import SlotLimits
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.levers.slots import SlotsLever
from penstock.engines.spark.state.capacity import Capacity
from penstock.engines.spark.state.shared import Shared


class Limiting:
    """Of the jobs of one application."""

    def __init__(self, shared: Shared, capacity: Capacity, shares: SlotsLever) -> None:
        self._shared = shared
        self._capacity = capacity
        self._shares = shares

    def take_over(self, limits: Mapping[str, SlotLimits]) -> None:
        """Have these hold from now on, by job."""
        with self._shared.lease.held():
            self._shared.lease.renew()
            for name, limit in sorted(limits.items()):
                job = self._shared.state.named(name).job
                if job.limits != limit:
                    self._limit(replace(job, limits=limit))

    def _limit(self, job: Job) -> None:
        before = self._shared.state.named(job.name).threads
        threads = job.limits.held(before)
        self._shared.state.change(job.name, job=job, threads=threads)
        if threads != before:
            self._shared.spark.pools.set(self._shares.wanted())
            self._capacity.follow_plan()
            self._shared.deeds.note(job.name, f"weight {before} -> {threads}", "its limits changed")
