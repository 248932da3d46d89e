"""Each job by itself: what turning its levers would give it, less the price of what that takes from the others.

    slots    all others have fewer, by as much of them as this one keeps busy more than now
    cores    all others' work is slower, by as much as this one's tasks want cores for more of the time

Both prices are what all jobs together would lose if slots were a little fewer, or work a little slower. So every option
of every job is looked at once, beside the others as they are, which costs no more than one candidate for each option.
It says which turns are worth foretelling exactly, not what they would give.
"""

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from penstock.core.arrays import Floats
from penstock.planning.arbiter.candidates import Settings, blocks, joined, tasks_of
from penstock.planning.arbiter.fleet import Fleet
from penstock.planning.arbiter.outcome import gained
from penstock.planning.arbiter.sharing import Conditions, activity, conditions, pace, task_of

_LESS = 0.85  # of the slots there are, for their price
_SLOWER = 1.15  # times, for that of cores
_FULL = 0.5  # of the slots or cores busy: below that nobody lacks any
_ALL_TASKS = 0.99  # of its tasks have a slot: as good as all
_PARTS = (slice(0, 1), slice(1, 2), slice(2, 3), slice(3, None))  # rows: as it is, fewer slots, slower work, options


@dataclass(frozen=True, slots=True)
class _Use:
    """The utility of each job, the slots that it keeps busy, and the cores that it wants: futures, rows, jobs."""

    utility: Floats
    slots: Floats
    cores: Floats


def gains(fleet: Fleet, best: Settings, options: Settings, tried: NDArray[np.bool_], horizon_s: float) -> Floats:
    """What each option (first axis) of each job would be worth to all, over its levers as they stand in `best`.

    Of those that are not to be tried of a job: less than nothing.
    """
    futures = len(fleet.futures)
    there = conditions(fleet.in_all_futures(1), best.again(futures), horizon_s, futures)
    now, fewer, slower, then = _used(fleet, best, options, tried, there, horizon_s)
    there_are = float(fleet.slots_for(best.weights.sum(axis=1))[0])
    slot_price = _price(now.utility - fewer.utility, 1.0 - _LESS, now.slots, there_are)
    core_price = _price(now.utility - slower.utility, _SLOWER - 1.0, now.cores, fleet.cores)
    paid = slot_price * (then.slots - now.slots) + core_price * (then.cores - now.cores)
    likely = np.array([future.likely for future in fleet.futures])
    found: Floats = np.tensordot(likely, then.utility - now.utility - paid, 1)
    return np.where(tried, found, -np.inf)


def _price(lost: Floats, by: float, used: Floats, there_are: float) -> Floats:
    """Of one more that is used, in each future: what all would lose; where many are left over, nothing."""
    all_used, all_lost = used.sum(axis=2, keepdims=True), np.maximum(0.0, lost.sum(axis=2, keepdims=True))
    tight = np.clip((all_used / there_are - _FULL) / (1.0 - _FULL), 0.0, 1.0)
    price: Floats = tight * all_lost / by / np.maximum(all_used, 1e-9)
    return price


def _used(
    fleet: Fleet, best: Settings, options: Settings, tried: NDArray[np.bool_], there: Conditions, horizon_s: float
) -> tuple[_Use, _Use, _Use, _Use]:
    """With levers as they stand in `best`; with fewer slots; with slower work; and with each option."""
    slots = _slots(fleet, best, options, there.slots)
    slow, wait_s = there.slow[:, None, :], there.wait_s[:, None, :]
    slows = np.concatenate([slow, slow, _SLOWER * slow, np.repeat(slow, len(options), axis=1)], axis=1)
    met = Conditions(slots, slows, np.broadcast_to(wait_s, slots.shape))
    ahead, settings = fleet.in_all_futures(1), joined([best.times(3), options])
    use = _Use(*(np.zeros(slots.shape) for _ in fields(_Use)))
    rows, jobs = np.nonzero(np.concatenate([np.ones((3, fleet.size), dtype=bool), tried]))
    for cells in blocks(len(rows), len(fleet.futures)):
        _fill(use, rows[cells], jobs[cells], _Looked(ahead, settings, met), horizon_s)
    now, fewer, slower, then = (_Use(*(getattr(use, one.name)[:, part] for one in fields(_Use))) for part in _PARTS)
    return now, fewer, slower, then


@dataclass(frozen=True, slots=True)
class _Looked:
    """What is looked at: all jobs in all futures, the levers of each row, and what jobs meet in each future and row."""

    ahead: Fleet
    settings: Settings
    met: Conditions


def _fill(use: _Use, rows: NDArray[np.intp], jobs: NDArray[np.intp], of: _Looked, horizon_s: float) -> None:
    """What these jobs use, each in its row."""
    ahead = of.ahead.part(jobs)
    settings = Settings(*(getattr(of.settings, one.name)[None, rows, jobs] for one in fields(Settings)))
    settings = settings.again(len(ahead.futures))
    met = Conditions(*(getattr(of.met, one.name)[:, rows, jobs] for one in fields(Conditions)))
    found = pace(ahead, settings, met)
    active = activity(ahead, settings, found, horizon_s)
    busy = active.stages * met.slots
    use.utility[:, rows, jobs] = gained(ahead, settings, found, horizon_s)
    use.slots[:, rows, jobs] = busy
    wanting = busy * task_of(ahead, settings).wanting_cores(met.slow)
    use.cores[:, rows, jobs] = wanting + ahead.driver_cores * active.aside


def _slots(fleet: Fleet, best: Settings, options: Settings, now: Floats) -> Floats:
    """Slots in each future (first axis) and row: of an option, by its weight, and no more than it has tasks."""
    tasks, others = tasks_of(fleet, options), best.weights.sum() - best.weights
    together, before = others + options.weights, best.weights.sum(axis=1, keepdims=True)
    part = fleet.slots_for(together) * options.weights / together
    levels = now / (fleet.slots_for(before) * best.weights / before)
    # Who has a slot for each of its tasks would have more by its weight: as many times as the others have, at least.
    common = np.maximum(levels, np.median(levels, axis=1, keepdims=True))
    levels = np.where(now < _ALL_TASKS * tasks_of(fleet, best), levels, common)[:, None, :]
    # Who comes last with little weight has less than its part; with more it is served before others.
    levels = np.where(options.weights > best.weights, np.maximum(levels, 1.0), levels)
    then = np.minimum(levels * part, tasks)
    return np.concatenate([now[:, None, :], _LESS * now[:, None, :], now[:, None, :], then], axis=1)
