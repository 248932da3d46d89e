"""Large fleets: slots at a price. Each job takes what is worth most to it, less what it pays for its slots.

    price 0      everybody takes what is best      more slots are used than there are
    price rises  who gains least by slots takes fewer
    price found  as many are used as there are

What others do to a job - how much slower work is, how long it waits for a slot - is taken from how things stand. So all
jobs can be looked at by themselves, and what was found is foretold as a whole only once.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from penstock.core.arrays import Floats
from penstock.planning.arbiter.candidates import Settings, present, tasks_of
from penstock.planning.arbiter.fleet import Fleet
from penstock.planning.arbiter.horizon import course
from penstock.planning.arbiter.outcome import recovery_s
from penstock.planning.arbiter.sharing import Conditions, conditions, pace
from penstock.planning.arbiter.worth import worth

SLOTS = (1.0, 2.0, 3.0, 4.0, 6.0, 8.0)
_HALVINGS = 24


def priced(fleet: Fleet, steps: Floats, horizon_s: float) -> Settings:
    """Shares and bounds at the price at which slots are neither short nor left over; `steps` are bounds by job."""
    now = present(fleet)
    there = conditions(fleet, now, horizon_s)
    lengths = sorted({0, steps.shape[1] // 2, steps.shape[1] - 1})
    options = [(slots, length) for slots in SLOTS for length in lengths]
    settings = replace(now.times(len(options)), bounds=np.stack([steps[:, length] for _, length in options]))
    most = np.minimum(tasks_of(fleet, now), fleet.most)
    slots = np.minimum(np.array([slots for slots, _ in options])[:, None], most)
    alone = Conditions(
        slots, np.repeat(there.slow, len(options), axis=0), np.repeat(there.wait_s, len(options), axis=0)
    )
    found = pace(fleet, settings, alone)
    lived = course(fleet, found, settings, horizon_s)
    utility = worth(fleet.objectives, lived, lambda: recovery_s(fleet, found, settings)).utility
    used = _used_slots(fleet, alone, settings)
    chosen = _cleared(utility, used, fleet.slots)
    jobs = np.arange(fleet.size)
    weights = np.clip(np.round(slots[chosen, jobs]), fleet.least, fleet.most)
    return replace(now, weights=weights[None, :], bounds=settings.bounds[chosen, jobs][None, :])


def _used_slots(fleet: Fleet, alone: Conditions, settings: Settings) -> Floats:
    """Slots that a job keeps busy, in the mean over time."""
    found, triggers = pace(fleet, settings, alone), settings.triggers
    task_s = fleet.task_cpu_s * alone.slow + fleet.task_wait_s
    row_s = fleet.row_cpu_s * alone.slow + fleet.row_wait_s
    every_s = np.maximum(triggers, found.fixed_s / np.maximum(1.0 - found.row_s * fleet.arrivals, 0.02))
    rows = np.minimum(settings.bounds, fleet.arrivals * every_s)
    every_s = np.maximum(triggers, np.minimum(found.took_s(rows), every_s))
    used: Floats = (tasks_of(fleet, settings) * fleet.stages * task_s + rows * row_s) / np.maximum(every_s, 1e-6)
    return np.minimum(used, alone.slots)


def _cleared(utility: Floats, used: Floats, slots: float) -> NDArray[np.intp]:
    """The option of each job at the price that clears; at no price where there are slots for all wishes."""
    jobs = np.arange(utility.shape[1])
    low, high = 0.0, float(utility.max() / max(float(used.min()), 1e-6))
    wished: NDArray[np.intp] = np.argmax(utility, axis=0)
    if used[wished, jobs].sum() <= slots:
        return wished
    for _ in range(_HALVINGS):
        price = 0.5 * (low + high)
        chosen: NDArray[np.intp] = np.argmax(utility - price * used, axis=0)
        low, high = (price, high) if used[chosen, jobs].sum() > slots else (low, price)
    cleared: NDArray[np.intp] = np.argmax(utility - high * used, axis=0)
    return cleared
