"""Who never gets a slot: where slots are fewer than jobs, Spark may keep a job's first batches from ever ending.

Of two jobs without a task that runs Spark asks the first by name, every time. Nothing is known of those who come last,
not even whether they would be cheap to serve; so those of them that are worth about as much as any are served first for
a while. A first batch alone makes a job look dear, for the query's own start is in it, and it has few rows: who was
given up on its word would never have a second.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from penstock.core.seen.view import JobView
from penstock.planning.arbiter.candidates import Settings, present
from penstock.planning.arbiter.costs import TELLING, JobCosts
from penstock.planning.arbiter.fleet import Fleet

HUNGRY_AFTER_S = 30.0  # since it was first seen, or its only batch ended
SERVED_FOR_S = 30.0  # before the next one is tried
_WORTH = 0.5  # of what the most valuable job is worth: for less nobody is kept waiting
_MUCH = 0.25  # of what all are worth together: for a second batch of anybody else nobody is kept waiting
_FIRST = 2.0  # times the weight of all others, and so the floors that are kept


def hungry(fleet: Fleet, costs: Mapping[str, JobCosts], at_s: float) -> tuple[str, ...]:
    """Jobs whose first or second batch does not end for long, the most valuable first; none where all have a slot."""
    if fleet.size <= fleet.slots:
        return ()
    least = _WORTH * max(job.max_utility for job in fleet.jobs)
    unknown = [
        job for job in fleet.jobs if job.max_utility >= least and _lacks_a_batch(job, fleet, costs[job.name], at_s)
    ]
    return tuple(job.name for job in sorted(unknown, key=lambda job: (-job.max_utility, job.name)))


def _lacks_a_batch(job: JobView, fleet: Fleet, costs: JobCosts, at_s: float) -> bool:
    """Whether its first batch does not end for long, or its second where it is worth much."""
    if not costs.batches:
        return at_s - costs.first_seen_s >= HUNGRY_AFTER_S
    worth_it = costs.batches < TELLING and job.max_utility >= _MUCH * fleet.max_utility
    return worth_it and at_s - costs.ended_s >= HUNGRY_AFTER_S


def served_first(fleet: Fleet, names: tuple[str, ...]) -> Settings:
    """Levers by which those get a slot before all others; no more of them than there are slots."""
    first = np.isin(fleet.names, names[: int(fleet.slots)])
    weights = np.where(first, np.minimum(_FIRST * fleet.least, fleet.most), fleet.least)
    return replace(present(fleet), weights=weights[None, :])
