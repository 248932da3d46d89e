"""What performance models would give each job for what it takes in now: a policy's first step, not its guess."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from penstock.core.known.performance import PerformanceModel
from penstock.core.seen.figures import ALL_OPERATORS
from penstock.core.seen.shares import shares_pool
from penstock.core.seen.topology import Edge, Topology
from penstock.core.seen.view import JobView, View
from penstock.core.units import positive
from penstock.planning.provision.allocate import model_based


@dataclass(frozen=True, slots=True)
class JobModels:
    """The models of a job's operators; an operator without one is left alone."""

    by_operator: Mapping[str, PerformanceModel]
    selectivity: Mapping[Edge, float] = field(default_factory=dict)
    # Threads are for this many times what arrives. A model's peak is where queues begin to grow without end; at half
    # of it a row waits about as long as it is worked on, which is what intents on latency leave room for.
    headroom: float = 2.0
    topology: Topology | None = None  # of a job whose engine does not tell its operators, as on Spark

    def __post_init__(self) -> None:
        positive(self.headroom, "models.headroom")

    def threads(self, topology: Topology, rate_rps: float) -> dict[str, int]:
        """By MBA, when every source takes in `rate_rps`; at least one each."""
        rates = topology.rates(rate_rps * self.headroom, self.selectivity)
        return {
            name: max(1, model_based(name, self.by_operator[name], rates[name]).threads)
            for name in topology.operators
            if name in self.by_operator
        }

    def slots(self, topology: Topology, rate_rps: float) -> int:
        """For all operators together, where they share slots that hold a thread each; at least one.

        A lone thread that has little to do counts for as little: its slot is another operator's the rest of the time.
        """
        rates = topology.rates(rate_rps * self.headroom, self.selectivity)
        threads = (
            _busy(self.by_operator[name], rates[name]) for name in topology.operators if name in self.by_operator
        )
        return max(1, math.ceil(round(sum(threads), 9)))


def advised(view: View, models: Mapping[str, JobModels]) -> View:
    """The view with what the models say, for jobs that have models and whose arrivals are known."""
    if not models:
        return view
    return replace(view, jobs=tuple(_advised(job, models.get(job.name)) for job in view.jobs))


def _advised(job: JobView, models: JobModels | None) -> JobView:
    figures = job.figures
    topology = None if models is None else figures.topology or models.topology
    if models is None or topology is None or not figures.arrival_rps:
        return job
    per_source = figures.arrival_rps / len(topology.sources)
    if shares_pool(figures):
        return replace(job, modelled_threads={ALL_OPERATORS: models.slots(topology, per_source)})
    return replace(job, modelled_threads=models.threads(topology, per_source))


def _busy(model: PerformanceModel, rate_rps: float) -> float:
    single_rps = model.rate(1)
    return rate_rps / single_rps if rate_rps < single_rps else model_based("", model, rate_rps).threads
