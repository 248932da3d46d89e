"""Sharing: how many slots each job's stages have while they run, and how much slower work is where cores are short.

Spark's FAIR pools serve those below their floor first, then by weight; nothing is preempted. A job is on the slots for
a part of the time only, and what the others leave meanwhile is there for the rest: each job's slots follow from how
active the others are, which follows from their slots. Some rounds find where both agree.

Arrays are (candidates, jobs).
"""

from dataclasses import dataclass

import numpy as np

from penstock.core.arrays import Floats
from penstock.core.asked.floors import LEAST_OF_OTHERS
from penstock.planning.arbiter.candidates import Settings, backlog_of, tasks_of
from penstock.planning.arbiter.fleet import Fleet
from penstock.planning.arbiter.serving import slot_order

_ROUNDS = 4
_LEAST_SLOTS = 0.05  # of those who come last: they run while others pause between their batches
_LEFT_AT_LEAST = 0.25  # of the cores that tasks have now, however many batches a driver is to plan
LAST_TASK = 0.35  # of a wave: the last tasks of a stage leave slots idle (tried on twins of real runs)


@dataclass(frozen=True, slots=True)
class Conditions:
    """What each job meets: slots, how many times longer CPU work takes, and the wait for a slot at a stage's start."""

    slots: Floats
    slow: Floats
    wait_s: Floats


@dataclass(frozen=True, slots=True)
class Pace:
    """How a job's batch time depends on its rows: `fixed_s` + `row_s` x rows; `aside_s` of it is off the slots."""

    fixed_s: Floats
    row_s: Floats
    aside_s: Floats

    def took_s(self, rows: Floats) -> Floats:
        """How long a batch of so many rows takes."""
        return self.fixed_s + self.row_s * rows


@dataclass(frozen=True, slots=True)
class Activity:
    """The share of the time that a job's stages are under way, and that its batches are off the slots."""

    stages: Floats
    aside: Floats


@dataclass(frozen=True, slots=True)
class TaskTime:
    """What a task of each job takes, its rows included: on a core of its own, and in wait for others."""

    cpu_s: Floats
    wait_s: Floats

    def took_s(self, slow: Floats) -> Floats:
        """How long it takes where work on cores takes so many times longer."""
        return slow * self.cpu_s + self.wait_s

    def wanting_cores(self, slow: Floats) -> Floats:
        """The share of that time in which it has a core or waits for one."""
        cpu_s = slow * self.cpu_s
        wanting: Floats = cpu_s / np.maximum(cpu_s + self.wait_s, 1e-12)
        return wanting


def pace(fleet: Fleet, settings: Settings, conditions: Conditions) -> Pace:
    """The pace of every job under these conditions."""
    return _pace(fleet, tasks_of(fleet, settings), conditions)


def _pace(fleet: Fleet, tasks: Floats, conditions: Conditions) -> Pace:
    slots = np.maximum(conditions.slots, _LEAST_SLOTS)
    waves = _waves(tasks, slots)
    task_s = fleet.task_cpu_s * conditions.slow + fleet.task_wait_s
    row_s = (fleet.row_cpu_s * conditions.slow + fleet.row_wait_s) / (tasks * fleet.stages)
    staged = fleet.staged * fleet.stages
    return Pace(fleet.aside_s + staged * (conditions.wait_s + waves * task_s), staged * waves * row_s, fleet.aside_s)


def conditions(fleet: Fleet, settings: Settings, horizon_s: float, futures: int = 1) -> Conditions:
    """Where slots, slowness and activity agree.

    `futures`: how many times the same settings stand below one another, once for each future. Slots are given in the
    same order in all of them, which takes long to find.
    """
    there = fleet.slots_for(settings.weights.sum(axis=1, keepdims=True))
    cores, tasks, backlog = fleet.cores_for(there), tasks_of(fleet, settings), backlog_of(fleet, settings)
    task = _task(fleet, settings, tasks, backlog)
    floors = np.minimum(floors_of(fleet, settings.weights, there), tasks)
    once = slice(len(settings) // futures)
    order = slot_order(settings.weights[once], floors[once], tasks[once], fleet.by_name, there[once]).again(futures)
    ones = np.ones_like(floors)
    stages, aside = ones, np.broadcast_to(fleet.aside_load, ones.shape)
    found = Conditions(order.slots(ones), ones, np.zeros_like(ones))
    for _ in range(_ROUNDS):
        then = _activity(fleet, settings, backlog, _pace(fleet, tasks, found), horizon_s)
        stages, aside = 0.5 * stages + 0.5 * then.stages, 0.5 * aside + 0.5 * then.aside
        kept = _kept_busy(task, tasks, found)
        slots = order.slots(stages * kept)
        wanting = slots * kept * task.wanting_cores(found.slow)
        slow = _slow(_left_by_driver(fleet, cores, aside), wanting, stages)
        found = Conditions(slots, slow, _wait_s(there, tasks, task.took_s(slow), slots, stages))
    return found


def _kept_busy(task: TaskTime, tasks: Floats, found: Conditions) -> Floats:
    """The part of its slots that a stage keeps busy: the first are others' still, its last tasks leave some idle."""
    slots = np.maximum(found.slots, _LEAST_SLOTS)
    task_s = task.took_s(found.slow)
    kept: Floats = tasks * task_s / np.maximum(slots * (found.wait_s + _waves(tasks, slots) * task_s), 1e-9)
    return np.minimum(kept, 1.0)


def _waves(tasks: Floats, slots: Floats) -> Floats:
    """How many times as long as one of its tasks a stage takes."""
    waves: Floats = np.maximum(1.0, tasks / slots + LAST_TASK * (1.0 - 1.0 / np.maximum(slots, 1.0)))
    return waves


def paced(fleet: Fleet, settings: Settings, horizon_s: float, futures: int = 1) -> Pace:
    """The pace of every job with its levers so, in one future or in so many, below one another."""
    return pace(fleet, settings, conditions(fleet, settings, horizon_s, futures))


def floors_of(fleet: Fleet, weights: Floats, there: Floats) -> Floats:
    """Minimum shares, as penstock sets them: where they are more than the slots, the lightest have none of one slot."""
    wanted = np.maximum(there, weights.sum(axis=1, keepdims=True))
    share = there * weights / wanted
    floors: Floats = np.where(share >= there - LEAST_OF_OTHERS, there, np.floor(share))
    floors = np.minimum(np.maximum(floors, fleet.least), fleet.most_slots)
    too_many = floors.sum(axis=1, keepdims=True) > there
    if not too_many.any():
        return floors
    by_weight = np.argsort(-weights, axis=1, kind="stable")
    falling = np.take_along_axis(weights, by_weight, axis=1)
    used = np.cumsum(np.take_along_axis(floors, by_weight, axis=1), axis=1)
    # Those of one weight keep theirs together or not at all: the last of them says whether they fit.
    used[:, :-1][falling[:, :-1] == falling[:, 1:]] = np.inf
    used = np.minimum.accumulate(used[:, ::-1], axis=1)[:, ::-1]
    fits = np.empty(floors.shape, dtype=bool)
    np.put_along_axis(fits, by_weight, used <= there, axis=1)
    kept: Floats = np.where(too_many & ~fits & (floors == 1.0), 0.0, floors)
    return kept


def _slow(cores: Floats, wanting: Floats, active: Floats) -> Floats:
    """Tasks that want a core over the cores there are; a job's own tasks run for sure while it is looked at."""
    others = (active * wanting).sum(axis=1, keepdims=True) - active * wanting
    running: Floats = np.maximum(1.0, (others + wanting) / cores)
    return running


def _left_by_driver(fleet: Fleet, cores: Floats, aside: Floats) -> Floats:
    """The cores that are left for tasks, where a driver that plans more batches works on the same ones."""
    more = fleet.driver_cores * (aside.sum(axis=1, keepdims=True) - fleet.aside_load.sum(axis=-1))
    left: Floats = np.maximum(_LEFT_AT_LEAST * cores, cores - more)
    return left


def activity(fleet: Fleet, settings: Settings, found: Pace, horizon_s: float) -> Activity:
    """What a job is at over the horizon, its backlog included."""
    return _activity(fleet, settings, backlog_of(fleet, settings), found, horizon_s)


def _activity(fleet: Fleet, settings: Settings, backlog: Floats, found: Pace, horizon_s: float) -> Activity:
    bounds, triggers = settings.bounds, settings.triggers
    carried = found.row_s * fleet.arrivals  # of each second, what its rows take
    every_s = np.maximum(triggers, found.fixed_s / np.maximum(1.0 - carried, 1e-3))
    rows = np.minimum(fleet.arrivals * every_s, bounds)
    took_s = np.minimum(found.took_s(rows), horizon_s)
    every_s = np.maximum(triggers, took_s)
    at_rest = np.maximum(0.0, took_s - found.aside_s) / np.maximum(every_s, 1e-6)
    aside_at_rest = found.aside_s / np.maximum(every_s, 1e-6)
    # While it works off what waits its batches follow one another.
    full = np.minimum(np.minimum(bounds, np.maximum(backlog, rows)), 1e12)
    full_s = found.took_s(full)
    gains_rps = full / np.maximum(full_s, 1e-6) - fleet.arrivals
    behind_s = np.where(gains_rps > 0, (backlog - rows) / np.maximum(gains_rps, 1e-9), horizon_s)
    part = np.clip(behind_s / horizon_s, 0.0, 1.0)
    aside = np.clip(found.aside_s / np.maximum(full_s, 1e-6), 0.0, 1.0)
    return Activity(
        np.clip(part * (1.0 - aside) + (1.0 - part) * at_rest, 0.0, 1.0),
        np.clip(part * aside + (1.0 - part) * aside_at_rest, 0.0, 1.0),
    )


def _wait_s(there: Floats, tasks: Floats, each_s: Floats, slots: Floats, active: Floats) -> Floats:
    """How long a stage that begins waits for its slots: others' tasks hold them to their end.

    Where all its tasks could run at once it waits for the last of its slots, which others took meanwhile, or until two
    of its own have ended one after the other: long batches of others make it wait, whatever it weighs. More tasks than
    slots go on as slots come free.
    """
    holds = active * slots
    held = holds.sum(axis=1, keepdims=True) - holds
    mean_s = ((holds * each_s).sum(axis=1, keepdims=True) - holds * each_s) / np.maximum(held, 1e-9)
    could_hold = active * np.minimum(tasks, there)
    taken = np.minimum(there, np.maximum(held, could_hold.sum(axis=1, keepdims=True) - could_hold))
    lacking = np.clip(slots - (there - taken), 0.0, slots)
    for_the_last_s = np.minimum(mean_s * lacking / (taken + 1.0), 2.0 * each_s)
    on_the_way_s = 0.5 * mean_s * lacking / there
    wait: Floats = np.where(tasks <= there, for_the_last_s, on_the_way_s)
    return wait


def task_of(fleet: Fleet, settings: Settings) -> TaskTime:
    """A task of each job, with its part of what waits for the next batch."""
    return _task(fleet, settings, tasks_of(fleet, settings), backlog_of(fleet, settings))


def _task(fleet: Fleet, settings: Settings, tasks: Floats, backlog: Floats) -> TaskTime:
    coming = fleet.arrivals * np.maximum(settings.triggers, 1.0)
    rows = np.minimum(settings.bounds, np.maximum(backlog, coming)) / (tasks * fleet.stages)
    return TaskTime(fleet.task_cpu_s + rows * fleet.row_cpu_s, fleet.task_wait_s + rows * fleet.row_wait_s)
