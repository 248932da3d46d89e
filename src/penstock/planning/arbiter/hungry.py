"""Who never gets a slot: where slots are fewer than jobs, Spark may keep a job's first batches from ever ending.

Of two jobs without a task that runs Spark asks the first by name, every time. Nothing is known of those who come last,
not even whether they would be cheap to serve; so those of them that are worth about as much as any are served first for
a while. A first batch alone makes a job look dear, for the query's own start is in it, and it has few rows: who was
given up on its word would never have a second.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from penstock.planning.arbiter.candidates import Settings, present
from penstock.planning.arbiter.costs import TELLING, JobCosts
from penstock.planning.arbiter.fleet import Fleet

HUNGRY_AFTER_S = 30.0  # since it was first seen, or its only batch ended
SERVED_FOR_S = 30.0  # before the next one is tried
_WORTH = 0.5  # of what the most valuable job is worth: for less nobody is kept waiting
_FIRST = 2.0  # times the weight of all others, and so the floors that are kept


def hungry(fleet: Fleet, costs: Mapping[str, JobCosts], at_s: float) -> tuple[str, ...]:
    """The jobs whose first or second batch does not end for long, the most valuable first; none where all have a slot."""
    if fleet.size <= fleet.slots:
        return ()
    least = _WORTH * max(job.max_utility for job in fleet.jobs)
    unknown = [
        job
        for job in fleet.jobs
        if job.max_utility >= least
        and costs[job.name].batches < TELLING
        and at_s - _waits_since_s(costs[job.name]) >= HUNGRY_AFTER_S
    ]
    return tuple(job.name for job in sorted(unknown, key=lambda job: (-job.max_utility, job.name)))


def _waits_since_s(costs: JobCosts) -> float:
    return costs.ended_s if costs.batches else costs.first_seen_s


def served_first(fleet: Fleet, names: tuple[str, ...]) -> Settings:
    """Levers by which those get a slot before all others; no more of them than there are slots."""
    first = np.isin(fleet.names, names[: int(fleet.slots)])
    weights = np.where(first, np.minimum(_FIRST * fleet.least, fleet.most), fleet.least)
    return replace(present(fleet), weights=weights[None, :])
