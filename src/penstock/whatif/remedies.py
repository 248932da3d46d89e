"""Remedies: the cheapest change by which a tenant would have what it asks for, found by trying it in the simulator.

    lever      a shorter trigger, a larger bound, smaller batches of a neighbour: nothing is bought
    limit      more of the slots that are there: a higher max_slots
    slots      more slots for all

They are tried in that order, and by size within each; the first that is enough is the cheapest. The targets that the
tenant would keep as it is are told beside whatever was found: to ask for less is a remedy, too.
"""

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from penstock.core.asked.intents import Juice, Latency, Objective
from penstock.core.asked.orders import Wish
from penstock.core.asked.price import Price
from penstock.core.levers import figure_text
from penstock.core.seen.shares import shares_of, shares_pool
from penstock.core.seen.view import JobView, View
from penstock.core.units import text_of_seconds
from penstock.whatif.answer import play
from penstock.whatif.question import Changes, Future, Past, Turn

RemedyKind = Literal["lever", "limit", "slots"]
ENOUGH = 0.9  # of the time judged: figures of a window fall below a target now and then
DEAR = 0.02  # of the utility of all: who is helped by taking more than this from others is not helped cheaply
LEAST_INTERVAL_S = 10.0  # between decisions: a policy that looks more often takes longer to simulate
SETTLING = 1 / 3  # of the simulated time, in which what waits is worked off and is not judged yet
TIMES = (1.25, 1.5, 2.0, 3.0)  # as the arbiter says what slots would do
_SHORTER = (0.5, 0.25)  # of the target, for the trigger
_LEAST_TRIGGER_S = 0.1
_KEPT = 0.9  # of the looks: a target that would have been met so often may be promised


@dataclass(frozen=True, slots=True)
class Remedy:
    """One change, in words, with its price; `wish` is what a controller can be asked for, where it can."""

    kind: RemedyKind
    what: str
    price: str
    changes: Changes
    wish: Wish | None = None


@dataclass(frozen=True, slots=True)
class Tried:
    """A remedy as it went: how often the tenant had what it asks for, and what became of all together.

    `dear`: others lose by it, all in all.
    """

    remedy: Remedy
    met: float
    share: float | None  # of the maximum utility of all
    dear: bool = False

    @property
    def enough(self) -> bool:
        """Whether the tenant would have what it asks for."""
        return self.met >= ENOUGH


@dataclass(frozen=True, slots=True)
class Remedies:
    """What was tried for one tenant, in order. `whole` is False where the time was over before a remedy was found."""

    job: str
    span_s: float
    met: float | None  # as it is, of the same simulated time
    share: float | None
    tried: tuple[Tried, ...] = ()
    keeps: tuple[float, ...] | None = None  # the targets that it would keep as it is, where it keeps less than asked
    whole: bool = True

    @property
    def cheapest(self) -> Tried | None:
        """The first that was enough, and not at the cost of others."""
        return next((tried for tried in self.tried if tried.enough and not tried.dear), None)

    @property
    def by_itself(self) -> bool:
        """Whether it would have what it asks for without any change, by the same measure."""
        return self.met is not None and self.met >= ENOUGH


def remedies(present: View, past: Past, policy: str, job: str, within_s: float) -> Remedies:
    """Try one change after the other for a tenant, from the present on, until one is enough or the time is over."""
    until_s = time.monotonic() + within_s
    past = replace(past, interval_s=max(LEAST_INTERVAL_S, past.interval_s))
    as_is = play(present, past, policy, Changes(), within_s)
    if not as_is.whole:
        return Remedies(job, past.span_s, None, None, whole=False)
    found = Remedies(
        job, past.span_s, met_once_settled(as_is, job), as_is.mean_share, keeps=_keeps(present.job(job), as_is)
    )
    if found.by_itself:
        return found
    tried: list[Tried] = []
    for remedy in candidates(present.job(job), present):
        future = play(present, past, policy, remedy.changes, max(0.0, until_s - time.monotonic()))
        if not future.whole:
            return replace(found, tried=tuple(tried), whole=False)
        dear = (future.mean_share or 0.0) < (as_is.mean_share or 0.0) - DEAR
        tried.append(Tried(remedy, met_once_settled(future, job) or 0.0, future.mean_share, dear))
        if tried[-1].enough and not dear:
            break
    return replace(found, tried=tuple(tried))


def priced(found: Remedies, slots: int | None, price: Price | None) -> Remedies:
    """The remedies with what more slots would cost; as they are where no price is given."""
    if price is None or slots is None:
        return found
    return replace(found, tried=tuple(_priced(tried, slots, price) for tried in found.tried))


def _priced(tried: Tried, slots: int, price: Price) -> Tried:
    wanted = tried.remedy.changes.slots
    if wanted is None or wanted <= slots:
        return tried
    more = price.text(price.of(wanted - slots))
    return replace(tried, remedy=replace(tried.remedy, price=f"{tried.remedy.price}, {more} an hour"))


def candidates(job: JobView, view: View) -> Iterator[Remedy]:
    """What may help a tenant, the cheapest first."""
    yield from _of_its_levers(job)
    yield from _of_neighbours(job, view)
    yield from _of_its_limit(job, view)
    yield from _of_slots(view)


def _of_its_levers(job: JobView) -> Iterator[Remedy]:
    target_s, trigger, bound = job.intent.soonest_s, job.figures.lever("trigger"), job.figures.lever("bound")
    if target_s is not None and trigger is not None and trigger.now is not None:
        shorter = (max(_LEAST_TRIGGER_S, round(part * target_s, 1)) for part in _SHORTER)
        for every_s in (value for value in shorter if value < trigger.now and value >= trigger.least):
            what = f"its batches begin every {text_of_seconds(every_s)} instead of {text_of_seconds(trigger.now)}"
            yield _turned(what, "its query starts again once", Wish("trigger", job.name, every_s))
    if bound is not None and bound.now is not None:
        for times in (2.0, 4.0):
            rows = round(times * bound.now)
            what = f"its batches take up to {figure_text('bound', rows)} instead of {figure_text('bound', bound.now)}"
            yield _turned(what, "its batches take longer", Wish("bound", job.name, rows))


def _of_neighbours(job: JobView, view: View) -> Iterator[Remedy]:
    """Smaller batches of those whose batches take longer than this tenant may wait, the longest first."""
    target_s = job.intent.soonest_s
    if target_s is None:
        return
    others = [other for other in view.jobs if other.name != job.name and (other.figures.batch_s or 0.0) > target_s]
    for other in sorted(others, key=lambda one: (-(one.figures.batch_s or 0.0), one.name))[:2]:
        bound, batches = other.figures.lever("bound"), other.figures.batches
        rows = batches[-1].rows if batches else None if bound is None else bound.now
        if bound is None or not rows:
            continue
        fewer = max(1, round(rows * target_s / (other.figures.batch_s or target_s)))
        if bound.now is None or fewer < bound.now:
            what = f"batches of {other.name} take up to {figure_text('bound', fewer)}"
            price = f"{other.name} has more batches, and their overhead"
            yield _turned(what, price, Wish("bound", other.name, fewer))


def _of_its_limit(job: JobView, view: View) -> Iterator[Remedy]:
    limit, slots, shares = job.figures.max_threads, view.slots, shares_of(view)
    if limit is None or not shares_pool(job.figures) or shares[job.name].paid_slots < limit:
        return
    for times in TIMES[1:]:
        most = math.ceil(times * limit)
        if slots is None or most <= slots:
            what = f"max_slots of {job.name} is {most} instead of {limit}"
            yield Remedy("limit", what, "others have less when it takes them", Changes(max_slots={job.name: most}))


def _of_slots(view: View) -> Iterator[Remedy]:
    have = view.slots
    for many in () if have is None else dict.fromkeys(math.ceil(times * have) for times in TIMES):
        price = f"{many - (have or 0)} more slots{_executors(view, many - (have or 0))}"
        yield Remedy("slots", f"{many} slots instead of {have}", price, Changes(slots=many))


def _executors(view: View, slots: int) -> str:
    """What that is in executors, where they tell how many slots each has."""
    offering = [machine for machine in view.machines if machine.alive and machine.slots and machine.executors]
    executors = sum(machine.executors or 0 for machine in offering)
    if not executors:
        return ""
    more = math.ceil(slots * executors / sum(machine.slots or 0 for machine in offering))
    return f": {more} more {'executor' if more == 1 else 'executors'}"


def _turned(what: str, price: str, wish: Wish) -> Remedy:
    return Remedy("lever", what, price, Changes(turns=(Turn(0.0, wish),)), wish)


def _keeps(job: JobView, as_is: Future) -> tuple[float, ...] | None:
    """The targets that it would keep as it is, objective by objective; None where all would be kept, or none can."""
    looks = [view.job(job.name) for view in judged(as_is)]
    eased = tuple(_eased(objective, looks) for objective in job.intent.objectives)
    found = tuple(target for target in eased if target is not None)
    kept = found == tuple(_target(objective) for objective in job.intent.objectives)
    return None if kept or len(found) < len(eased) else found


def _eased(objective: Objective, looks: Sequence[JobView]) -> float | None:
    if isinstance(objective, Latency):
        found = (None if (told := job.figures.latency) is None else told.at(objective.percentile) for job in looks)
        seen = sorted(latency_s for latency_s in found if latency_s is not None)
        return max(objective.target_s, _two_digits(_most_often(seen))) if seen else None
    if isinstance(objective, Juice):
        shares = sorted((job.figures.juice for job in looks if job.figures.juice is not None), reverse=True)
        kept = math.floor(20.0 * _most_often(shares)) / 20.0 if shares else 0.0
        return min(objective.target, kept) if kept > 0.0 else None
    return objective.target_s


def _target(objective: Objective) -> float:
    return objective.target if isinstance(objective, Juice) else objective.target_s


def _most_often(ranked: Sequence[float]) -> float:
    """What nine looks of ten are no worse than."""
    return ranked[math.ceil(_KEPT * len(ranked)) - 1]


def _two_digits(value: float) -> float:
    """Rounded up, to what is easier to keep.

    >>> _two_digits(3.41), _two_digits(0.0873)
    (3.5, 0.088)
    """
    unit = 10.0 ** (math.floor(math.log10(max(value, 1e-3))) - 1)
    return round(math.ceil(value / unit - 1e-9) * unit, 6)


def judged(future: Future) -> tuple[View, ...]:
    """Its looks once it has settled."""
    return future.views[math.floor(SETTLING * len(future.views)) :]


def met_once_settled(future: Future, name: str) -> float | None:
    """The share of the looks judged at which the job had all it asks for."""
    seen = [job.met for view in judged(future) for job in view.jobs if job.name == name and job.utility is not None]
    return sum(seen) / len(seen) if seen else None
