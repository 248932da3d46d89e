"""Giving back: executors that follow the jobs' slots and are not needed for what is asked, nor for some more rows.

Nobody says what an executor costs, so none is given back that makes a difference to anybody. Jobs keep their part of
the slots, or get as much of them as they keep busy, whichever does with fewer executors. Bounds that
hold nothing back go, too, and waits between batches that are longer than people said, where nobody loses by it.
"""

from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from penstock.core.arrays import Floats
from penstock.planning.arbiter.candidates import present
from penstock.planning.arbiter.fleet import Fleet
from penstock.planning.arbiter.outcome import HORIZON_S, foretell
from penstock.planning.arbiter.search import MANY, Found, bound_steps
from penstock.planning.arbiter.sharing import activity, conditions, pace

HARMLESS = 0.002  # of the maximum utility
_LEAST_PART = 0.02  # of all slots, for who uses hardly any


def with_fewer_slots(fleet: Fleet, found: Found) -> Found | None:
    """The levers as they stand with the fewest executors that do; None where all are needed, or none follows."""
    now = present(fleet)
    held = float(fleet.slots_for(now.weights.sum(axis=1))[0])
    fewer = np.arange(held - fleet.each, 0.0, -fleet.each)
    if not fleet.follows or not len(fewer):
        return None
    parts = np.stack([now.weights[0] / now.weights.sum(), _busy_parts(fleet)])
    wanted = np.maximum(1.0, np.floor(fewer[:, None, None] * parts[None, :, :])).reshape(-1, fleet.size)
    weights = np.unique(np.minimum(np.clip(wanted, fleet.least, fleet.most), fleet.weights), axis=0)
    slots = fleet.slots_for(weights.sum(axis=1))
    weights, slots = weights[slots < held], slots[slots < held]
    if not len(weights):
        return None
    candidates = replace(now.times(len(weights)), weights=weights)
    outcome = foretell(fleet, candidates)
    harmless = np.flatnonzero(outcome.total >= found.now.total[0] - HARMLESS * fleet.max_utility)
    if not len(harmless):
        return None
    best = int(harmless[np.lexsort((-outcome.total[harmless], slots[harmless]))[0]])
    return Found(candidates.row(best), outcome.row(best), found.now)


def loosened(fleet: Fleet, found: Found) -> Found | None:
    """Bounds that hold nothing back are taken off: they would, once the load rises."""
    loosest = bound_steps(fleet, HORIZON_S)[:, -1]
    return _given_back(fleet, found, "bounds", fleet.can_bound & (fleet.bounds < loosest), loosest)


def as_often_as_said(fleet: Fleet, found: Found) -> Found | None:
    """The levers as they stand, but batches begin as often as people said, where that does no harm; None: nowhere."""
    seldom = fleet.in_stride & (fleet.trigger_s > fleet.own_trigger_s)
    return _given_back(fleet, found, "triggers", seldom, fleet.own_trigger_s)


def _given_back(
    fleet: Fleet, found: Found, lever: Literal["bounds", "triggers"], whose: NDArray[np.bool_], to: Floats
) -> Found | None:
    """That lever of these jobs stands so: of all where that does no harm, else of one; None where it does with each.

    Of a large fleet all of them together, or none.
    """
    jobs = np.flatnonzero(whose)
    if not len(jobs):
        return None
    alone = jobs if fleet.size <= MANY else jobs[:0]
    candidates = present(fleet).times(len(alone) + 1)
    stand = getattr(candidates, lever)
    stand[np.arange(len(alone)), alone] = to[alone]
    stand[-1, jobs] = to[jobs]
    outcome = foretell(fleet, candidates)
    harmless = np.flatnonzero(outcome.total >= found.now.total[0] - HARMLESS * fleet.max_utility)
    if not len(harmless):
        return None
    last = int(harmless[-1])  # all of them together stand last
    return Found(candidates.row(last), outcome.row(last), found.now)


def _busy_parts(fleet: Fleet) -> Floats:
    """Of all slots that are busy, each job's part."""
    now = present(fleet)
    met = conditions(fleet, now, HORIZON_S)
    busy = (activity(fleet, now, pace(fleet, now, met), HORIZON_S).stages * met.slots)[0]
    parts = np.maximum(busy / max(float(busy.sum()), 1e-9), _LEAST_PART)
    of_all: Floats = parts / parts.sum()
    return of_all
