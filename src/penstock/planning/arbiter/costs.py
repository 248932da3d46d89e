"""Costs: what a job's batches take, as it was learnt from every batch that ended; and a guess, where none has."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, sqrt
from typing import NamedTuple

import numpy as np

from penstock.core.seen.figures import ALL_OPERATORS, JobFigures
from penstock.core.seen.view import JobView
from penstock.planning.arbiter.arriving import SteadyRate, steady
from penstock.planning.arbiter.fitting import NO_SQUARES, Squares
from penstock.planning.arbiter.warmth import NO_WARMTH, Warmth

NO_AGES = (inf,) * 3  # of a job of which no batch tells
TELLING = 2  # batches of a job, before it is decided over: in the first is the query's own start
_START_S = 4.0  # in slots, of what comes once: 0.3 to 3.9 s in runs on Spark, for 49 to 457 rows
_LONGEST_WAIT_S = 60.0  # of rows of which nobody knows how many wait
_OVERDUE = 1.5  # times as long as its last batch took, or as its trigger


class JobCosts(NamedTuple):
    """What is known of one job. `batches` is how many it was learnt from, `number` and `ended_s` the last of them."""

    batches: int = 0
    number: int = -1
    ended_s: float = 0.0
    began_s: float = 0.0  # when the last batch took its rows
    left_rows: float = 0.0  # by the last batch
    took_s: float = 0.0  # the last batch
    fit: tuple[float, ...] = NO_SQUARES  # of time in slots, as `Squares` has it
    cores_fit: tuple[float, ...] = NO_SQUARES  # of time on cores, which neighbours do not lengthen
    tasks: float = 0.0  # of a batch
    stages: float = 0.0
    aside_s: float = 0.0  # of a batch off the slots
    cpu_share: float = 1.0  # of its tasks' time in slots, that they had a core
    busy: float = 0.0  # slots, on the whole
    busy_staged: float = 0.0  # slots while its stages are under way
    arrivals: tuple[float, ...] | None = None  # as `SteadyRate` has it
    staged: float = 1.0  # how long its stages took over how long they were foretold to
    # Of the batches that `staged` was not corrected by yet: how many, since when, their rows and their stages' time.
    fresh: int = 0
    fresh_since_s: float = 0.0
    fresh_rows: float = 0.0
    fresh_staged_s: float = 0.0
    own_bound: float | None = None  # that it came with: never loosened beyond it
    own_trigger_s: float | None = None  # that it came with
    first_seen_s: float = -inf
    warmth: tuple[float, ...] = NO_WARMTH  # as `Warmth` has it
    ages_s: tuple[float, ...] = NO_AGES  # as `older_s` has them

    @property
    def known(self) -> bool:
        """Whether a prediction can be made."""
        return self.batches > 0 and self.tasks > 0 and self.arrivals is not None

    @property
    def older_s(self) -> float:
        """How much older its rows are than since they could be had: before their source has them, time goes by.

        No less, by each of its last batches that tell: a few rows that are late make one batch seem old.
        """
        least_s = min(self.ages_s)
        return least_s if least_s < inf else 0.0

    @property
    def arrival_rps(self) -> float | None:
        """Rows a second that arrive."""
        return None if self.arrivals is None else self.arrivals[0]


def as_of(costs: JobCosts, job: JobFigures, at_s: float) -> JobCosts:
    """With what waits by now, where more came than was known to, or a batch is under way for much longer than usual.

    So it is after a step of load: what is known by batches is then older than what is done about it may be.
    """
    costs = _risen(costs, job, at_s)
    due_s = costs.ended_s + _OVERDUE * usual_s(costs, job)
    rate_rps = costs.arrival_rps
    if rate_rps is None or job.backlog_rows is None or at_s <= due_s:
        return costs
    return costs._replace(left_rows=max(costs.left_rows, job.backlog_rows - rate_rps * costs.took_s))


def _risen(costs: JobCosts, job: JobFigures, at_s: float) -> JobCosts:
    """With what came since its last batch began, where that is more than it was known to and than a portion may be.

    Less tells nothing: what waits may have been looked up a while ago. Nor does what a source hands over from one batch
    to the next in one go: it is taken to have come in as long as that at the least.
    """
    left_unknown = any(one.left_rows is None for one in job.batches if one.number == costs.number)
    if costs.arrivals is None or job.backlog_rows is None or left_unknown or at_s <= costs.began_s:
        return costs
    in_s = max(at_s - costs.began_s, usual_s(costs, job))
    found = SteadyRate(*costs.arrivals).if_more(max(0.0, job.backlog_rows - costs.left_rows), in_s)
    return costs._replace(arrivals=tuple(map(float, found)))


def usual_s(costs: JobCosts, job: JobFigures) -> float:
    """From one batch's end to the next one's, as it was lately."""
    trigger = job.lever("trigger")
    return max(costs.took_s, float(trigger.now or 0.0) if trigger is not None else 0.0)


@dataclass(frozen=True, slots=True)
class LeastCosts:
    """The least that any of some jobs costs, and what these have in the mean: what another one is taken for."""

    tasks: float
    stages: float
    aside_s: float
    task_s: float
    row_s: float
    cpu_share: float
    cold: float
    arrival_rps: float


def least_of(others: Sequence[JobCosts]) -> LeastCosts:
    """Of all of these, of which there are some."""
    task_s, row_s = Squares(*np.array([one.fit for one in others]).T).costs()
    cold = Warmth(*np.array([one.warmth for one in others]).T).cold
    known_rps = [one.arrival_rps for one in others if one.arrival_rps is not None]
    return LeastCosts(
        tasks=min(one.tasks for one in others),
        stages=min(one.stages for one in others),
        aside_s=min(one.aside_s for one in others),
        task_s=float(task_s.min()),
        row_s=float(row_s.min()),
        cpu_share=sum(one.cpu_share for one in others) / len(others),
        cold=float(np.mean(cold)),
        arrival_rps=sum(known_rps) / len(known_rps),
    )


def guessed(least: LeastCosts, view: JobView, at_s: float, came_with: JobCosts) -> JobCosts:
    """What a job may cost of which no batch has ended yet: as little as any of the others; all its rows wait.

    Its first batch may be kept from ending by those others: it is not to be forgotten over that. Taken for dear it
    would be given up, and nobody would ever learn what it costs. Where its operators were profiled their models say
    how many slots its rows keep busy.
    """
    job = view.figures
    rate_rps = least.arrival_rps if job.arrival_rps is None else job.arrival_rps
    rows = max(1.0, rate_rps)
    modelled = view.modelled_threads.get(ALL_OPERATORS)
    busy_s = least.tasks * least.task_s + (float(modelled) if modelled else rows * least.row_s)
    return JobCosts(
        batches=1,
        first_seen_s=at_s - (job.up_s or 0.0),
        began_s=at_s,
        ended_s=at_s,
        left_rows=rate_rps * min(job.up_s or 0.0, _LONGEST_WAIT_S) if job.backlog_rows is None else job.backlog_rows,
        fit=_fit(least.tasks, rows, busy_s),
        cores_fit=_fit(least.tasks, rows, least.cpu_share * busy_s),
        tasks=least.tasks,
        stages=least.stages,
        aside_s=least.aside_s,
        cpu_share=least.cpu_share,
        arrivals=steady(rate_rps),
        own_bound=came_with.own_bound,
        own_trigger_s=came_with.own_trigger_s,
        warmth=(least.cold, *NO_WARMTH[1:]),
    )


def without_start(costs: JobCosts, least: LeastCosts) -> JobCosts:
    """What a job costs of which a single batch has ended, its query's own start in it, which comes once.

    Of few rows that start is nearly all: told as theirs it makes each row ten times as dear as it is. So what is no
    more than a start takes is taken for one, and the rows are taken to cost as little as those of any of the others.
    """
    of = Squares(*costs.fit)
    if not of.tasks_rows:
        return costs
    # Of one batch these are (tasks / busy_s)^2, and tasks rows / busy_s^2.
    busy_s, rows = costs.tasks / sqrt(of.tasks_tasks), costs.tasks * float(of.tasks_rows / of.tasks_tasks)
    kept_s = max(costs.tasks * least.task_s + rows * least.row_s, busy_s - _START_S)
    if kept_s >= busy_s:
        return costs
    usual = max(rows, costs.arrival_rps or 0.0)  # as many as come in a second: few rows say little of what each takes
    kept_s += (usual - rows) * least.row_s
    return costs._replace(
        fit=_fit(costs.tasks, usual, kept_s),
        cores_fit=_fit(costs.tasks, usual, least.cpu_share * kept_s),
        cpu_share=least.cpu_share,
        aside_s=min(costs.aside_s, least.aside_s),
    )


def _fit(tasks: float, rows: float, busy_s: float) -> tuple[float, ...]:
    """Of one batch."""
    return tuple(map(float, Squares.of_batch(tasks, rows, busy_s)))
