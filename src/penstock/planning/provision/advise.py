"""What performance models would give each job for what it takes in now: a policy's first step, not its guess."""

import math
from collections.abc import Mapping
from dataclasses import replace

from penstock.core.known.job_models import JobModels
from penstock.core.known.performance import PerformanceModel
from penstock.core.seen.figures import ALL_OPERATORS
from penstock.core.seen.shares import shares_pool
from penstock.core.seen.topology import Topology
from penstock.core.seen.view import JobView, View
from penstock.planning.provision.allocate import model_based


def advised(view: View, models: Mapping[str, JobModels]) -> View:
    """The view with what the models say, for jobs that have models and whose arrivals are known."""
    return replace(view, jobs=tuple(_advised(job, models.get(job.name)) for job in view.jobs))


def modelled_threads(models: JobModels, topology: Topology, rate_rps: float) -> dict[str, int]:
    """Of each operator, by MBA, when every source takes in `rate_rps`; at least one each."""
    rates = topology.rates(rate_rps * models.headroom, models.selectivity)
    return {
        name: max(1, model_based(name, models.by_operator[name], rates[name]).threads)
        for name in topology.operators
        if name in models.by_operator
    }


def modelled_slots(models: JobModels, topology: Topology, rate_rps: float) -> int:
    """For all operators together, where they share slots that hold a thread each; at least one.

    A lone thread that has little to do counts for as little: its slot is another operator's the rest of the time.
    """
    rates = topology.rates(rate_rps * models.headroom, models.selectivity)
    threads = (
        _busy(models.by_operator[name], rates[name]) for name in topology.operators if name in models.by_operator
    )
    return max(1, math.ceil(round(sum(threads), 9)))


def _advised(job: JobView, models: JobModels | None) -> JobView:
    figures = job.figures
    topology = None if models is None else figures.topology or models.topology
    if models is None or topology is None or not figures.arrival_rps:
        return job
    per_source = figures.arrival_rps / len(topology.sources)
    if shares_pool(figures):
        return replace(job, modelled_threads={ALL_OPERATORS: modelled_slots(models, topology, per_source)})
    return replace(job, modelled_threads=modelled_threads(models, topology, per_source))


def _busy(model: PerformanceModel, rate_rps: float) -> float:
    single_rps = model.rate(1)
    return rate_rps / single_rps if rate_rps < single_rps else model_based("", model, rate_rps).threads
