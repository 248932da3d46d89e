"""Costs: what a job's batches take, learnt from every batch that ends, with forgetting.

Cold code costs two to four times what it costs a minute later, so that what was learnt fades within some batches.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import NamedTuple

from penstock.core.batches import BatchFigures
from penstock.core.figures import ALL_OPERATORS, JobFigures
from penstock.core.view import JobView
from penstock.planning.arbiter.arriving import SteadyRate
from penstock.planning.arbiter.fitting import KEPT, LEAST_S, Squares
from penstock.planning.arbiter.warmth import Warmth

TELLING = 2  # batches of a job, before it is decided over: in the first is the query's own start
_LONGEST_WAIT_S = 60.0  # of rows of which nobody knows how many wait
_QUIET_AFTER_S, _QUIET_BATCHES = 10.0, 2.0  # no batch began for so long, and for so many: is its source dry?
_OVERDUE = 1.5  # times as long as its last batch took, or as its trigger
_QUIET = 0.5  # of the rows that were to come: where no more of them wait, it is


@dataclass(frozen=True, slots=True)
class JobCosts:
    """What is known of one job. `batches` is how many it was learnt from, `number` and `ended_s` the last of them."""

    batches: int = 0
    number: int = -1
    ended_s: float = 0.0
    began_s: float = 0.0  # when the last batch took its rows
    left_rows: float = 0.0  # by the last batch
    took_s: float = 0.0  # the last batch
    fit: Squares = Squares()  # of time in slots
    cores_fit: Squares = Squares()  # of time on cores, which neighbours do not lengthen
    tasks: float = 0.0  # of a batch
    stages: float = 0.0
    aside_s: float = 0.0  # of a batch off the slots
    cpu_share: float = 1.0  # of its tasks' time in slots, that they had a core
    busy: float = 0.0  # slots, on the whole
    busy_staged: float = 0.0  # slots while its stages are under way
    arrivals: SteadyRate | None = None
    staged: float = 1.0  # how long its stages took over how long they were foretold to
    # Of the batches that `staged` was not corrected by yet: how many, since when, their rows and their stages' time.
    fresh: int = 0
    fresh_since_s: float = 0.0
    fresh_rows: float = 0.0
    fresh_staged_s: float = 0.0
    own_bound: float | None = None  # that it came with: never loosened beyond it
    own_trigger_s: float | None = None  # that it came with
    first_seen_s: float = -inf
    warmth: Warmth = Warmth()

    @property
    def known(self) -> bool:
        """Whether a prediction can be made."""
        return self.batches > 0 and self.tasks > 0 and self.arrivals is not None

    @property
    def arrival_rps(self) -> float | None:
        """Rows a second that arrive."""
        return None if self.arrivals is None else self.arrivals.rate_rps


def learnt(costs: JobCosts | None, job: JobFigures, at_s: float = 0.0) -> JobCosts:
    """What is known once the batches that ended since were looked at; of a job never seen, from its first look on."""
    if costs is None:
        bound, trigger = job.lever("bound"), job.lever("trigger")
        costs = JobCosts(
            own_bound=None if bound is None else bound.now,
            own_trigger_s=None if trigger is None else trigger.now,
            first_seen_s=at_s - (job.up_s or 0.0),
        )
    batches = new_batches(costs, job.batches)
    if batches:
        costs = _with_batches(costs, batches)
    if costs.arrivals is None and costs.batches and job.arrival_rps is not None:
        return replace(costs, arrivals=SteadyRate(job.arrival_rps))
    return _unless_quiet(costs, job, at_s)


def _unless_quiet(costs: JobCosts, job: JobFigures, at_s: float) -> JobCosts:
    """With what came since its last batch began, where that is far less: no batch tells that nothing comes any more."""
    since_s, every_s = at_s - costs.began_s, _every_s(costs, job)
    if costs.arrivals is None or job.backlog_rows is None or since_s < max(_QUIET_AFTER_S, _QUIET_BATCHES * every_s):
        return costs
    came_rps = max(0.0, job.backlog_rows - costs.left_rows) / since_s
    # Where as much waits as a batch takes one is under way, and what waits is known when it has ended.
    waits_s = job.backlog_rows / max(costs.arrivals.rate_rps, 1e-9)
    if came_rps >= _QUIET * costs.arrivals.rate_rps or waits_s >= _QUIET * every_s:
        return costs
    return replace(costs, arrivals=SteadyRate(came_rps))


def as_of(costs: JobCosts, job: JobFigures, at_s: float) -> JobCosts:
    """With what waits by now, where the batch under way takes much longer than the last one did.

    So it does after a step of load: what is known by batches is then older than what is done about it may be.
    """
    due_s = costs.ended_s + _OVERDUE * _every_s(costs, job)
    if costs.arrivals is None or job.backlog_rows is None or at_s <= due_s:
        return costs
    return replace(costs, left_rows=max(costs.left_rows, job.backlog_rows - costs.arrivals.rate_rps * costs.took_s))


def _every_s(costs: JobCosts, job: JobFigures) -> float:
    """From one batch's end to the next one's, as it was lately."""
    trigger = job.lever("trigger")
    return max(costs.took_s, float(trigger.now or 0.0) if trigger is not None else 0.0)


def guessed(others: Sequence[JobCosts], view: JobView, at_s: float, came_with: JobCosts = JobCosts()) -> JobCosts:
    """What a job may cost of which no batch has ended yet: as little as any of the others; all its rows wait.

    Its first batch may be kept from ending by those others: it is not to be forgotten over that. Taken for dear it
    would be given up, and nobody would ever learn what it costs. Where its operators were profiled their models say
    how many slots its rows keep busy.
    """
    job, count = view.figures, len(others)
    least = {name: min(getattr(one, name) for one in others) for name in ("tasks", "stages", "aside_s")}
    task_s, row_s = (min(costs) for costs in zip(*(one.fit.costs() for one in others), strict=True))
    known_rps = [one.arrival_rps for one in others if one.arrival_rps is not None]
    rate_rps = sum(known_rps) / len(known_rps) if job.arrival_rps is None else job.arrival_rps
    rows = max(1.0, rate_rps)
    modelled = view.modelled_threads.get(ALL_OPERATORS)
    row_s = modelled / rows if modelled else row_s
    busy_s, cpu_share = least["tasks"] * task_s + rows * row_s, sum(one.cpu_share for one in others) / count
    return JobCosts(
        batches=1,
        first_seen_s=at_s - (job.up_s or 0.0),
        began_s=at_s,
        ended_s=at_s,
        left_rows=rate_rps * min(job.up_s or 0.0, _LONGEST_WAIT_S) if job.backlog_rows is None else job.backlog_rows,
        fit=Squares().with_batch(least["tasks"], rows, busy_s),
        cores_fit=Squares().with_batch(least["tasks"], rows, cpu_share * busy_s),
        tasks=least["tasks"],
        stages=least["stages"],
        aside_s=least["aside_s"],
        cpu_share=cpu_share,
        arrivals=SteadyRate(rate_rps),
        own_bound=came_with.own_bound,
        own_trigger_s=came_with.own_trigger_s,
        warmth=Warmth(cold=sum(one.warmth.cold for one in others) / count),
    )


def new_batches(costs: JobCosts, batches: Iterable[BatchFigures]) -> list[BatchFigures]:
    """Those that were not learnt from yet; another checkpoint begins to count from zero, later in time."""
    return [one for one in batches if one.number > costs.number or one.ended_s > costs.ended_s + max(1.0, costs.took_s)]


def _with_batches(costs: JobCosts, batches: Sequence[BatchFigures]) -> JobCosts:
    """More batches. A first look is at thousands: all of a job make one value, which names all its fields."""
    last, known = batches[-1], costs.batches
    arrivals, telling, between_s = _told(costs, batches)
    # A first batch has a query's own start in it: with the second one it is forgotten.
    anew = known <= 1 < known + len(telling)
    counted = telling[1 - known :] if anew else telling
    said_s: list[float] = []
    of_slots = [(float(one.tasks or 0), one.rows, one.busy_s or 0.0) for one in counted]
    of_cores = [(float(one.tasks or 0), one.rows, one.cpu_s or 0.0) for one in counted]
    fresh = _Fresh() if anew else _Fresh(costs.fresh, costs.fresh_since_s, costs.fresh_rows, costs.fresh_staged_s)
    fresh = fresh.with_batches(counted)
    cpu_shares = [_cpu_share(one) for one in telling]
    return JobCosts(
        batches=known + len(telling),
        number=last.number,
        ended_s=last.ended_s,
        began_s=last.ended_s - last.took_s,
        left_rows=last.left_rows or 0.0,
        took_s=last.took_s,
        fit=(Squares() if anew else costs.fit).with_batches(of_slots),
        cores_fit=(Squares() if anew else costs.cores_fit).with_batches(of_cores, said_s),
        tasks=_faded(known, costs.tasks, [float(one.tasks or 0) for one in telling]),
        stages=_faded(known, costs.stages, [float(one.stages or 1) for one in telling]),
        aside_s=_faded(known, costs.aside_s, [one.aside_s for one in telling]),
        cpu_share=_faded(known, costs.cpu_share, cpu_shares),
        busy=_faded(known, costs.busy, _busy(telling, between_s)),
        busy_staged=_faded(
            known, costs.busy_staged, [(one.busy_s or 0.0) / max(one.staged_s or one.took_s, 0.01) for one in telling]
        ),
        arrivals=arrivals,
        staged=costs.staged,
        fresh=fresh.batches,
        fresh_since_s=fresh.since_s,
        fresh_rows=fresh.rows,
        fresh_staged_s=fresh.staged_s,
        own_bound=costs.own_bound,
        own_trigger_s=costs.own_trigger_s,
        first_seen_s=costs.first_seen_s,
        warmth=costs.warmth.with_batches(
            zip(
                [one.ended_s - 0.5 * one.took_s - costs.first_seen_s for one in telling],
                _times(known, telling, said_s),
                cpu_shares,
                strict=True,
            ),
            KEPT,
        ),
    )


class _Fresh(NamedTuple):
    """Batches by which how long stages take was not corrected yet."""

    batches: int = 0
    since_s: float = 0.0
    rows: float = 0.0
    staged_s: float = 0.0

    def with_batches(self, batches: Iterable[BatchFigures]) -> "_Fresh":
        """With those of which that is known."""
        count, since_s, rows, staged_s = self
        for one in batches:
            if one.staged_s is not None:
                since_s = since_s if count else one.ended_s - one.took_s
                count, rows, staged_s = count + 1, rows + one.rows, staged_s + one.staged_s
        return _Fresh(count, since_s, rows, staged_s)


def _told(
    costs: JobCosts, batches: Sequence[BatchFigures]
) -> tuple[SteadyRate | None, list[BatchFigures], list[float]]:
    """What arrives by these, those that tell of costs, and the time from the end of the one before each to its own.

    What waited for a batch, and what the one before had left, say what came between their beginnings.
    """
    number, ended_s, began_s, left_rows = costs.number, costs.ended_s, costs.began_s, costs.left_rows
    arrivals, telling, between_s = costs.arrivals, [], []
    for one in batches:
        follows, begins_s, leaves = number == one.number - 1, one.ended_s - one.took_s, one.left_rows or 0.0
        if follows and number >= 0 and begins_s > began_s:
            rows = max(0.0, one.rows + leaves - left_rows)
            arrivals = (arrivals or SteadyRate(0.0)).with_rows(rows, begins_s - began_s)
        if one.busy_s is not None and one.tasks and one.rows > 0:
            telling.append(one)
            between_s.append(one.ended_s - ended_s if follows else 0.0)
        number, ended_s, began_s, left_rows = one.number, one.ended_s, begins_s, leaves
    return arrivals, telling, between_s


def _busy(telling: Sequence[BatchFigures], between_s: Sequence[float]) -> list[float]:
    """The slots that each kept busy, the time before it included."""
    return [
        (one.busy_s or 0.0) / max(one.took_s, before_s, 0.1) for one, before_s in zip(telling, between_s, strict=True)
    ]


def _cpu_share(batch: BatchFigures) -> float:
    busy_s = batch.busy_s or 0.0
    return min(1.0, (batch.cpu_s or 0.0) / busy_s) if busy_s > 0 else 1.0


def _times(known: int, telling: Sequence[BatchFigures], said_s: Sequence[float]) -> list[float | None]:
    """How many times the time on cores that those before said each took; None while none of them tells of it."""
    untold = min(max(0, TELLING - known), len(telling))
    said_s = said_s[len(said_s) - len(telling) + untold :]
    found = [(one.cpu_s or 0.0) / max(said, LEAST_S) for one, said in zip(telling[untold:], said_s, strict=True)]
    return [*[None] * untold, *found]


def _faded(known: int, before: float, values: Iterable[float | None]) -> float:
    """The mean, in which what was before fades; the second batch replaces the first."""
    for now in values:
        if now is not None:
            before = now if known <= 1 else KEPT * before + (1.0 - KEPT) * now
        known += 1
    return before
