"""The fleet as arrays, one place for each job: what a prediction needs of the view and of what was learnt."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from penstock.core.levers import Disturbs, Kind
from penstock.core.shares import shares_pool
from penstock.core.view import JobView, View
from penstock.planning.arbiter.costs import JobCosts, guessed
from penstock.planning.arbiter.objectives import Objectives, grouped

Floats = NDArray[np.float64]

UNBOUNDED = np.inf
_BUSY_CPU = 0.05  # of the cores: jobs that use less say nothing of how much slower work is


@dataclass(frozen=True, slots=True)
class Future:
    """What may come: so many times what arrives now, at so many times what work costs now, and how likely it is."""

    arrivals: float
    costs: float
    likely: float


# There is no telling, and what holds by a hair holds for a moment.
FUTURES = (Future(1.0, 1.0, 0.7), Future(1.2, 1.0, 0.3))
# Cold code costs two to four times what it costs a minute later: who cannot be served now may be served soon.
YOUNG_FUTURES = (Future(1.0, 1.0, 0.4), Future(1.2, 1.0, 0.2), Future(1.0, 0.5, 0.4))
YOUNG_S = 60.0  # since a job was first seen


@dataclass(frozen=True, slots=True)
class Fleet:
    """All jobs whose costs are known, with all the slots and cores there are. Seconds, and rows a second."""

    names: tuple[str, ...]
    jobs: tuple[JobView, ...]
    objectives: tuple[Objectives, ...]
    futures: tuple[Future, ...]
    slots: float
    cores: float  # that tasks can have, less than there are where others use them too
    arrivals: Floats
    backlog: Floats  # rows that wait for the next batch
    tasks: Floats  # of a stage
    stages: Floats  # of a batch
    task_cpu_s: Floats  # a task's own, beside its rows
    task_wait_s: Floats
    row_cpu_s: Floats
    row_wait_s: Floats
    aside_s: Floats
    trigger_s: Floats
    staged: Floats  # how long stages took over how long they were foretold to
    by_name: NDArray[np.intp]  # each job's place in the order of names
    least: Floats  # weights
    most: Floats
    weights: Floats  # now
    bounds: Floats  # now; infinite: none
    own_bounds: Floats  # that they came with
    can_bound: NDArray[np.bool_]

    @property
    def size(self) -> int:
        """How many jobs there are."""
        return len(self.names)

    @property
    def max_utility(self) -> float:
        """What all of them could have together."""
        return sum(job.max_utility for job in self.jobs)

    def corrected(self, costs: Mapping[str, JobCosts]) -> "Fleet":
        """The same with what was learnt since of how long stages take; all else of the costs is the same."""
        staged = [costs[name].staged if costs[name].known else 1.0 for name in self.names]
        return replace(self, staged=np.array(staged))

    def ahead(self, future: Future) -> "Fleet":
        """The same in that future."""
        costs = ("task_cpu_s", "task_wait_s", "row_cpu_s", "row_wait_s")
        changed = {} if future.costs == 1.0 else {name: getattr(self, name) * future.costs for name in costs}
        return replace(self, arrivals=self.arrivals * future.arrivals, **changed)


def fleet_of(view: View, costs: Mapping[str, JobCosts]) -> Fleet | None:
    """The jobs that run; None where nothing is known of any, or nobody says how many slots there are."""
    telling = [one for one in costs.values() if one.known]
    slots = view.slots
    known = tuple(job for job in view.jobs if shares_pool(job.figures) and _counts(job, costs))
    if not telling or not known or not slots:
        return None
    found = [costs[job.name] if costs[job.name].known else guessed(telling, job.figures, view.at_s) for job in known]
    pairs = [one.fit.costs() for one in found]
    cores = float(sum(machine.cores for machine in view.machines if machine.alive) or slots)
    slow, cores = _contention(found, pairs, float(slots), cores)
    cpu = np.array([one.cpu_share for one in found])
    wait = np.maximum(0.0, 1.0 - cpu * slow)  # of a task's time: neither on a core nor in want of one
    task_s, row_s = (np.array([pair[place] for pair in pairs]) for place in (0, 1))
    return Fleet(
        names=tuple(job.name for job in known),
        jobs=known,
        objectives=grouped(job.intent for job in known),
        futures=YOUNG_FUTURES if any(view.at_s - one.first_seen_s < YOUNG_S for one in found) else FUTURES,
        slots=float(slots),
        cores=cores,
        arrivals=np.array([max(1e-3, one.arrival_rps or 0.0) for one in found]),
        backlog=np.array([one.left_rows + (one.arrival_rps or 0.0) * one.took_s for one in found]),
        tasks=np.array([max(1.0, one.tasks / max(1.0, one.stages)) for one in found]),
        stages=np.array([max(1.0, one.stages) for one in found]),
        task_cpu_s=task_s * cpu,
        task_wait_s=task_s * wait,
        row_cpu_s=row_s * cpu,
        row_wait_s=row_s * wait,
        aside_s=np.array([one.aside_s for one in found]),
        trigger_s=np.array([_now(job, "trigger") or 0.0 for job in known]),
        staged=np.array([one.staged for one in found]),
        by_name=np.argsort(np.argsort([job.name for job in known])),
        least=np.array([float(job.figures.operators[0].min_threads) for job in known]),
        most=np.array([float(_most(job, slots)) for job in known]),
        weights=np.array([float(job.figures.operators[0].threads) for job in known]),
        bounds=np.array([_now(job, "bound") or UNBOUNDED for job in known], dtype=float),
        own_bounds=np.array([one.own_bound or UNBOUNDED for one in found], dtype=float),
        can_bound=np.array([_bounded_at_once(job) for job in known]),
    )


def _counts(job: JobView, costs: Mapping[str, JobCosts]) -> bool:
    """Whether its batches are known, or it runs and none of them has ended yet."""
    if job.name not in costs:
        return False
    return costs[job.name].known or (job.figures.trouble is None and job.figures.up_s is not None)


def _contention(
    found: Sequence[JobCosts], pairs: Sequence[tuple[float, float]], slots: float, cores: float
) -> tuple[float, float]:
    """How many times longer work takes now than on a core of its own, and the cores that tasks have together.

    Tasks that wait for a core stay in their slots. The job whose tasks had a core for most of their time says how
    much slower all are at the most: what the others' tasks lack beyond that, they wait for otherwise.
    """
    used = [_cpu_rate(one, pair) for one, pair in zip(found, pairs, strict=True)]
    telling = [one.cpu_share for one, rate in zip(found, used, strict=True) if rate > _BUSY_CPU * cores]
    if slots <= cores or not telling:
        return 1.0, cores
    slow = min(max(1.0, 1.0 / max(telling)), slots / (0.5 * cores))
    return slow, cores if slow < slots / cores else slots / slow


def _cpu_rate(costs: JobCosts, pair: tuple[float, float]) -> float:
    """Cores that the job uses for what arrives."""
    task_s, row_s = pair
    every_s = max(costs.took_s, 0.1)
    return costs.cpu_share * (row_s * (costs.arrival_rps or 0.0) + task_s * costs.tasks / every_s)


def _most(job: JobView, slots: int) -> int:
    own = job.figures.max_threads
    told = job.figures.operators[0].max_threads
    most = min(bound for bound in (own, told, slots) if bound is not None)
    return max(most, job.figures.operators[0].min_threads)


def _now(job: JobView, kind: Kind) -> float | None:
    found = job.figures.lever(kind)
    if found is None:
        return None
    return found.now if found.asked is None else found.asked


def _bounded_at_once(job: JobView) -> bool:
    found = job.figures.lever("bound")
    if found is None or found.by_people:
        return False
    return found.disturbs is Disturbs.NOTHING and found.least != found.most
