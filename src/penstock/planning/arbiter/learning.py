"""What was learnt: the memory with what the batches since the last round tell."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from penstock.core.levers import WHOLE
from penstock.core.shares import shares_pool
from penstock.core.view import JobView, View
from penstock.planning.arbiter.candidates import present
from penstock.planning.arbiter.coming import remembered
from penstock.planning.arbiter.costs import TELLING, JobCosts, learnt
from penstock.planning.arbiter.fleet import Fleet
from penstock.planning.arbiter.memory import ArbiterMemory
from penstock.planning.arbiter.outcome import HORIZON_S
from penstock.planning.arbiter.sharing import paced
from penstock.planning.arbiter.taking_back import begun

_DRAGS = 2.0  # times its first batch
_BIAS_KEPT = 0.6  # of a job's bias, when another batch has ended


def looked_at(view: View, memory: ArbiterMemory) -> ArbiterMemory:
    """The memory with what the batches since tell, of the jobs that are there."""
    figures = {job.name: job.figures for job in view.jobs if shares_pool(job.figures)}
    names = tuple(figures)
    costs = {name: learnt(memory.costs.get(name), found, view.at_s) for name, found in figures.items()}
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
        if shares_pool(job.figures)
        and job.figures.trouble is None
        and costs[job.name].batches < TELLING
        and not _drags(job, costs[job.name], view.at_s)
    ]


def with_bias(fleet: Fleet, memory: ArbiterMemory) -> ArbiterMemory:
    """How long stages took over how long they were foretold to, of batches that ran under the levers as they stand."""
    found = paced(fleet.as_it_was, present(fleet), HORIZON_S)
    costs = dict(memory.costs)
    acted_s = memory.acted.at_s if memory.acted is not None else -np.inf
    fixed_s, row_s = (found.fixed_s[0] - found.aside_s).tolist(), found.row_s[0].tolist()
    for place, name in enumerate(fleet.names):
        one = costs[name]
        if not one.fresh:
            continue
        staged = one.staged
        if one.fresh_since_s >= acted_s:  # else they ran, in part, under other levers
            foretold_s = one.fresh * fixed_s[place] + row_s[place] * one.fresh_rows
            off = min(max(one.fresh_staged_s / max(foretold_s, 1e-6), 0.25), 4.0)
            staged = min(max(staged * off ** (1.0 - _BIAS_KEPT**one.fresh), 0.3), 3.0)
        costs[name] = replace(one, fresh=0, fresh_rows=0.0, fresh_staged_s=0.0, staged=staged)
    return replace(memory, costs=costs)


def arrivals_of(costs: Mapping[str, JobCosts]) -> dict[str, float]:
    """What arrives of each job, where that is known."""
    return {name: one.arrival_rps for name, one in costs.items() if one.arrival_rps is not None}


def _drags(job: JobView, costs: JobCosts, at_s: float) -> bool:
    """Whether its second batch takes far longer than its first: it takes what came meanwhile, and so will the third.

    What is done before that one begins keeps it short; to wait for the second one is to let it take minutes of rows.
    """
    trigger = job.figures.lever("trigger")
    every_s = float(trigger.now or 0.0) if trigger is not None else 0.0
    return costs.batches > 0 and costs.took_s > every_s and at_s - costs.ended_s > _DRAGS * costs.took_s
