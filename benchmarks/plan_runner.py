"""A plan carried out: every slot that has threads is a worker, every operator on it has an executor of its own there.

An operator's threads on a slot are a Spark job of their own, bound to their executor by a resource profile. A thread
says where it is and of which operator; one in the wrong place would be turned away, and the plan not run.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from penstock.core.known.placement import Placement, Slot
from penstock.core.seen.topology import Topology
from penstock.core.seen.trial import Measured, Task, Trial
from penstock.engines.spark.profiling.application import SlotApplication, slot_application
from penstock.engines.spark.profiling.binding import ThreadGroup
from penstock.engines.spark.profiling.crew import crew
from penstock.engines.spark.profiling.exchange import Exchange
from penstock.engines.spark.profiling.flow import TupleFlow
from penstock.engines.spark.profiling.settings import TrialSettings
from penstock.engines.spark.profiling.trials import latency_points
from penstock.engines.spark.profiling.watch import WorkerWatch
from penstock.local.spark.standalone import WorkerToStart, worker_address

_DRAINED_WITHIN_S = 60.0
GENERATOR = "(generator)"


@dataclass(frozen=True, slots=True)
class PlanMeasured:
    """A trial of a whole plan: as of one task, and CPU and memory (slots' worth) of each machine of the plan."""

    trial: Measured
    cpu: tuple[float, ...]
    memory: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Sites:
    """The slots that have threads, in order: worker number n is `slots[n]`."""

    slots: tuple[Slot, ...]
    workers: tuple[WorkerToStart, ...]
    groups: tuple[ThreadGroup, ...]
    flow: TupleFlow


def sites_of(placement: Placement) -> Sites:
    """The workers that a plan needs, its groups of threads, and the flow through them; unused slots are left out."""
    found = placement.threads_on()
    groups = tuple(
        ThreadGroup(f"group{site}_{place}", worker_address(site), operator, threads)
        for site, content in enumerate(found.values())
        for place, (operator, threads) in enumerate(sorted(content.items()))
    )
    workers = tuple(
        WorkerToStart(
            content.total(), offers=tuple(group.name for group in groups if group.address == worker_address(site))
        )
        for site, content in enumerate(found.values())
    )
    roles = {group.role: {group.operator: group.threads} for group in groups}
    flow = TupleFlow(_fed(placement.allocation.topology), roles, _weights(placement, groups))
    return Sites(tuple(found), workers, groups, flow)


def _weights(placement: Placement, groups: Sequence[ThreadGroup]) -> dict[str, dict[str, float]]:
    """Of each thread, where rows are to be routed by what a slot can take, as the prediction has it; else none."""
    if placement.prediction.routing != "proportional":
        return {}
    models = placement.allocation.models
    return {
        group.role: {group.operator: models[group.operator].rate(group.threads) / group.threads} for group in groups
    }


def _fed(topology: Topology) -> Topology:
    """Every source of the plan is fed by the one generator, with all of its tuples."""
    children = {operator: list(topology.children(operator)) for operator in topology.operators}
    return Topology({GENERATOR: list(topology.sources), **children})


class PlanRunner:
    """Does trials of one plan at one rate after the other."""

    def __init__(
        self,
        placement: Placement,
        sites: Sites,
        application: SlotApplication,
        exchange: Exchange,
        settings: TrialSettings,
    ) -> None:
        self._placement = placement
        self._sites = sites
        self._application = application
        self._exchange = exchange
        self._settings = settings
        self._last = set(placement.allocation.topology.sinks)
        rates = placement.allocation.topology.rates(1.0, placement.allocation.selectivity)
        self._per_source = sum(rates[name] for name in self._last)  # rows out of the plan for one in

    @property
    def groups(self) -> tuple[ThreadGroup, ...]:
        """The groups of threads, each on an executor of its own."""
        return self._sites.groups

    def run(self, rate_rps: float) -> PlanMeasured:
        """One trial: latency is from generator to sink, what is done is counted at the sinks."""
        begin_s, end_s = self._settings.warm_up_s, self._settings.length_s
        watch = WorkerWatch(self._application.workers, None, begin_s, end_s)
        reports = self._exchange.run(rate_rps, end_s, _DRAINED_WITHIN_S)
        used = watch.result().workers
        out = [report for report in reports if report.operator in self._last and begin_s <= report.at_s < end_s]
        cpu = [each.cpu_share for each in used]
        memory = [self._settings.memory_share(each.memory_bytes) for each in used]
        measured = Measured(
            trial=Trial(sum(self._sites.flow.threads.values()), rate_rps),
            latency_s=latency_points(out, begin_s, end_s),
            processed_rps=sum(report.count for report in out) / (end_s - begin_s) / self._per_source,
            cpu_share=sum(cpu),
            memory_share=sum(memory),
        )
        return PlanMeasured(measured, self._by_machine(cpu), self._by_machine(memory))

    def _by_machine(self, shares: list[float]) -> tuple[float, ...]:
        sums = [0.0] * len(self._placement.machines)
        for slot, share in zip(self._sites.slots, shares, strict=True):
            sums[slot.machine] += share
        return tuple(sums)


@contextmanager
def plan_runner(placement: Placement, tasks: Mapping[str, Task], settings: TrialSettings) -> Iterator[PlanRunner]:
    """The plan's workers, executors and threads, until the end of the block; `tasks` by operator."""
    sites = sites_of(placement)
    with (
        slot_application(sites.workers) as application,
        crew(application.spark, sites.flow, tasks, sites.groups) as exchange,
    ):
        yield PlanRunner(placement, sites, application, exchange, settings)
