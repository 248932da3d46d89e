"""Who never gets a slot: where slots are fewer than jobs, Spark may keep a job's first batch from ever ending.

Of two jobs without a task that runs Spark asks the first by name, every time. Nothing is known of those who come last,
not even whether they would be cheap to serve; so those of them that are worth about as much as any are served first for
a while.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from penstock.planning.arbiter.candidates import Settings, present
from penstock.planning.arbiter.costs import JobCosts
from penstock.planning.arbiter.fleet import Fleet

HUNGRY_AFTER_S = 30.0  # since it was first seen, without a batch that ended
SERVED_FOR_S = 30.0  # before the next one is tried
_WORTH = 0.5  # of what the most valuable job is worth: for less nobody is kept waiting
_FIRST = 2.0  # times the weight of all others, and so the floors that are kept


def hungry(fleet: Fleet, costs: Mapping[str, JobCosts], at_s: float) -> tuple[str, ...]:
    """The jobs of which no batch has ended for long, the most valuable first; none where all have a slot."""
    if fleet.size <= fleet.slots:
        return ()
    least = _WORTH * max(job.max_utility for job in fleet.jobs)
    unknown = [
        job
        for job in fleet.jobs
        if job.max_utility >= least
        and not costs[job.name].known
        and at_s - costs[job.name].first_seen_s >= HUNGRY_AFTER_S
    ]
    return tuple(job.name for job in sorted(unknown, key=lambda job: (-job.max_utility, job.name)))


def served_first(fleet: Fleet, names: tuple[str, ...]) -> Settings:
    """Levers by which those get a slot before all others; no more of them than there are slots."""
    first = np.isin(fleet.names, names[: int(fleet.slots)])
    weights = np.where(first, np.minimum(_FIRST * fleet.least, fleet.most), fleet.least)
    return replace(present(fleet), weights=weights[None, :])
