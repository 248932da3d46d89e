"""Sharing: how many slots each job's stages have while they run, and how much slower work is where cores are short.

Spark's FAIR pools serve those below their floor first, then by weight; nothing is preempted. A job is on the slots for
a part of the time only, and what the others leave meanwhile is there for the rest: each job's slots follow from how
active the others are, which follows from their slots. Some rounds find where both agree.

Arrays are (candidates, jobs); where levels are tried, (candidates, levels, jobs).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from penstock.core.arrays import Floats
from penstock.planning.arbiter.candidates import Settings, backlog_of, tasks_of
from penstock.planning.arbiter.fleet import Fleet

_ROUNDS = 4
_LEVELS = np.geomspace(1.0, 64.0, 14)  # times what weights alone would give: how far what others leave may go
_LEAST_SLOT = 0.002  # of those who come last: they run while all others pause between their batches
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


def pace(fleet: Fleet, settings: Settings, conditions: Conditions) -> Pace:
    """The pace of every job under these conditions."""
    slots, tasks = np.maximum(conditions.slots, 0.05), tasks_of(fleet, settings)
    waves = np.maximum(1.0, tasks / slots + LAST_TASK * (1.0 - 1.0 / np.maximum(slots, 1.0)))
    task_s = fleet.task_cpu_s * conditions.slow + fleet.task_wait_s
    row_s = (fleet.row_cpu_s * conditions.slow + fleet.row_wait_s) / (tasks * fleet.stages)
    staged = fleet.staged * fleet.stages
    return Pace(fleet.aside_s + staged * (conditions.wait_s + waves * task_s), staged * waves * row_s, fleet.aside_s)


def conditions(fleet: Fleet, settings: Settings, horizon_s: float) -> Conditions:
    """Where slots, slowness and activity agree."""
    there = fleet.slots_for(settings.weights.sum(axis=1, keepdims=True))
    cores = fleet.cores_for(there)
    floors = np.minimum(floors_of(fleet, settings.weights, there), tasks_of(fleet, settings))
    active = np.ones_like(floors)
    found = Conditions(_slots(fleet, settings, there, floors, active), np.ones_like(active), np.zeros_like(active))
    aside = np.broadcast_to(fleet.aside_load, active.shape)
    for _ in range(_ROUNDS):
        then = activity(fleet, settings, pace(fleet, settings, found), horizon_s)
        active, aside = 0.5 * active + 0.5 * then.stages, 0.5 * aside + 0.5 * then.aside
        slots = _slots(fleet, settings, there, floors, active)
        slow = _slow(fleet, _left_by_driver(fleet, cores, aside), slots, active)
        found = Conditions(slots, slow, _wait_s(fleet, settings, there, slots, slow, active))
    return found


def paced(fleet: Fleet, settings: Settings, horizon_s: float) -> Pace:
    """The pace of every job with its levers so."""
    return pace(fleet, settings, conditions(fleet, settings, horizon_s))


def floors_of(fleet: Fleet, weights: Floats, there: Floats) -> Floats:
    """Minimum shares, as penstock sets them: where they are more than the slots, the lightest have none of one slot."""
    wanted = np.maximum(there, weights.sum(axis=1, keepdims=True))
    floors: Floats = np.minimum(np.maximum(np.floor(there * weights / wanted), fleet.least), fleet.most)
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


def _slots(fleet: Fleet, settings: Settings, there: Floats, floors: Floats, active: Floats) -> Floats:
    """Slots by weight, floors first, no more than there are tasks: at the level at which all are given away.

    Each job is looked at as if it ran all the time, beside the others as active as they are.
    """
    weights, tasks = settings.weights, tasks_of(fleet, settings)[:, None, :]
    parts = there * weights / weights.sum(axis=1, keepdims=True)
    levelled = _LEVELS[:, None] * parts[:, None, :]
    if fleet.size > fleet.slots:
        first = _first_slots(fleet, floors, active)[:, None, :]
        given = np.minimum(first * np.maximum(levelled, 1.0), tasks)
    else:
        given = np.minimum(np.maximum(levelled, floors[:, None, :]), tasks)
    used = np.einsum("clj,cj->cl", given, active)
    with_all_of = used[:, :, None] + (1.0 - active)[:, None, :] * given
    # The first level at which too much is given, and how far between the one before and it the slots are used up.
    over = with_all_of > there[:, :, None]
    above = np.where(over.any(axis=1), over.argmax(axis=1), len(_LEVELS) - 1)
    below = np.maximum(above - 1, 0)
    high, low = _at(with_all_of, above), _at(with_all_of, below)
    part = np.clip((there - low) / np.maximum(high - low, 1e-9), 0.0, 1.0)
    slots: Floats = _at(given, below) + part * (_at(given, above) - _at(given, below))
    # Floors that are too many together are all kept in part.
    return slots * np.minimum(1.0, there / np.maximum(_at(with_all_of, np.zeros_like(above)), 1e-9))


def _first_slots(fleet: Fleet, floors: Floats, active: Floats) -> Floats:
    """The part of a slot that each has for its first task, where there are fewer slots than jobs.

    Spark asks those below their floor first, and of jobs without a task that runs the first by name, whatever their
    weights.
    """
    order = np.argsort(np.where(floors >= 1.0, 0, fleet.size) + fleet.by_name, axis=1, kind="stable")
    active_by = np.take_along_axis(active, order, axis=1)
    left, idle = np.full(len(active), fleet.slots), np.ones(len(active))
    found = np.empty_like(active)
    for place in range(fleet.size):
        found[:, place] = np.clip(left, np.maximum(idle, _LEAST_SLOT), 1.0)
        left = left - active_by[:, place] * found[:, place]
        idle = idle * (1.0 - active_by[:, place])
    first = np.empty_like(active)
    np.put_along_axis(first, order, found, axis=1)
    return first


def _at(values: Floats, places: NDArray[np.intp]) -> Floats:
    """Of each candidate and job the value at its own level."""
    rows, jobs = np.arange(places.shape[0])[:, None], np.arange(places.shape[1])
    found: Floats = values[rows, places, jobs]
    return found


def _slow(fleet: Fleet, cores: Floats, slots: Floats, active: Floats) -> Floats:
    """Tasks that want a core over the cores there are; a job's own tasks run for sure while it is looked at."""
    wanting = wanting_cores(fleet)
    others = (active * slots * wanting).sum(axis=1, keepdims=True) - active * slots * wanting
    running: Floats = np.maximum(1.0, (others + slots * wanting) / cores)
    return running


def _left_by_driver(fleet: Fleet, cores: Floats, aside: Floats) -> Floats:
    """The cores that are left for tasks, where a driver that plans more batches works on the same ones."""
    more = fleet.driver_cores * (aside.sum(axis=1, keepdims=True) - fleet.aside_load.sum(axis=-1))
    left: Floats = np.maximum(_LEFT_AT_LEAST * cores, cores - more)
    return left


def wanting_cores(fleet: Fleet) -> Floats:
    """The share of its tasks' time for which a job wants a core, where there are cores for all."""
    cpu = fleet.task_cpu_s + fleet.row_cpu_s
    wanting: Floats = cpu / np.maximum(cpu + fleet.task_wait_s + fleet.row_wait_s, 1e-12)
    return wanting


def activity(fleet: Fleet, settings: Settings, found: Pace, horizon_s: float) -> Activity:
    """What a job is at over the horizon, its backlog included."""
    bounds, triggers, backlog = settings.bounds, settings.triggers, backlog_of(fleet, settings)
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


def _wait_s(fleet: Fleet, settings: Settings, there: Floats, slots: Floats, slow: Floats, active: Floats) -> Floats:
    """How long a stage that begins waits for its slots: others' tasks hold them to their end.

    Where all its tasks could run at once it waits for the last of its slots, which others took meanwhile, or until two
    of its own have ended one after the other: long batches of others make it wait, whatever it weighs. More tasks than
    slots go on as slots come free.
    """
    tasks = tasks_of(fleet, settings)
    each_s = _task_s(fleet, settings, tasks, slow)
    holds = active * slots
    held = holds.sum(axis=1, keepdims=True) - holds
    mean_s = ((holds * each_s).sum(axis=1, keepdims=True) - holds * each_s) / np.maximum(held, 1e-9)
    could_hold = active * np.minimum(tasks, there)
    taken = np.minimum(there, np.maximum(held, could_hold.sum(axis=1, keepdims=True) - could_hold))
    lacking = np.clip(slots - (there - taken), 0.0, slots)
    for_the_last_s = np.minimum(mean_s * lacking / (taken + 1.0), 2.0 * each_s)
    on_the_way_s = 0.5 * np.clip(held / there, 0.0, 1.0) * mean_s * slots / there
    wait: Floats = np.where(tasks <= there, for_the_last_s, on_the_way_s)
    return wait


def _task_s(fleet: Fleet, settings: Settings, tasks: Floats, slow: Floats) -> Floats:
    """How long a task of each job takes, with its part of what waits for the next batch."""
    coming = fleet.arrivals * np.maximum(settings.triggers, 1.0)
    rows = np.minimum(settings.bounds, np.maximum(backlog_of(fleet, settings), coming))
    row_s = fleet.row_cpu_s * slow + fleet.row_wait_s
    task_s: Floats = fleet.task_cpu_s * slow + fleet.task_wait_s + rows / (tasks * fleet.stages) * row_s
    return task_s
