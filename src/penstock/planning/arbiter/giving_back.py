"""Giving back: executors that follow the jobs' slots and are not needed for what is asked, nor for some more rows.

Nobody says what an executor costs, so none is given back that makes a difference to anybody. Jobs keep their part of
the slots, or get as much of them as they keep busy, whichever does with fewer executors. And waits between batches that
are longer than people said, where nobody loses by it.
"""

from dataclasses import replace

import numpy as np

from penstock.core.arrays import Floats
from penstock.planning.arbiter.candidates import present
from penstock.planning.arbiter.fleet import Fleet
from penstock.planning.arbiter.outcome import HORIZON_S, foretell
from penstock.planning.arbiter.search import Found
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


def as_often_as_said(fleet: Fleet, found: Found) -> Found | None:
    """The levers as they stand, but batches begin as often as people said, where that does no harm; None: nowhere."""
    seldom = np.flatnonzero(fleet.in_stride & (fleet.trigger_s > fleet.own_trigger_s))
    if not len(seldom):
        return None
    candidates = present(fleet).times(len(seldom) + 1)
    candidates.triggers[np.arange(len(seldom)), seldom] = fleet.own_trigger_s[seldom]
    candidates.triggers[-1, seldom] = fleet.own_trigger_s[seldom]
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
