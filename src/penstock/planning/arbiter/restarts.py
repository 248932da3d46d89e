"""Restarts: how often batches begin, and into how many parts state is cut. A turn starts the job again.

Where shares and bounds leave much to be wished for, one job is looked for whose other trigger, or other number of
parts, would give clearly more for as long as the load lasts. Two hundred parts, Spark's own number, are two hundred
tasks in each batch, which nobody chose; a trigger of a minute keeps no target of ten seconds.
"""

import numpy as np
from numpy.typing import NDArray

from penstock.planning.arbiter.candidates import Settings, joined
from penstock.planning.arbiter.fleet import Fleet
from penstock.planning.arbiter.outcome import foretell
from penstock.planning.arbiter.search import Found

PAYS_ABOVE = 0.03  # of the maximum utility, once it has settled: every restart is a small outage
_BY_RESTART_S = (1.0, 2.0, 5.0, 10.0)  # further apart than those that are turned in stride: one job starts again for it
_TIMES_SLOTS = (1.0, 2.0)  # parts to try: as many as can run at once, and twice as many
_LIKE = 1.5  # times, up or down: less is the same


def with_a_restart(fleet: Fleet, found: Found, may: NDArray[np.bool_], horizon_s: float) -> Found:
    """What was found, or that with a restart of one job beside it, of those that may, where that pays."""
    missing = fleet.max_utility - float(found.outcome.settled.sum())
    tried = _tried(fleet, found.best, may)
    if missing <= PAYS_ABOVE * fleet.max_utility or not tried:
        return found
    candidates = joined(tried)
    outcome = foretell(fleet, candidates, horizon_s)
    settled = outcome.settled.sum(axis=1)
    place = int(np.argmax(settled))
    if settled[place] - float(found.outcome.settled.sum()) <= PAYS_ABOVE * fleet.max_utility:
        return found
    return Found(candidates.row(place), outcome.row(place), found.now)


def _tried(fleet: Fleet, best: Settings, may: NDArray[np.bool_]) -> list[Settings]:
    """Each trigger and each number of parts of each job that may start again, one at a time."""
    many = []
    starts_again = fleet.can_retrigger & ~fleet.in_stride
    for place in np.flatnonzero(may & (starts_again | (fleet.parts > 0))):
        triggers = _BY_RESTART_S if starts_again[place] else ()
        for every_s in (one for one in triggers if not _like(one, float(fleet.trigger_s[place]))):
            many.append(best.times(1))
            many[-1].triggers[0, place] = every_s
        wanted = (np.clip(round(times * fleet.slots), 1.0, fleet.most_parts[place]) for times in _TIMES_SLOTS)
        for parts in (one for one in wanted if fleet.parts[place] >= _LIKE * one):
            many.append(best.times(1))
            many[-1].parts[0, place] = parts
    return many


def _like(one: float, other: float) -> bool:
    return max(one, other) < _LIKE * min(one, other)
