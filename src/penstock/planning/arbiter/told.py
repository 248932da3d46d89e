"""Told: what the batches that ended since the last look tell of all jobs' costs, and of what arrives.

Cold code costs two to four times what it costs a minute later, so that what was learnt fades within some batches. What
fades goes through the first new batch of every job at once, then through the second of all that have one, and so on:
there may be thousands of jobs. So batches are columns, with a place for each, and so is what is known of jobs.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from operator import attrgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from penstock.core.arrays import Floats
from penstock.core.seen.batches import MOST, BatchFigures
from penstock.core.seen.figures import JobFigures
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
    new = {name: new for name, job in figures.items() if (new := _new(costs[name], job.batches))}
    told, batches = _measured(new)
    if told:
        after = _with_batches([costs[name] for name in told], list(told.values()), batches)
        costs.update(zip(told, after, strict=True))
    return {name: _arriving(costs[name], job, at_s) for name, job in figures.items()}


def _first_seen(job: JobFigures, at_s: float) -> JobCosts:
    now = {dial.kind: dial.now for dial in job.levers}
    return JobCosts(own_bound=now.get("bound"), own_trigger_s=now.get("trigger"), first_seen_s=at_s - (job.up_s or 0.0))


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
    waited_s: Floats


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
    """What is known in the mean; `aside_s` is NaN where a batch does not tell."""

    tasks: Floats
    stages: Floats
    aside_s: Floats
    cpu_share: Floats
    busy: Floats
    busy_staged: Floats


class _Fresh(NamedTuple):
    """Batches by which how long stages take was not corrected yet, all together."""

    fresh: Floats
    fresh_rows: Floats
    fresh_staged_s: Floats


_OF_JOB = attrgetter(*_Means._fields, *_Fresh._fields)
_PARTS = np.cumsum([len(part._fields) for part in (_Means, _Fresh, Squares)])  # of a job's column
_FIGURES = ("batches", "fresh_since_s", *_Means._fields, *_Fresh._fields)
_TABLES = np.cumsum([len(_FIGURES), len(Squares._fields), len(Squares._fields)])  # where another one begins
_KEPT_AS_THEY_ARE = ("staged", "own_bound", "own_trigger_s", "first_seen_s")
_OF_BEFORE = attrgetter(*_KEPT_AS_THEY_ARE)


def _measured(new: Mapping[str, Sequence[BatchFigures]]) -> tuple[dict[str, int], Floats]:
    """How many of its batches each job can learn from, where there are any; and the columns of these, as `_Batches`."""
    batches = list(chain.from_iterable(new.values()))
    if not batches:
        return {}, np.empty((len(_Batches._fields), 0))
    columns = _columns(map(_OF_BATCH, batches))
    # What is not known is NaN here, and so is what is no figure: only such a batch is asked itself which it is.
    doubtful = np.flatnonzero(~(np.abs(columns) <= MOST).all(axis=0))
    if all(batches[place].is_measured for place in doubtful):
        return {name: len(some) for name, some in new.items()}, columns
    kept = {name: [one for one in some if one.is_measured] for name, some in new.items()}
    return _measured({name: some for name, some in kept.items() if some})


def _with_batches(costs: Sequence[JobCosts], counted: Sequence[int], columns: Floats) -> list[JobCosts]:
    """Each job's after its new batches, of which each has so many, and at least one."""
    counts, batches = np.array(counted), _Batches(*columns)
    whose, ends = np.repeat(np.arange(len(counts)), counts), np.cumsum(counts)
    began_s, left_rows = batches.ended_s - batches.took_s, _or_none(batches.left_rows)
    marks = np.array([batches.number, batches.ended_s, began_s, left_rows, batches.took_s])
    before = np.roll(marks, 1, axis=1)
    before[:, ends - counts] = _columns(map(_OF_LAST, costs))
    mark, earlier = _Mark(*marks), _Mark(*before)
    rates = _rates(costs, whose, batches.rows, mark, earlier)
    ages_s = _ages_s(costs, whose, batches, mark, earlier)
    known = _known(costs, whose, batches, mark, earlier)
    return _costs(costs, marks[:, ends - 1], known, rates, ages_s)


def _columns(rows: Iterable[Sequence[float | None]]) -> Floats:
    """The columns of rows that are alike long, of which there are some; one row after the other, for they are many."""
    rows = iter(rows)
    first = next(rows)
    figures = np.array(list(chain(first, chain.from_iterable(rows))), dtype=float)
    return np.ascontiguousarray(figures.reshape(-1, len(first)).T)


def _or_none(figures: Floats) -> Floats:
    """None where it is not known."""
    found: Floats = np.where(np.isnan(figures), 0.0, figures)
    return found


def _follows(mark: _Mark, earlier: _Mark) -> NDArray[np.bool_]:
    """Whether it came right after the batch before it that is known."""
    found: NDArray[np.bool_] = (earlier.number >= 0.0) & (earlier.number == mark.number - 1.0)
    return found


def _rates(
    costs: Sequence[JobCosts], whose: NDArray[np.intp], rows: Floats, mark: _Mark, earlier: _Mark
) -> list[tuple[float, ...] | None]:
    """What waited for a batch, and what the one before had left, say what came between their beginnings."""
    which = np.flatnonzero(_follows(mark, earlier) & (mark.began_s > earlier.began_s))
    whose = whose[which]
    came = np.maximum(0.0, rows + mark.left_rows - earlier.left_rows)[which]
    in_s = (mark.began_s - earlier.began_s)[which]
    nothing = steady(0.0)
    table = _columns(one.arrivals or nothing for one in costs)
    for at in _in_turn(whose):
        table[:, whose[at]] = SteadyRate(*table[:, whose[at]]).with_rows(came[at], in_s[at])
    told = np.zeros(len(costs), dtype=bool)
    told[whose] = True
    return [
        rate if new else one.arrivals
        for one, rate, new in zip(costs, zip(*table.tolist(), strict=True), told.tolist(), strict=True)
    ]


def _ages_s(
    costs: Sequence[JobCosts], whose: NDArray[np.intp], of: _Batches, mark: _Mark, earlier: _Mark
) -> list[tuple[float, ...]]:
    """How much older rows were than since the batch before took all there were, by the last batches that tell.

    Rows came evenly meanwhile, so in the mean they are half as old as that. Where one of both left rows, or nobody says
    whether it did, their age may be that of a backlog.
    """
    took_all = (of.left_rows == 0.0) & (earlier.left_rows == 0.0)
    which = np.flatnonzero(_follows(mark, earlier) & took_all & ~np.isnan(of.waited_s))
    older_s = np.maximum(0.0, of.waited_s - 0.5 * (mark.began_s - earlier.began_s))[which]
    table, whose = _columns(one.ages_s for one in costs), whose[which]
    for at in _in_turn(whose):
        table[:, whose[at]] = np.concatenate([table[1:, whose[at]], older_s[at][None, :]])
    return _rows(table)


def _known(
    costs: Sequence[JobCosts], whose: NDArray[np.intp], batches: _Batches, mark: _Mark, earlier: _Mark
) -> Floats:
    """The table of what is known of jobs by those batches that tell of their costs: as `_costs` reads it."""
    which = np.flatnonzero((batches.tasks > 0.0) & (batches.rows > 0.0) & ~np.isnan(batches.busy_s))
    between_s = np.where(earlier.number == mark.number - 1.0, mark.ended_s - earlier.ended_s, 0.0)[which]
    batches, whose = _Batches(*(of[which] for of in batches)), whose[which]
    known = np.array([one.batches for one in costs])
    # A first batch has a query's own start in it: the second one replaces it.
    kept = np.where(known[whose] + _turns(whose) < TELLING, 0.0, KEPT)
    means, cpu_s, staged = _means(batches, between_s), _or_none(batches.cpu_s), ~np.isnan(batches.staged_s)
    fresh = _Fresh(staged, np.where(staged, batches.rows, 0.0), _or_none(batches.staged_s))
    fit, cores_fit = (Squares.of_batch(batches.tasks, batches.rows, took_s) for took_s in (batches.busy_s, cpu_s))
    untold = np.isnan(means)
    added = np.concatenate([np.where(untold, 0.0, (1.0 - kept) * means), fresh, fit, cores_fit])
    keeps = np.broadcast_to(kept, added.shape).copy()
    keeps[: _PARTS[0]][untold] = 1.0
    keeps[_PARTS[0] : _PARTS[1]] = kept > 0.0
    table = _columns((*_OF_JOB(one), *one.fit, *one.cores_fit) for one in costs)
    after, before = _faded(table, whose, keeps, added)
    task_s, row_s = Squares(*before[_PARTS[2] :]).costs()
    times = cpu_s / np.maximum(batches.tasks * task_s + batches.rows * row_s, LEAST_S)
    warmth = _warmth(costs, whose, batches, times, means[_Means._fields.index("cpu_share")], kept)
    since_s = np.array([one.fresh_since_s for one in costs])
    begins = staged & (keeps[_PARTS[0]] * before[_PARTS[0]] == 0.0)
    since_s[whose[begins]] = (batches.ended_s - batches.took_s)[begins]
    return np.concatenate([[known + np.bincount(whose, minlength=len(costs)), since_s], after, warmth])


def _means(of: _Batches, between_s: Floats) -> Floats:
    """Of each batch by itself; `between_s` is from the end of the one before to its own."""
    on_slots = of.busy_s > 0.0
    cpu_share = np.minimum(1.0, _or_none(of.cpu_s) / np.where(on_slots, of.busy_s, 1.0))
    means = _Means(
        of.tasks,
        np.where(of.stages > 0.0, of.stages, 1.0),
        np.maximum(0.0, of.took_s - of.staged_s),
        np.where(on_slots, cpu_share, 1.0),
        of.busy_s / np.maximum(np.maximum(of.took_s, between_s), 0.1),
        of.busy_s / np.maximum(np.where(of.staged_s > 0.0, of.staged_s, of.took_s), 0.01),
    )
    return np.array(means)


def _faded(table: Floats, whose: NDArray[np.intp], keeps: Floats, added: Floats) -> tuple[Floats, Floats]:
    """The table once every batch has added its own and left so much of what was; and what was before each of them."""
    after, before = table.copy(), np.empty(added.shape)
    for at in _in_turn(whose):
        before[:, at] = after[:, whose[at]]
        after[:, whose[at]] = keeps[:, at] * before[:, at] + added[:, at]
    return after, before


def _warmth(
    costs: Sequence[JobCosts], whose: NDArray[np.intp], of: _Batches, times: Floats, cpu_share: Floats, kept: Floats
) -> Floats:
    table = _columns(one.warmth for one in costs)
    age_s = of.ended_s - 0.5 * of.took_s - np.array([one.first_seen_s for one in costs])[whose]
    for at in _in_turn(whose):
        before = Warmth(*table[:, whose[at]])
        table[:, whose[at]] = before.with_batch(age_s[at], times[at], cpu_share[at], kept[at])
    return table


def _turns(whose: NDArray[np.intp]) -> NDArray[np.intp]:
    """Which batch of its job each is, counted from 0."""
    begins = np.flatnonzero(np.diff(whose, prepend=-1))
    turns: NDArray[np.intp] = np.arange(len(whose)) - np.repeat(begins, np.diff(begins, append=len(whose)))
    return turns


def _in_turn(whose: NDArray[np.intp]) -> Iterator[NDArray[np.intp]]:
    """The places of every job's first batch, then of the second of all that have one, and so on.

    >>> [places.tolist() for places in _in_turn(np.array([0, 0, 1, 4, 4, 4]))]
    [[0, 2, 3], [1, 4], [5]]
    """
    turns = _turns(whose)
    for turn in range(int(turns.max(initial=-1)) + 1):
        yield np.flatnonzero(turns == turn)


def _costs(
    before: Sequence[JobCosts],
    last: Floats,
    known: Floats,
    rates: Sequence[tuple[float, ...] | None],
    ages_s: Sequence[tuple[float, ...]],
) -> list[JobCosts]:
    """All jobs', by the marks of their last batches and by the table."""
    figures, fit, cores_fit, warmth = np.split(known, _TABLES)
    kept = zip(*map(_OF_BEFORE, before), strict=True)
    columns = {
        **dict(zip(_KEPT_AS_THEY_ARE, kept, strict=True)),
        **dict(zip(_Mark._fields, last.tolist(), strict=True)),
        **dict(zip(_FIGURES, figures.tolist(), strict=True)),
        "arrivals": rates,
        "ages_s": ages_s,
        **{name: _rows(of) for name, of in (("fit", fit), ("cores_fit", cores_fit), ("warmth", warmth))},
    }
    for counted in ("batches", "number", "fresh"):
        columns[counted] = list(map(int, columns[counted]))
    return list(map(JobCosts._make, zip(*(columns[name] for name in JobCosts._fields), strict=True)))


def _rows(columns: Floats) -> list[tuple[float, ...]]:
    return list(zip(*columns.tolist(), strict=True))
