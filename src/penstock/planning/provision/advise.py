"""What performance models would give each job for what it takes in now: a policy's first step, not its guess."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from penstock.core.performance import PerformanceModel
from penstock.core.topology import Edge, Topology
from penstock.core.units import positive
from penstock.core.view import JobView, View
from penstock.planning.provision.allocate import model_based


@dataclass(frozen=True, slots=True)
class JobModels:
    """The models of a job's operators; an operator without one is left alone."""

    by_operator: Mapping[str, PerformanceModel]
    selectivity: Mapping[Edge, float] = field(default_factory=dict)
    # Threads are for this many times what arrives. A model's peak is where queues begin to grow without end; at half
    # of it a row waits about as long as it is worked on, which is what intents on latency leave room for.
    headroom: float = 2.0

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


def advised(view: View, models: Mapping[str, JobModels]) -> View:
    """The view with what the models say, for jobs that have models and whose arrivals are known."""
    if not models:
        return view
    return replace(view, jobs=tuple(_advised(job, models.get(job.name)) for job in view.jobs))


def _advised(job: JobView, models: JobModels | None) -> JobView:
    figures = job.figures
    if models is None or figures.topology is None or not figures.arrival_rps:
        return job
    per_source = figures.arrival_rps / len(figures.topology.sources)
    return replace(job, modelled_threads=models.threads(figures.topology, per_source))
