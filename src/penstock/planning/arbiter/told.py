"""Told: what the batches that ended since the last look tell of all jobs' costs, and of what arrives.

Cold code costs two to four times what it costs a minute later, so that what was learnt fades within some batches. What
fades goes through the first new batch of every job at once, then through the second of all that have one, and so on:
there may be thousands of jobs. So batches are columns, with a place for each, and so is what is known of jobs.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from penstock.core.arrays import Floats
from penstock.core.batches import BatchFigures
from penstock.core.figures import JobFigures
from penstock.planning.arbiter.arriving import SteadyRate, steady
from penstock.planning.arbiter.costs import TELLING, JobCosts, usual_s
from penstock.planning.arbiter.fitting import KEPT, LEAST_S, Squares
from penstock.planning.arbiter.warmth import Warmth

_QUIET_AFTER_S, _QUIET_BATCHES = 10.0, 2.0  # no batch began for so long, and for so many: is its source dry?
_QUIET = 0.5  # of the rows that were to come: where no more of them wait, it is


def learnt(known: Mapping[str, JobCosts], jobs: Iterable[JobFigures], at_s: float = 0.0) -> dict[str, JobCosts]:
    """What is known of each once the batches that ended since were looked at; of a new job, from its first look on."""
    figures = {job.name: job for job in jobs}
    costs = {name: known.get(name) or _first_seen(job, at_s) for name, job in figures.items()}
    told = {name: new for name, job in figures.items() if (new := _new(costs[name], job.batches))}
    if told:
        after = _with_batches([costs[name] for name in told], list(told.values()))
        costs.update(zip(told, after, strict=True))
    return {name: _arriving(costs[name], job, at_s) for name, job in figures.items()}


def _first_seen(job: JobFigures, at_s: float) -> JobCosts:
    bound, trigger = job.lever("bound"), job.lever("trigger")
    return JobCosts(
        own_bound=None if bound is None else bound.now,
        own_trigger_s=None if trigger is None else trigger.now,
        first_seen_s=at_s - (job.up_s or 0.0),
    )


def _new(costs: JobCosts, batches: Sequence[BatchFigures]) -> list[BatchFigures]:
    """Those that were not learnt from yet; another checkpoint begins to count from zero, later in time."""
    number, later_s = costs.number, costs.ended_s + max(1.0, costs.took_s)
    return [one for one in batches if one.number > number or one.ended_s > later_s]


def _arriving(costs: JobCosts, job: JobFigures, at_s: float) -> JobCosts:
    """With what arrives by the engine's word, as long as no batch tells."""
    if costs.arrivals is None and costs.batches and job.arrival_rps is not None:
        return costs._replace(arrivals=steady(job.arrival_rps))
    return _unless_quiet(costs, job, at_s)


def _unless_quiet(costs: JobCosts, job: JobFigures, at_s: float) -> JobCosts:
    """With what came since its last batch began, where that is far less: no batch tells that nothing comes any more."""
    since_s, rate_rps = at_s - costs.began_s, costs.arrival_rps
    if rate_rps is None or job.backlog_rows is None or since_s < _QUIET_AFTER_S:
        return costs
    every_s = usual_s(costs, job)
    came_rps = max(0.0, job.backlog_rows - costs.left_rows) / since_s
    # Where as much waits as a batch takes one is under way, and what waits is known when it has ended.
    waits_s = job.backlog_rows / max(rate_rps, 1e-9)
    if since_s < _QUIET_BATCHES * every_s or came_rps >= _QUIET * rate_rps or waits_s >= _QUIET * every_s:
        return costs
    return costs._replace(arrivals=steady(came_rps))


class _Batches(NamedTuple):
    """Batches of all jobs, those of each one after the other; what is not known of one is NaN."""

    number: Floats
    ended_s: Floats
    took_s: Floats
    rows: Floats
    left_rows: Floats
    stages: Floats
    tasks: Floats
    busy_s: Floats
    cpu_s: Floats
    staged_s: Floats


_OF_BATCH = attrgetter(*_Batches._fields)


class _Mark(NamedTuple):
    """Where a batch stands: its number, when it began and ended, how long it took, and the rows that it left."""

    number: Floats
    ended_s: Floats
    began_s: Floats
    left_rows: Floats
    took_s: Floats


_OF_LAST = attrgetter(*_Mark._fields)


class _Means(NamedTuple):
    """What fades from batch to batch, of each; `aside_s` is NaN where it is not known."""

    tasks: Floats
    stages: Floats
    aside_s: Floats
    cpu_share: Floats
    busy: Floats
    busy_staged: Floats


class _Fresh(NamedTuple):
    """Batches by which how long stages take was not corrected yet."""

    fresh: Floats
    fresh_since_s: Floats
    fresh_rows: Floats
    fresh_staged_s: Floats


_OF_JOB = attrgetter("batches", *_Means._fields, *_Fresh._fields)
_PARTS = np.cumsum([1, *(len(part._fields) for part in (_Means, _Fresh, Squares, Squares))])  # of a job's table


def _with_batches(costs: Sequence[JobCosts], told: Sequence[Sequence[BatchFigures]]) -> list[JobCosts]:
    """Each job's after its new batches, of which each has some."""
    counts = np.array([len(new) for new in told])
    whose, ends = np.repeat(np.arange(len(told)), counts), np.cumsum(counts)
    batches = _Batches(*_columns([_OF_BATCH(one) for new in told for one in new]))
    began_s, left_rows = batches.ended_s - batches.took_s, _or_none(batches.left_rows)
    marks = np.array([batches.number, batches.ended_s, began_s, left_rows, batches.took_s])
    before = np.roll(marks, 1, axis=1)
    before[:, ends - counts] = _columns([_OF_LAST(one) for one in costs])
    mark, earlier = _Mark(*marks), _Mark(*before)
    rates = _rates(costs, whose, batches.rows, mark, earlier)
    known = _known(costs, whose, batches, mark, earlier)
    last = marks[:, ends - 1].T.tolist()
    return [_costs(*one) for one in zip(costs, last, known.T.tolist(), rates, strict=True)]


def _columns(rows: Sequence[Sequence[float | None]]) -> Floats:
    return np.ascontiguousarray(np.array(rows, dtype=float).T)


def _or_none(figures: Floats) -> Floats:
    """None where it is not known."""
    found: Floats = np.where(np.isnan(figures), 0.0, figures)
    return found


def _rates(
    costs: Sequence[JobCosts], whose: NDArray[np.intp], rows: Floats, mark: _Mark, earlier: _Mark
) -> list[tuple[float, ...] | None]:
    """What waited for a batch, and what the one before had left, say what came between their beginnings."""
    follows = (earlier.number >= 0.0) & (earlier.number == mark.number - 1.0)
    which = np.flatnonzero(follows & (mark.began_s > earlier.began_s))
    whose = whose[which]
    came = np.maximum(0.0, rows + mark.left_rows - earlier.left_rows)[which]
    in_s = (mark.began_s - earlier.began_s)[which]
    table = _columns([one.arrivals or steady(0.0) for one in costs])
    for at in _in_turn(whose):
        table[:, whose[at]] = SteadyRate(*table[:, whose[at]]).with_rows(came[at], in_s[at])
    told = set(whose.tolist())
    return [
        tuple(rate) if place in told else one.arrivals
        for place, (one, rate) in enumerate(zip(costs, table.T.tolist(), strict=True))
    ]


def _known(
    costs: Sequence[JobCosts], whose: NDArray[np.intp], batches: _Batches, mark: _Mark, earlier: _Mark
) -> Floats:
    """The table of what is known of jobs by those batches that tell of their costs."""
    which = np.flatnonzero((batches.tasks > 0.0) & (batches.rows > 0.0) & ~np.isnan(batches.busy_s))
    follows = earlier.number == mark.number - 1.0
    between_s = np.where(follows, mark.ended_s - earlier.ended_s, 0.0)
    whose = whose[which]
    first_seen_s = np.array([one.first_seen_s for one in costs])[whose]
    lessons = _lessons(_Batches(*(of[which] for of in batches)), between_s[which], first_seen_s)
    table = _columns([(*_OF_JOB(one), *one.fit, *one.cores_fit, *one.warmth) for one in costs])
    for at in _in_turn(whose):
        table[:, whose[at]] = _after(table[:, whose[at]], _Lessons(*(of[..., at] for of in lessons)))
    return table


class _Lessons(NamedTuple):
    """What batches say, each by itself; of means and of what is fresh there are several columns."""

    tasks: Floats
    rows: Floats
    busy_s: Floats
    cpu_s: Floats
    cpu_share: Floats
    age_s: Floats  # of its code
    means: Floats
    fresh: Floats


def _lessons(of: _Batches, between_s: Floats, first_seen_s: Floats) -> _Lessons:
    """`between_s` is from the end of the batch before to the end of each."""
    cpu_s, on_slots = _or_none(of.cpu_s), of.busy_s > 0.0
    cpu_share = np.where(on_slots, np.minimum(1.0, cpu_s / np.where(on_slots, of.busy_s, 1.0)), 1.0)
    means = _Means(
        of.tasks,
        np.where(of.stages > 0.0, of.stages, 1.0),
        np.maximum(0.0, of.took_s - of.staged_s),
        cpu_share,
        of.busy_s / np.maximum(np.maximum(of.took_s, between_s), 0.1),
        of.busy_s / np.maximum(np.where(of.staged_s > 0.0, of.staged_s, of.took_s), 0.01),
    )
    staged = ~np.isnan(of.staged_s)
    fresh = _Fresh(staged, of.ended_s - of.took_s, np.where(staged, of.rows, 0.0), _or_none(of.staged_s))
    age_s = of.ended_s - 0.5 * of.took_s - first_seen_s
    return _Lessons(of.tasks, of.rows, of.busy_s, cpu_s, cpu_share, age_s, np.array(means), np.array(fresh))


def _after(table: Floats, told: _Lessons) -> Floats:
    """The table of some jobs after a batch of each. The first has a query's own start in it: the second replaces it."""
    batches, means, fresh, fit, cores_fit, warmth = np.split(table, _PARTS)
    kept = np.where(batches[0] < TELLING, 0.0, KEPT)
    on_cores = Squares(*cores_fit)
    task_s, row_s = on_cores.costs()
    times = told.cpu_s / np.maximum(told.tasks * task_s + told.rows * row_s, LEAST_S)
    return np.concatenate(
        [
            batches + 1.0,
            np.where(np.isnan(told.means), means, kept * means + (1.0 - kept) * told.means),
            _with_fresh(_Fresh(*np.where(kept > 0.0, fresh, 0.0)), _Fresh(*told.fresh)),
            Squares(*fit).with_batch(told.tasks, told.rows, told.busy_s, kept),
            on_cores.with_batch(told.tasks, told.rows, told.cpu_s, kept),
            Warmth(*warmth).with_batch(told.age_s, times, told.cpu_share, kept),
        ]
    )


def _with_fresh(known: _Fresh, told: _Fresh) -> _Fresh:
    begins = (known.fresh == 0.0) & (told.fresh > 0.0)
    return _Fresh(
        known.fresh + told.fresh,
        np.where(begins, told.fresh_since_s, known.fresh_since_s),
        known.fresh_rows + told.fresh_rows,
        known.fresh_staged_s + told.fresh_staged_s,
    )


def _in_turn(whose: NDArray[np.intp]) -> Iterator[NDArray[np.intp]]:
    """The places of every job's first batch, then of the second of all that have one, and so on.

    >>> [places.tolist() for places in _in_turn(np.array([0, 0, 1, 4, 4, 4]))]
    [[0, 2, 3], [1, 4], [5]]
    """
    begins = np.flatnonzero(np.diff(whose, prepend=-1))
    turns = np.arange(len(whose)) - np.repeat(begins, np.diff(begins, append=len(whose)))
    for turn in range(int(turns.max(initial=-1)) + 1):
        yield np.flatnonzero(turns == turn)


def _costs(
    before: JobCosts, last: Sequence[float], row: Sequence[float], arrivals: tuple[float, ...] | None
) -> JobCosts:
    """One job's, by its last batch and its row of the table."""
    number, ended_s, began_s, left_rows, took_s = last
    batches, tasks, stages, aside_s, cpu_share, busy, busy_staged, fresh, since_s, fresh_rows, fresh_staged_s = row[:11]
    return JobCosts(
        batches=int(batches),
        number=int(number),
        ended_s=ended_s,
        began_s=began_s,
        left_rows=left_rows,
        took_s=took_s,
        fit=tuple(row[11:16]),
        cores_fit=tuple(row[16:21]),
        tasks=tasks,
        stages=stages,
        aside_s=aside_s,
        cpu_share=cpu_share,
        busy=busy,
        busy_staged=busy_staged,
        arrivals=arrivals,
        staged=before.staged,
        fresh=int(fresh),
        fresh_since_s=since_s,
        fresh_rows=fresh_rows,
        fresh_staged_s=fresh_staged_s,
        own_bound=before.own_bound,
        own_trigger_s=before.own_trigger_s,
        first_seen_s=before.first_seen_s,
        warmth=tuple(row[21:]),
    )
