"""One run of a twin, in the ordinary loop, under a policy or with what somebody fixed beforehand."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from penstock.core.ports import Policy
from penstock.core.run import DecisionRecord, RunInfo
from penstock.core.seen.view import View
from penstock.engines.sim.microbatch import MicroBatchEngine, MicroBatchJob
from penstock.loop import LoopSettings
from penstock.planning.registry import DEFAULT, policy_named
from penstock.running.session import Session
from penstock.running.sim_clock import SimClock
from penstock.simulation.micro_batch import scheduling_of
from penstock.simulation.twins.twin import Twin
from penstock.store.memory import MemoryStore

_KEPT_CYCLES = 100_000


@dataclass(frozen=True, slots=True)
class Fixed:
    """Slots, bounds of batches and triggers by job, from the start to the end; others stay as the twin has them."""

    slots: Mapping[str, int] = field(default_factory=dict)
    bounds: Mapping[str, int | None] = field(default_factory=dict)
    triggers: Mapping[str, float] = field(default_factory=dict)

    def on(self, job: MicroBatchJob) -> MicroBatchJob:
        """The job as it is with this."""
        return replace(
            job,
            threads=self.slots.get(job.name, job.threads),
            max_rows_per_batch=self.bounds.get(job.name, job.max_rows_per_batch),
            trigger_s=self.triggers.get(job.name, job.trigger_s),
        )


@dataclass(frozen=True, slots=True)
class TwinResult:
    """What came of it. Views are those that count, each as long as it stands: rounds are not all as far apart."""

    views: tuple[View, ...]
    decisions: tuple[DecisionRecord, ...]

    @property
    def utility_share(self) -> float:
        """The mean share of the maximum utility."""
        return mean_share(self.views)

    def job_share(self, name: str) -> float:
        """The mean share of one job's maximum utility."""
        return _mean(self.views, lambda view: (view.job(name).utility or 0.0) / view.job(name).max_utility)

    def met(self, name: str) -> float:
        """The share of time that a job had what it asked for."""
        return _mean(self.views, lambda view: view.job(name).met)


def run(
    twin: Twin, decider: "str | Policy | Fixed" = "penstock", seed: int = 0, settings: Mapping[str, Any] | None = None
) -> TwinResult:
    """Live through the twin once. `decider` is a policy's name, a policy, or what is fixed; the seed draws the day.

    `fifo` and `fair` have Spark's own pools, `by hand` the twin's own slots; all others govern pools by threads.
    """
    drawn, policy, scheduling = _decided(twin.drawn(seed), decider, settings or {})
    cluster = replace(drawn.cluster, scheduling=scheduling, small_first=policy.name == DEFAULT)
    engine = MicroBatchEngine(cluster, drawn.jobs, drawn.faults)
    info = RunInfo(twin.name, twin.name, policy.name, "simulator")
    store = MemoryStore(info, kept_cycles=_KEPT_CYCLES)
    loop = LoopSettings(twin.interval_s, twin.govern_from_s, go_on=False)
    session = Session(lambda: twin.intents, policy, store, loop, until_s=twin.seconds)
    session.live_through(engine, SimClock(engine.advance_to))
    views = tuple(view for view in store.views(info.id) if view.at_s >= twin.measure_from_s)
    return TwinResult(views, store.read_run(info.id).decisions)


def _decided(twin: Twin, decider: "str | Policy | Fixed", settings: Mapping[str, Any]) -> tuple[Twin, Policy, str]:
    if decider == "by hand":
        decider = Fixed(twin.by_hand)
    if isinstance(decider, Fixed):
        fixed = replace(twin, jobs=tuple(decider.on(job) for job in twin.jobs))
        return fixed, policy_named("static"), "governed"
    if isinstance(decider, str):
        return twin, policy_named(decider, settings), scheduling_of(decider)
    return twin, decider, "governed"


def mean_share(views: Sequence[View]) -> float:
    """The mean share of the maximum utility over the time that these views stand for."""
    return _mean(views, lambda view: view.utility / view.max_utility)


def _mean(views: Sequence[View], of: Callable[[View], float]) -> float:
    """A view stands until the next one; the last, for as long as the one before it.

    While a policy awaits something its rounds are closer together, and what it awaits is mostly the worst time.
    """
    apart_s = [after.at_s - before.at_s for before, after in pairwise(views)] or [1.0]
    stands_s = [*apart_s, apart_s[-1]][-len(views) :]
    return sum(each_s * of(view) for each_s, view in zip(stands_s, views, strict=True)) / sum(stands_s)
