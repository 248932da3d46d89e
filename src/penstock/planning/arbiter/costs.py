"""Costs: what a job's batches take, learnt from every batch that ends, with forgetting.

    slot time of a batch = tasks x task_s + rows x row_s

Cold code costs two to four times what it costs a minute later, so that what was learnt fades within some batches.
Where all batches have about as many rows the two terms cannot be told apart: then a task is taken to cost what tasks
of Spark cost by experience, and the rest is the rows'.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import inf

from penstock.core.batches import BatchFigures
from penstock.core.figures import ALL_OPERATORS, JobFigures
from penstock.core.view import JobView
from penstock.planning.arbiter.arriving import SteadyRate
from penstock.planning.arbiter.warmth import Warmth

TELLING = 2  # batches of a job, before it is decided over: in the first is the query's own start
KEPT = 0.75  # of what was known, when a batch ends: four batches on, a third is left
TASK_S = 0.01  # a task's own slot time, where nothing tells: starting it, sending its result
TASK_TRUST = 0.02  # of that experience, in batches
_LONGEST_WAIT_S = 60.0  # of rows of which nobody knows how many wait
_LEAST_S = 1e-4  # of slot time in a batch: less is not measured


@dataclass(frozen=True, slots=True)
class Squares:
    """Fading sums of a least-squares fit of slot time on tasks and rows, each batch relative to its own size."""

    tasks_tasks: float = 0.0
    tasks_rows: float = 0.0
    rows_rows: float = 0.0
    tasks_busy: float = 0.0
    rows_busy: float = 0.0

    def with_batch(self, tasks: float, rows: float, busy_s: float) -> "Squares":
        """One batch more; what was known before fades."""
        trust = 1.0 / max(busy_s, _LEAST_S) ** 2
        return Squares(
            KEPT * self.tasks_tasks + trust * tasks * tasks,
            KEPT * self.tasks_rows + trust * tasks * rows,
            KEPT * self.rows_rows + trust * rows * rows,
            KEPT * self.tasks_busy + trust * tasks * busy_s,
            KEPT * self.rows_busy + trust * rows * busy_s,
        )

    def costs(self) -> tuple[float, float]:
        """Seconds of slot time for a task and for a row; neither is negative."""
        prior = TASK_TRUST * self.tasks_tasks
        tt, tb = self.tasks_tasks + prior, self.tasks_busy + prior * TASK_S
        determinant = tt * self.rows_rows - self.tasks_rows**2
        if determinant <= 0.0 or self.rows_rows <= 0.0:
            return (tb / tt if tt > 0 else TASK_S), 0.0
        task_s = (tb * self.rows_rows - self.tasks_rows * self.rows_busy) / determinant
        row_s = (self.rows_busy - task_s * self.tasks_rows) / self.rows_rows
        if task_s < 0.0:
            return 0.0, max(0.0, self.rows_busy / self.rows_rows)
        if row_s < 0.0:
            return (tb / tt), 0.0
        return task_s, row_s


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
        bound = job.lever("bound")
        costs = JobCosts(own_bound=None if bound is None else bound.now, first_seen_s=at_s - (job.up_s or 0.0))
    for batch in new_batches(costs, job.batches):
        costs = _with_batch(costs, batch)
    if costs.arrivals is None and costs.batches and job.arrival_rps is not None:
        return replace(costs, arrivals=SteadyRate(job.arrival_rps))
    return costs


def guessed(others: Sequence[JobCosts], view: JobView, at_s: float, own_bound: float | None = None) -> JobCosts:
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
        own_bound=own_bound,
        warmth=Warmth(cold=sum(one.warmth.cold for one in others) / count),
    )


def new_batches(costs: JobCosts, batches: Iterable[BatchFigures]) -> list[BatchFigures]:
    """Those that were not learnt from yet; another checkpoint begins to count from zero, later in time."""
    return [one for one in batches if one.number > costs.number or one.ended_s > costs.ended_s + max(1.0, costs.took_s)]


def _with_batch(costs: JobCosts, batch: BatchFigures) -> JobCosts:
    """One batch more. A first look is at thousands of these: each makes one value, which names all its fields."""
    began_s, left_rows, arrivals = batch.ended_s - batch.took_s, batch.left_rows or 0.0, _arrivals(costs, batch)
    if batch.busy_s is None or not batch.tasks or batch.rows <= 0:
        return replace(
            costs,
            number=batch.number,
            ended_s=batch.ended_s,
            began_s=began_s,
            left_rows=left_rows,
            took_s=batch.took_s,
            arrivals=arrivals,
        )
    tasks, cpu_s = float(batch.tasks), batch.cpu_s or 0.0
    between_s = batch.ended_s - costs.ended_s if costs.number == batch.number - 1 else 0.0
    cpu_share = _cpu_share(batch.busy_s, cpu_s)
    if costs.batches == 1:  # a first batch has a query's own start in it
        costs = replace(costs, fit=Squares(), cores_fit=Squares(), fresh=0, fresh_rows=0.0, fresh_staged_s=0.0)
    fresh = batch.staged_s is not None
    return JobCosts(
        batches=costs.batches + 1,
        number=batch.number,
        ended_s=batch.ended_s,
        began_s=began_s,
        left_rows=left_rows,
        took_s=batch.took_s,
        fit=costs.fit.with_batch(tasks, batch.rows, batch.busy_s),
        cores_fit=costs.cores_fit.with_batch(tasks, batch.rows, cpu_s),
        tasks=_faded(costs, costs.tasks, tasks),
        stages=_faded(costs, costs.stages, float(batch.stages or 1)),
        aside_s=costs.aside_s if batch.aside_s is None else _faded(costs, costs.aside_s, batch.aside_s),
        cpu_share=_faded(costs, costs.cpu_share, cpu_share),
        busy=_faded(costs, costs.busy, batch.busy_s / max(batch.took_s, between_s, 0.1)),
        busy_staged=_faded(costs, costs.busy_staged, batch.busy_s / max(batch.staged_s or batch.took_s, 0.01)),
        arrivals=arrivals,
        staged=costs.staged,
        fresh=costs.fresh + fresh,
        fresh_since_s=began_s if fresh and not costs.fresh else costs.fresh_since_s,
        fresh_rows=costs.fresh_rows + batch.rows * fresh,
        fresh_staged_s=costs.fresh_staged_s + (batch.staged_s or 0.0),
        own_bound=costs.own_bound,
        first_seen_s=costs.first_seen_s,
        warmth=costs.warmth.with_batch(
            batch.ended_s - 0.5 * batch.took_s - costs.first_seen_s, _times(costs, batch), KEPT, cpu_share
        ),
    )


def _arrivals(costs: JobCosts, batch: BatchFigures) -> SteadyRate | None:
    """What waited for a batch, and what the one before had left, say what came between their beginnings."""
    between_s = batch.ended_s - batch.took_s - costs.began_s
    if not (0 <= costs.number == batch.number - 1 and between_s > 0):
        return costs.arrivals
    rows = max(0.0, batch.rows + (batch.left_rows or 0.0) - costs.left_rows)
    return (costs.arrivals or SteadyRate(0.0)).with_rows(rows, between_s)


def _cpu_share(busy_s: float, cpu_s: float) -> float:
    return min(1.0, cpu_s / busy_s) if busy_s > 0 else 1.0


def _times(costs: JobCosts, batch: BatchFigures) -> float | None:
    """How many times the time on cores that the batches before it said; None while none of them tells of it."""
    if costs.batches <= 1:
        return None
    task_s, row_s = costs.cores_fit.costs()
    return (batch.cpu_s or 0.0) / max((batch.tasks or 0) * task_s + batch.rows * row_s, _LEAST_S)


def _faded(costs: JobCosts, before: float, now: float) -> float:
    return now if costs.batches <= 1 else KEPT * before + (1.0 - KEPT) * now
