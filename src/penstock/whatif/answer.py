"""The answer: the last minutes' arrivals again, from the present on, under the same policy or another."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from penstock.core.asked.intent_hours import holding
from penstock.core.asked.intents import Intent
from penstock.core.asked.orders import Act, Answer, Orders, Proposal, Request
from penstock.core.plan import Decision
from penstock.core.ports import World
from penstock.core.run import RunInfo
from penstock.core.seen.view import JobView, View
from penstock.engines.sim.continuous import ContinuousCluster
from penstock.engines.sim.microbatch.engine import MicroBatchEngine
from penstock.engines.sim.microbatch.spec import MicroBatchFault
from penstock.errors import ConfigError
from penstock.loop import LoopSettings
from penstock.planning.registry import policy_named
from penstock.running.session import Session, decider
from penstock.running.sim_clock import SimClock
from penstock.store.memory import MemoryStore
from penstock.whatif import calibration
from penstock.whatif.question import Changes, Future, Past, Turn
from penstock.whatif.service import Service

# Lived through before anything counts or is decided, so that batches are under way and figures have a window.
WARM_UP_S = 20.0
# Rows that wait before operators arrive at the start, and would be taken for new ones as long as juice looks back.
WARM_UP_OF_OPERATORS_S = 60.0
_FOR_GOOD_S = 1e9


class _Simulated(World, Protocol):
    def advance_to(self, at_s: float) -> None:
        """Let simulated time pass."""


class _Asker:
    """Asks for each turn once, in the first cycle that is due by then."""

    def __init__(self, turns: Sequence[Turn], from_s: float) -> None:
        self._left = sorted(turns, key=lambda turn: turn.at_s)
        self._from_s = from_s

    def orders(self, now: float) -> Orders:
        due = [turn for turn in self._left if now >= self._from_s + turn.at_s]
        self._left = self._left[len(due) :]
        asked = (Request(Act.TURN, "what-if", 0.0, turn=turn.wish) for turn in due)
        return Orders(turns=tuple(asked))

    def propose(self, decision: Decision) -> None:
        """Nobody is asked in a simulation."""

    def settle(self, proposal: Proposal, answer: Answer, now: float) -> None:
        """There are no proposals."""

    def turned(self, now: float) -> None:
        """Nobody waits to hear of it."""

    def leave(self) -> None:
        """Nobody looks whether it goes on."""


def play(present: View, past: Past, policy: str, changes: Changes, within_s: float) -> Future:
    """How the present would go on with these changes, if the arrivals of the past came again.

    `policy` decides unless the changes name another. No more than `within_s` of real time is spent.
    """
    if not present.jobs:
        raise ConfigError("run", "no tenants", "ask once a tenant has been seen")
    _check(present, changes)
    present = _allowed(present, changes.max_slots)
    decides = changes.policy or policy
    intents = {job.name: changes.intents.get(job.name) or holding(job.intent) for job in present.jobs}
    micro_batch = calibration.is_micro_batch(present)
    warm_up_s = WARM_UP_S if micro_batch else WARM_UP_OF_OPERATORS_S
    from_s = warm_up_s + (calibration.lead_in_s(present, warm_up_s) if micro_batch else 0)
    world = _world(present, _arrivals(present, past, changes.rates, warm_up_s), decides, changes.slots, past.services)
    info = RunInfo("what-if", "what-if", decides, "simulator")
    store = MemoryStore(info, kept_cycles=100_000)
    ends_s = time.monotonic() + within_s
    clock = SimClock(world.advance_to, goes_on=lambda: time.monotonic() < ends_s)
    settings = LoopSettings(past.interval_s, govern_from_s=from_s, go_on=False)
    asker = _Asker(changes.turns, from_s)
    session = Session(lambda: intents, decider(decides), store, settings, asker, until_s=from_s + past.span_s)
    session.live_through(world, clock)
    views = tuple(view for view in store.views(info.id) if view.at_s > from_s)
    return Future(
        policy=decides,
        at_s=tuple(view.at_s - from_s for view in views),
        share=tuple(view.utility / view.max_utility for view in views),
        views=views,
        decisions=store.read_run(info.id).decisions,
        whole=clock.in_time,
    )


def _allowed(present: View, most: Mapping[str, int]) -> View:
    """The present with other limits of tenants' shared slots."""

    def allowed(job: JobView) -> JobView:
        if job.name not in most:
            return job
        return replace(job, figures=replace(job.figures, max_threads=most[job.name]))

    return replace(present, jobs=tuple(allowed(job) for job in present.jobs))


def _world(
    present: View, arrivals: calibration.ArrivalsByJob, policy: str, slots: int | None, services: Mapping[str, Service]
) -> _Simulated:
    now = present.slots or 1
    many = now if slots is None else slots
    if calibration.is_micro_batch(present):
        scheduling = policy if policy in ("fifo", "fair") else "governed"
        cluster = calibration.micro_batch_cluster(present, many, scheduling, services)
        lead_s = calibration.lead_in_s(present, WARM_UP_S)
        jobs = calibration.micro_batch_jobs(present, arrivals, now, services, lead_s, WARM_UP_S)
        return MicroBatchEngine(cluster, jobs, _faults(present, services, lead_s))
    return ContinuousCluster(
        calibration.continuous_jobs(present, arrivals), calibration.continuous_cluster(present, many)
    )


def _faults(present: View, services: Mapping[str, Service], lead_s: int) -> list[MicroBatchFault]:
    """All jobs are down while the rows arrive that wait; somebody else's threads stay."""
    down = [MicroBatchFault("job", 0.0, target=job.name) for job in present.jobs] if lead_s else []
    load = calibration.foreign_load(present, services)
    return [*down, MicroBatchFault("interference", 0.0, _FOR_GOOD_S, load=load)] if load else down


def _arrivals(present: View, past: Past, rates: Mapping[str, float], warm_up_s: float) -> calibration.ArrivalsByJob:
    """The past's rows, times the factors; a job without a past goes on as it is."""
    found: dict[str, Sequence[float]] = {}
    for job in present.jobs:
        as_now = [job.figures.arrival_rps or 0.0] * (int(past.span_s) + 1)
        values = past.arrivals_rps.get(job.name, as_now)
        warm_up = as_now[:1] * int(warm_up_s)
        found[job.name] = [*warm_up, *(rate * rates.get(job.name, 1.0) for rate in values)]
    return found


def _check(present: View, changes: Changes) -> None:
    known = {job.name for job in present.jobs}
    named: Mapping[str, Mapping[str, Intent] | Mapping[str, float] | Mapping[str, int]] = {
        "intents": changes.intents,
        "rates": changes.rates,
        "max_slots": changes.max_slots,
    }
    for field, values in named.items():
        for name in values:
            if name not in known:
                raise ConfigError(f"{field}.{name}", name, f"name one of {', '.join(sorted(known))}")
    if changes.policy is not None:
        policy_named(changes.policy)


def without_trouble(view: View) -> View:
    """The jobs that have figures to start from; one that is down has none."""
    return replace(view, jobs=tuple(job for job in view.jobs if job.figures.arrival_rps is not None))
