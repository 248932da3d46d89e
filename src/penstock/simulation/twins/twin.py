"""A twin: jobs on a simulated application, what is wanted of them, and how long they are looked at."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from penstock.core.asked.intents import Intent
from penstock.engines.sim.microbatch import MicroBatchCluster, MicroBatchFault, MicroBatchJob


@dataclass(frozen=True, slots=True)
class Twin:
    """One case. `by_hand` are the slots that a person would give; what comes before `measure_from_s` does not count."""

    name: str
    cluster: MicroBatchCluster
    jobs: tuple[MicroBatchJob, ...]
    intents: Mapping[str, Intent]
    seconds: float = 120.0
    measure_from_s: float = 10.0
    govern_from_s: float = 6.0
    interval_s: float = 2.0
    by_hand: Mapping[str, int] = field(default_factory=dict)
    faults: tuple[MicroBatchFault, ...] = ()

    def drawn(self, seed: int) -> "Twin":
        """The same case on another day: tasks take other times, and triggers fall elsewhere between arrivals."""
        random = np.random.default_rng([seed, len(self.jobs)])
        jobs = tuple(
            replace(job, trigger_phase_s=float(random.uniform(0.0, min(1.0, job.trigger_s)))) for job in self.jobs
        )
        return replace(self, cluster=replace(self.cluster, seed=seed), jobs=jobs)
