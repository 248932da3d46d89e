"""Advice from what Spark wrote down of a run that nobody governed: what was met, and what would have done better.

Three questions are put to the simulator, all on the arrivals that really came:

    how far off is it?           the second half of the run, played on from its middle by what the first half taught
    what would penstock do?      the whole of it again, with shares and bounds decided every ten seconds
    how many slots do?           that again with fewer and with more, until all have what they ask for

and of each tenant that lacks something, what single change by hand would have been enough.
"""

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from penstock.analysis.assess import assess
from penstock.core.asked.intents import Intent
from penstock.core.asked.price import Price
from penstock.core.documents import mean
from penstock.core.run import asked_latency_s
from penstock.core.seen.figures import Snapshot
from penstock.core.seen.view import JobView, View
from penstock.errors import ConfigError
from penstock.planning.registry import DEFAULT
from penstock.whatif.answer import play, without_trouble
from penstock.whatif.question import Changes, Future, Past
from penstock.whatif.remedies import ENOUGH, Tried, judged, met_once_settled, priced, remedies
from penstock.whatif.service import Service, learnt
from penstock.whatif.trial import tried

LEAST_S = 40.0  # a run that is shorter has no halves to compare
ROUND_S = 10.0  # between decisions
TIMES = (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 3.0)  # of the slots that there were, from few to many
_LEAST_TRIED_S = 5.0  # of real time: less is not begun any more


class WrittenRun(Protocol):
    """A run that was written down: what was to be seen of it, and how its slots were shared."""

    @property
    def snapshots(self) -> Sequence[Snapshot]:
        """At even intervals."""

    @property
    def slots(self) -> int:
        """That there were."""

    @property
    def scheduling(self) -> str:
        """fifo or fair."""


@dataclass(frozen=True, slots=True)
class Went:
    """How it went for one tenant: the share of time it had what it asks for, and of its utility what it had."""

    met: float | None
    share: float | None


@dataclass(frozen=True, slots=True)
class TenantAdvice:
    """One tenant: as it really was, as the simulator plays the same, and as it plays it governed.

    `weight` and `bound` are where penstock left its levers; `off` is how far the simulator was from its share.
    """

    name: str
    intent: str
    latency_s: float | None  # that it asks about, in the mean over the run
    really: Went
    as_is: Went
    governed: Went
    weight: int | None
    bound: int | None
    off: float | None
    by_hand: Tried | None = None  # the cheapest change that was enough, where it lacked something


@dataclass(frozen=True, slots=True)
class SlotsTried:
    """The same run governed with so many slots: of the tenant that was worst off, how often it had all it asks for."""

    slots: int
    worst_met: float
    share: float

    @property
    def enough(self) -> bool:
        """Whether all had what they ask for."""
        return self.worst_met >= ENOUGH


@dataclass(frozen=True, slots=True)
class Advice:
    """All of it. Shares are of the maximum utility; `off` is the simulator's error on what it had not seen."""

    judged_s: float
    tenants: tuple[TenantAdvice, ...]
    really: float | None
    as_is: float | None
    governed: float | None
    off: float | None
    off_span_s: float | None
    slots: tuple[SlotsTried, ...]
    whole: bool  # False where the time to answer was over before all was tried
    slot_price: Price | None = None  # where somebody said what slots cost

    @property
    def enough_slots(self) -> int | None:
        """The fewest slots of those tried that were enough."""
        return next((one.slots for one in self.slots if one.enough), None)


def advise(
    history: WrittenRun, intents: Mapping[str, Intent], span_s: float, within_s: float, price: Price | None = None
) -> Advice:
    """What the last `span_s` of the run tell, asked of the simulator for at most `within_s` of real time."""
    until_s = time.monotonic() + within_s
    seen = tuple(assess(snapshot, intents) for snapshot in history.snapshots)
    views = _judgeable(seen, span_s)
    start = without_trouble(views[0])
    past = _past(views, start, learnt(views, history.slots))

    def left_s(part: float) -> float:
        return max(_LEAST_TRIED_S, part * (until_s - time.monotonic()))

    trial_off, jobs_off, off_span_s = _trial(views, history, left_s(0.2))
    as_is = play(start, past, history.scheduling, Changes(), left_s(0.3))
    governed = play(start, past, DEFAULT, Changes(), left_s(0.4))
    slots = tuple(_slots_tried(start, past, history.slots, until_s))
    tenants = tuple(_tenant(job, views, as_is, governed, jobs_off.get(job.name)) for job in start.jobs)
    tenants = tuple(_with_remedy(one, start, past, history, price, until_s) for one in tenants)
    return Advice(
        judged_s=past.span_s,
        tenants=tenants,
        really=mean([_share(view) for view in views]),
        as_is=as_is.mean_share,
        governed=governed.mean_share,
        off=trial_off,
        off_span_s=off_span_s,
        slots=slots,
        whole=as_is.whole and governed.whole and time.monotonic() < until_s,
        slot_price=price,
    )


def _judgeable(seen: Sequence[View], span_s: float) -> tuple[View, ...]:
    """The last views, from the first on in which as many tenants have figures as ever have."""
    last_s = seen[-1].at_s if seen else 0.0
    views = [view for view in seen if view.at_s >= last_s - span_s]
    most = max((len(without_trouble(view).jobs) for view in views), default=0)
    first = next((n for n, view in enumerate(views) if len(without_trouble(view).jobs) == most), 0)
    found = tuple(views[first:])
    if most == 0 or found[-1].at_s - found[0].at_s < LEAST_S:
        remedy = f"give a log in which the tenants' queries have batches for {LEAST_S:g} s or more"
        raise ConfigError("--history", f"{last_s:.0f} s", remedy)
    return found


def _past(views: Sequence[View], start: View, services: Mapping[str, Service]) -> Past:
    span_s = views[-1].at_s - start.at_s
    seconds = start.at_s + np.arange(int(span_s) + 1)
    arrivals: dict[str, Sequence[float]] = {}
    for job in start.jobs:
        known = [(view.at_s, rate) for view in views if (rate := _rate(view, job.name)) is not None]
        at_s, rates = zip(*known, strict=True)
        arrivals[job.name] = np.interp(seconds, at_s, rates).tolist()
    return Past(span_s, arrivals, ROUND_S, services)


def _rate(view: View, name: str) -> float | None:
    return next((job.figures.arrival_rps for job in view.jobs if job.name == name), None)


def _trial(
    views: Sequence[View], history: WrittenRun, within_s: float
) -> tuple[float | None, Mapping[str, float], float | None]:
    """The second half, of which the simulator knows the arrivals and nothing else."""
    middle = len(views) // 2
    before, after = views[: middle + 1], views[middle:]
    earlier = without_trouble(after[0])
    if not earlier.jobs:
        return None, {}, None
    real = [(view.at_s - earlier.at_s, share) for view in after if (share := _share(view)) is not None]
    known = {job.name: _went(after, job.name).share for job in earlier.jobs}
    real_jobs = {name: share for name, share in known.items() if share is not None}
    past = _past(after, earlier, learnt(before, history.slots))
    found = tried(earlier, past, history.scheduling, real, real_jobs, within_s)
    return (None, {}, None) if found is None else (found.off, found.jobs_off, found.span_s)


def _slots_tried(start: View, past: Past, slots: int, until_s: float) -> list[SlotsTried]:
    """From few to many, up to the first that is enough."""
    found: list[SlotsTried] = []
    for many in sorted({max(1, math.ceil(times * slots)) for times in TIMES}):
        left_s = until_s - time.monotonic()
        if left_s < _LEAST_TRIED_S:
            break
        future = play(start, past, DEFAULT, Changes(slots=many), left_s)
        if not future.whole:
            break
        worst = min((met_once_settled(future, job.name) or 0.0 for job in start.jobs), default=0.0)
        found.append(SlotsTried(many, worst, future.mean_share or 0.0))
        if found[-1].enough:
            break
    return found


def _tenant(job: JobView, views: Sequence[View], as_is: Future, governed: Future, off: float | None) -> TenantAdvice:
    last = next((one for view in governed.views[-1:] for one in view.jobs if one.name == job.name), None)
    bound = None if last is None else last.figures.lever("bound")
    return TenantAdvice(
        name=job.name,
        intent=job.intent.text(),
        latency_s=mean([asked_latency_s(one) for view in views for one in view.jobs if one.name == job.name]),
        really=_went(views, job.name),
        as_is=_simulated(as_is, job.name),
        governed=_simulated(governed, job.name),
        weight=None if last is None else last.figures.threads,
        bound=None if bound is None or bound.now is None else round(bound.now),
        off=off,
    )


def _with_remedy(
    tenant: TenantAdvice, start: View, past: Past, history: WrittenRun, price: Price | None, until_s: float
) -> TenantAdvice:
    """What would have been enough for it without penstock."""
    left_s = until_s - time.monotonic()
    if (tenant.as_is.met or 0.0) >= ENOUGH or left_s < _LEAST_TRIED_S:
        return tenant
    found = remedies(start, past, history.scheduling, tenant.name, left_s / 2)
    return replace(tenant, by_hand=priced(found, history.slots, price).cheapest)


def _went(views: Sequence[View], name: str) -> Went:
    seen = [job for view in views for job in view.jobs if job.name == name and job.utility is not None]
    met = mean([float(job.met) for job in seen])
    return Went(met, mean([(job.utility or 0.0) / job.max_utility for job in seen]))


def _simulated(future: Future, name: str) -> Went:
    looks = [job for view in judged(future) for job in view.jobs if job.name == name and job.utility is not None]
    return Went(met_once_settled(future, name), mean([(job.utility or 0.0) / job.max_utility for job in looks]))


def _share(view: View) -> float | None:
    return view.utility / view.max_utility if view.max_utility and view.jobs else None
