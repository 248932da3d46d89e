"""What was learnt: the memory with what the batches since the last round tell."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from penstock.core.levers import WHOLE
from penstock.core.seen.shares import shares_pool
from penstock.core.seen.view import JobView, View
from penstock.planning.arbiter.candidates import present
from penstock.planning.arbiter.coming import remembered
from penstock.planning.arbiter.costs import TELLING, JobCosts
from penstock.planning.arbiter.fleet import Fleet
from penstock.planning.arbiter.memory import ArbiterMemory
from penstock.planning.arbiter.outcome import HORIZON_S
from penstock.planning.arbiter.sharing import paced
from penstock.planning.arbiter.taking_back import begun
from penstock.planning.arbiter.told import learnt

_DRAGS = 2.0  # times its first batch
_AWAITED_S = 8.0  # at the most, a batch more: a fifth of what is looked ahead is all that it is worth
_BIAS_KEPT = 0.6  # of a job's bias, when another batch has ended
_STAGED = attrgetter("fresh", "fresh_since_s", "fresh_rows", "fresh_staged_s", "staged")


def looked_at(view: View, memory: ArbiterMemory) -> ArbiterMemory:
    """The memory with what the batches since tell, of the jobs that are there."""
    costs = learnt(memory.costs, (job.figures for job in view.jobs if shares_pool(job.figures)), view.at_s)
    names = tuple(costs)
    executors = {dial.job: dial for dial in view.levers if dial.kind == "executors" and dial.job == WHOLE}
    memory = replace(
        memory,
        costs=costs,
        coming=remembered(memory.coming, arrivals_of(costs), view.at_s),
        starts=memory.starts.seen(executors, view.at_s),
        acted=None if memory.acted is None else begun(memory.acted, costs, view.utility),
    )
    if names == memory.jobs:
        return memory
    return replace(memory, jobs=names, since_s=view.at_s, acted=None, expected=None)


def awaited(view: View, costs: Mapping[str, JobCosts]) -> list[str]:
    """The jobs that run and of which too little is known yet."""
    return [
        job.name
        for job in view.jobs
        if job.name in costs
        and job.figures.trouble is None
        and costs[job.name].batches < TELLING
        and not _drags(job, costs[job.name], view.at_s)
    ]


def untold(fleet: Fleet, costs: Mapping[str, JobCosts], at_s: float) -> NDArray[np.bool_]:
    """The jobs whose costs are known on the word of one batch, for in the first one is the query's own start.

    Where all start at once that one is slow for others' sake, and the next is not. Long batches are not waited for, nor
    is anybody while shares alone are turned: that helps to come to a next batch, and is soon made good.
    """
    if fleet.shares_alone:
        return np.zeros(fleet.size, dtype=bool)
    known = [costs[name] for name in fleet.names]
    young = [one.batches <= TELLING and at_s - one.ended_s + one.took_s < _AWAITED_S for one in known]
    return np.array(young)


def with_bias(fleet: Fleet, memory: ArbiterMemory) -> ArbiterMemory:
    """How long stages took over how long they were foretold to, of batches that ran under the levers as they stand."""
    told = [(place, costs) for place, name in enumerate(fleet.names) if (costs := memory.costs[name]).fresh]
    if not told:
        return memory
    acted_s = memory.acted.at_s if memory.acted is not None else -np.inf
    staged = _staged([costs for _, costs in told], fleet, [place for place, _ in told], acted_s)
    after = {
        fleet.names[place]: costs._replace(fresh=0, fresh_rows=0.0, fresh_staged_s=0.0, staged=one)
        for (place, costs), one in zip(told, staged, strict=True)
    }
    return replace(memory, costs={**memory.costs, **after})


def _staged(told: Sequence[JobCosts], fleet: Fleet, places: Sequence[int], acted_s: float) -> list[float]:
    """How long stages of the jobs at these places take over how long they are foretold to, after their new batches."""
    fresh, since_s, rows, took_s, staged = np.array([_STAGED(one) for one in told], dtype=float).T
    found = paced(fleet.as_it_was, present(fleet), HORIZON_S)
    fixed_s = (found.fixed_s[0] - found.aside_s)[places]
    foretold_s = fresh * fixed_s + found.row_s[0, places] * rows
    off = np.clip(took_s / np.maximum(foretold_s, 1e-6), 0.25, 4.0)
    after = np.clip(staged * off ** (1.0 - _BIAS_KEPT**fresh), 0.3, 3.0)
    # Batches that began before the last decision ran, in part, under other levers.
    corrected: list[float] = np.where(since_s >= acted_s, after, staged).tolist()
    return corrected


def arrivals_of(costs: Mapping[str, JobCosts]) -> dict[str, float]:
    """What arrives of each job, where that is known."""
    return {name: one.arrivals[0] for name, one in costs.items() if one.arrivals is not None}


def _drags(job: JobView, costs: JobCosts, at_s: float) -> bool:
    """Whether its second batch takes far longer than its first: it takes what came meanwhile, and so will the third.

    What is done before that one begins keeps it short; to wait for the second one is to let it take minutes of rows.
    """
    trigger = job.figures.lever("trigger")
    every_s = float(trigger.now or 0.0) if trigger is not None else 0.0
    return costs.batches > 0 and costs.took_s > every_s and at_s - costs.ended_s > _DRAGS * costs.took_s
