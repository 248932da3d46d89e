"""The fleet as arrays, one place for each job: what a prediction needs of the view and of what was learnt."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from penstock.core.arrays import Floats
from penstock.core.asked.slot_limits import SlotLimits
from penstock.core.levers import WHOLE
from penstock.core.seen.view import JobView, View
from penstock.planning.arbiter.columns import JobColumns, columns_of, contention
from penstock.planning.arbiter.costs import TELLING, JobCosts, guessed, least_of, without_start
from penstock.planning.arbiter.futures import PossibleFuture, futures_of
from penstock.planning.arbiter.objectives import Objectives, grouped
from penstock.planning.arbiter.warmth import coldness, given_back, soon

DOWN_S = 15.0  # from a failure until a query works on rows again: no less, for the next failure may be of another kind


@dataclass(frozen=True, slots=True)
class Fleet:
    """All jobs whose costs are known, with all the slots and cores there are. Seconds, and rows a second."""

    names: tuple[str, ...]
    jobs: tuple[JobView, ...]
    values: Floats  # the most that each could have
    objectives: tuple[Objectives, ...]
    futures: tuple[PossibleFuture, ...]
    slots: float  # that could be had
    follows: bool  # executors come as soon as jobs have more weight together, and go as soon as they have less
    held: float  # slots that are there
    each: float  # slots of an executor
    cores: float  # that tasks can have soon, less than there are where others use them too
    cores_were: float  # that they had lately: the compiler of new code had some
    arrivals: Floats
    coming: Floats  # the most that is foretold to arrive over the horizon
    backlog: Floats  # rows that wait for the next batch
    older_s: Floats  # than that they wait: how old rows are when their source has them
    tasks: Floats  # of a stage
    stages: Floats  # of a batch
    task_cpu_s: Floats  # a task's own, beside its rows
    task_wait_s: Floats
    row_cpu_s: Floats
    row_wait_s: Floats
    warming: Floats  # what work on cores will cost soon, of what it cost while code was new: costs here are such
    warmest: Floats  # what work will cost at the least, of what it cost while code was new
    aside_s: Floats
    aside_load: Floats  # the share of the time that its batches are off the slots, as it is now
    driver_cores: float  # of what is off the slots: the part of a core that it takes from tasks
    trigger_s: Floats
    own_trigger_s: Floats  # that they came with
    staged: Floats  # how long stages took over how long they were foretold to
    by_name: NDArray[np.intp]  # each job's place in the order of names
    least: Floats  # weights
    lowest: Floats  # that is tried of each
    most: Floats
    most_slots: Floats  # that it may be promised, whatever its weight; UNBOUNDED: any number
    weights: Floats  # now
    bounds: Floats  # now; UNBOUNDED: none
    own_bounds: Floats  # that they came with
    can_bound: NDArray[np.bool_]
    can_retrigger: NDArray[np.bool_]
    in_stride: NDArray[np.bool_]  # whose trigger is turned while it runs; others start again for it
    down_s: Floats  # from a failure until it works on rows again
    parts: Floats  # of its state now; none: it cannot be cut otherwise
    parted: Floats  # its stages with as many tasks as parts
    most_parts: Floats
    can_cut: NDArray[np.bool_]  # into tasks of fewer rows, by a rule of its own
    pieces: Floats  # the most rows that a task reads; UNBOUNDED: as many as its source gives it
    shares_alone: bool = False  # are turned

    @property
    def size(self) -> int:
        """How many jobs there are."""
        return len(self.values)

    @property
    def young(self) -> bool:
        """Whether code is new, and work on cores may soon cost much less than it does."""
        return any(future.warm for future in self.futures)

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Who misses something."""
        return np.array([not job.met for job in self.jobs])

    @property
    def max_utility(self) -> float:
        """What all of them could have together."""
        return float(self.values.sum())

    @property
    def of_shares_alone(self) -> "Fleet":
        """The same where nothing but weights is turned: what is not known of costs shows in bounds first."""
        nobody = np.zeros(self.size, dtype=bool)
        return replace(self, can_bound=nobody, can_retrigger=nobody, in_stride=nobody, shares_alone=True)

    def slots_for(self, weights: Floats) -> Floats:
        """The slots that there are once jobs have so much weight together."""
        if not self.follows:
            return np.full_like(weights, self.slots)
        wanted = self.each * np.ceil(weights / self.each)
        found: Floats = np.clip(wanted, min(self.each, self.slots), self.slots)
        return found

    def cores_for(self, slots: Floats) -> Floats:
        """The cores of so many slots: executors that come bring cores, where those that are there have one a slot."""
        if not self.follows or self.held > self.cores:
            return np.full_like(slots, self.cores)
        return self.cores * np.maximum(1.0, slots / self.held)

    def corrected(self, costs: Mapping[str, JobCosts]) -> "Fleet":
        """The same with what was learnt since of how long stages take; all else of the costs is the same."""
        staged = [costs[name].staged if costs[name].known else 1.0 for name in self.names]
        return replace(self, staged=np.array(staged))

    def ahead(self, future: PossibleFuture) -> "Fleet":
        """The same in that future."""
        arrivals = future.arrivals * (self.coming if future.foretold else self.arrivals)
        # Stages that were quicker than foretold may have met neighbours that were not busy yet.
        staged = np.maximum(self.staged, 1.0) if future.feared else self.staged
        one = self.as_it_was if future.cold else self.once_warm if future.warm else self
        return replace(one, arrivals=arrivals, staged=staged)

    def in_all_futures(self, rows: int) -> "Fleet":
        """The same with all futures below one another, so many rows of each: what differs among them has a row each."""
        many = [self.ahead(future) for future in self.futures]

        def below(of: Callable[["Fleet"], Floats]) -> Floats:
            return np.repeat(np.stack([of(one) for one in many]), rows, axis=0)

        return replace(
            self,
            arrivals=below(lambda one: one.arrivals),
            staged=below(lambda one: one.staged),
            task_cpu_s=below(lambda one: one.task_cpu_s),
            row_cpu_s=below(lambda one: one.row_cpu_s),
            aside_s=below(lambda one: one.aside_s),
        )

    def part(self, places: NDArray[np.intp]) -> "Fleet":
        """The jobs at these places, nameless, for what each does by itself; one may be there several times."""
        columns = {
            one.name: getattr(self, one.name)[..., places]
            for one in fields(self)
            if isinstance(getattr(self, one.name), np.ndarray)
        }
        return replace(
            self,
            names=(),
            jobs=(),
            objectives=tuple(alike.of(places, self.size) for alike in self.objectives),
            **columns,
        )

    @property
    def as_it_was(self) -> "Fleet":
        """The same with work that costs what it cost when that was learnt."""
        return replace(
            self,
            cores=self.cores_were,
            task_cpu_s=self.task_cpu_s / self.warming,
            row_cpu_s=self.row_cpu_s / self.warming,
        )

    @property
    def once_warm(self) -> "Fleet":
        """The same with work that costs as little as it can once code is warm, what is off the slots included."""
        was = self.as_it_was
        return replace(
            was,
            cores=self.cores,
            task_cpu_s=was.task_cpu_s * self.warmest,
            row_cpu_s=was.row_cpu_s * self.warmest,
            aside_s=was.aside_s * self.warmest,
        )


def fleet_of(view: View, costs: Mapping[str, JobCosts], coming: Mapping[str, float] | None = None) -> Fleet | None:
    """The jobs that run; None where nothing is known of any, or nobody says how many slots there are.

    `coming` is what is foretold to arrive, of the jobs with a forecast.
    """
    telling = [one for one in costs.values() if one.known]
    known = tuple(job for job in view.jobs if _counts(job, costs))
    if not telling or not known or not view.slots:
        return None
    found = [costs[job.name] for job in known]
    if not all(one.batches >= TELLING and one.known for one in found):
        found = _of_few_batches(known, found, telling, view.at_s)
    return _fleet(view, view.slots, known, found, coming or {})


def _of_few_batches(
    jobs: Sequence[JobView], costs: Sequence[JobCosts], telling: Sequence[JobCosts], at_s: float
) -> list[JobCosts]:
    """What is known, with what those of which nothing is, or the first batch alone, may cost by what others do."""
    least, told = least_of(telling), [one for one in telling if one.batches >= TELLING]
    least_told = least_of(told) if told else None

    def filled(job: JobView, one: JobCosts) -> JobCosts:
        if not one.known:
            return guessed(least, job, at_s, one)
        return one if least_told is None or one.batches >= TELLING else without_start(one, least_told)

    return [filled(job, one) for job, one in zip(jobs, costs, strict=True)]


def _fleet(
    view: View, slots: int, jobs: tuple[JobView, ...], costs: Sequence[JobCosts], coming: Mapping[str, float]
) -> Fleet:
    there = _there(view, slots)
    # Where executors follow the weights, more of these than slots would ask for executors that are not to be had.
    of = columns_of(jobs, costs, slots if there.follows else SlotLimits().most_weight(slots, len(jobs)))
    cores = _cores(of, there)
    core_share, fell = of.core_share(cores.slow), coldness(of.fell, of.could_fall)
    warming = soon(of.cold * fell)
    could_cost = 1.0 - (1.0 - warming * cores.left / cores.soon) * core_share
    foretold = np.array([coming.get(job.name, rate) for job, rate in zip(jobs, of.arrivals, strict=True)])
    batches = min(one.batches for one in costs)
    return Fleet(
        names=tuple(job.name for job in jobs),
        jobs=jobs,
        objectives=grouped(job.intent for job in jobs),
        futures=futures_of(could_cost, fell, of.arrivals, foretold, batches),
        slots=float(slots),
        follows=there.follows,
        held=there.held,
        each=there.each,
        cores=cores.soon,
        cores_were=cores.left,
        driver_cores=cores.of_driver,
        by_name=np.argsort(np.argsort([job.name for job in jobs])),
        can_bound=of.levers.can_bound > 0,
        can_retrigger=of.levers.can_retrigger > 0,
        in_stride=of.levers.in_stride > 0,
        can_cut=of.levers.can_cut > 0,
        shares_alone=False,
        **_asked(jobs),
        **_work(of, core_share, warming),
        **_rows(of, foretold),
        **_stand(of),
    )


def _asked(jobs: Sequence[JobView]) -> dict[str, Floats]:
    """What each could have at the most, and how long it is down after a failure."""
    return {
        "values": np.array([job.max_utility for job in jobs]),
        "down_s": np.array([max(DOWN_S, job.figures.downtime_s or 0.0) for job in jobs]),
    }


def _work(of: JobColumns, core_share: Floats, warming: Floats) -> dict[str, Floats]:
    """What a batch of each takes, on cores, in wait for others, and off the slots."""
    return {
        "tasks": np.maximum(1.0, of.tasks / of.stages),
        "stages": of.stages,
        "task_cpu_s": warming * of.task_cpu_s,
        "task_wait_s": of.task_s * (1.0 - core_share),
        "row_cpu_s": warming * of.row_cpu_s,
        "row_wait_s": of.row_s * (1.0 - core_share),
        "warming": warming,
        "warmest": 1.0 - of.cold,
        "aside_s": of.aside_s,
        "aside_load": of.aside_load,
        "staged": of.staged,
    }


def _rows(of: JobColumns, foretold: Floats) -> dict[str, Floats]:
    """What arrives, now and as it is foretold, and what waits."""
    return {"arrivals": of.arrivals, "coming": np.maximum(1e-3, foretold), "backlog": of.backlog, "older_s": of.older_s}


def _stand(of: JobColumns) -> dict[str, Floats]:
    """How levers stand, stood at first, and may stand."""
    return {
        "least": of.levers.least,
        "lowest": of.levers.least,
        "most": of.levers.most,
        "most_slots": of.levers.most_slots,
        "weights": of.levers.weight,
        "bounds": of.levers.bound,
        "own_bounds": of.own_bound,
        "trigger_s": of.levers.trigger_s,
        "own_trigger_s": of.own_trigger_s,
        "parts": of.levers.parts,
        "parted": of.parted,
        "most_parts": of.levers.most_parts,
        "pieces": of.levers.piece,
    }


def offered_slots(view: View) -> tuple[int, int]:
    """The slots of all executors, and how many executors these are, where machines tell both; else none."""
    offering = [machine for machine in view.machines if machine.alive and machine.slots and machine.executors]
    return sum(machine.slots or 0 for machine in offering), sum(machine.executors or 0 for machine in offering)


class _There(NamedTuple):
    """What there is to work on: whether executors follow weights, slots held, slots of an executor, and cores."""

    follows: bool
    held: float
    each: float
    cores: float


class _Cores(NamedTuple):
    """How much slower work is for want of cores, those left to tasks now and soon, and the driver's part of one."""

    slow: float
    left: float
    soon: float
    of_driver: float


def _cores(of: JobColumns, there: _There) -> _Cores:
    """While code is new its compiler has some of the cores, and gives them back."""
    slow, left = contention(of, there.held, there.cores)
    lacking, aside = there.cores - left, float(of.aside_load.sum())
    of_driver = _driver_cores(slow, lacking, aside)
    return _Cores(slow, left, left + given_back(of.cold, there.cores, lacking - of_driver * aside), of_driver)


def slots_follow(view: View) -> bool:
    """Whether executors come as soon as jobs have more weight together, and go as soon as they have less."""
    return any(dial.kind == "executors" and dial.job == WHOLE and dial.follows for dial in view.levers)


def _there(view: View, slots: int) -> _There:
    cores = float(sum(machine.cores for machine in view.machines if machine.alive) or slots)
    follows = slots_follow(view)
    offered, executors = offered_slots(view)
    if not follows or not offered:
        return _There(follows=False, held=float(slots), each=1.0, cores=cores)
    return _There(follows=True, held=float(min(offered, slots)), each=max(1.0, round(offered / executors)), cores=cores)


def _counts(job: JobView, costs: Mapping[str, JobCosts]) -> bool:
    """Whether its batches are known, or it runs and none of them has ended yet."""
    if job.name not in costs:
        return False
    return costs[job.name].known or (job.figures.trouble is None and job.figures.up_s is not None)


def _driver_cores(slow: float, lacking: float, aside: float) -> float:
    """The part of a core that a batch off the slots takes from tasks, where so many of them are off at a time.

    A driver on other machines takes none: tasks have all cores then. One that wants the same cores gets as much of
    them as a task does.

    >>> _driver_cores(2.5, 0.0, 0.5), _driver_cores(2.5, 0.5, 0.5), _driver_cores(2.5, 0.1, 0.5)
    (0.0, 0.4, 0.2)
    """
    return min(1.0 / slow, lacking / max(aside, 1e-3))
