"""The horizon: batch after batch of every job over the next seconds, at a pace that stays.

A batch takes what waits, at most its bound; meanwhile more arrives. So a backlog is worked off, a bound that is too
tight lets it grow, and a job whose batches get longer and longer is seen to.

    rows = min(bound, waiting)      latency of a batch's rows = their mean wait + its own time
    waiting' = waiting - rows + arrivals x max(trigger, its time)
"""

from dataclasses import dataclass

import numpy as np

from penstock.core.arrays import Floats
from penstock.planning.arbiter.candidates import Settings, backlog_of
from penstock.planning.arbiter.fleet import Fleet
from penstock.planning.arbiter.sharing import Pace

_STEPS = 20  # looked at of a job; of shorter batches several at once that are alike
_CHANGES = 0.1  # of its rows, from one batch to the next: by less they are alike


@dataclass(frozen=True, slots=True)
class Course:
    """What a job lives through: for each batch (first axis) how long it counts, its rows' oldest and newest latency."""

    counts_s: Floats
    oldest_s: Floats
    newest_s: Floats
    juice: Floats  # of all that arrived
    late_juice: Floats  # of what arrived in the last part
    waiting: Floats  # at the end


def course(fleet: Fleet, found: Pace, settings: Settings, horizon_s: float) -> Course:
    """The next `horizon_s` seconds of every job, under every candidate."""
    bounds, triggers = settings.bounds, settings.triggers
    waiting = np.maximum(backlog_of(fleet, settings), 1e-3)
    at_s = np.zeros_like(bounds)
    done, late = np.zeros_like(bounds), np.zeros_like(bounds)
    counts, oldest, newest = [], [], []
    for left in range(_STEPS, 0, -1):
        rows = np.minimum(bounds, waiting)
        took_s = np.minimum(found.took_s(rows), 4.0 * horizon_s)
        every_s = np.maximum(np.maximum(triggers, took_s), 1e-3)
        arrive = fleet.arrivals * every_s
        several = np.maximum(1.0, (horizon_s - at_s) / (left * every_s))
        if left > 1:
            several = np.minimum(several, _alike(waiting, rows, arrive))
        until_s = np.minimum(at_s + every_s * several, horizon_s)
        counts.append(np.maximum(0.0, until_s - at_s))
        oldest.append(waiting / fleet.arrivals + took_s)
        newest.append((waiting - rows) / fleet.arrivals + took_s)
        rate_rps = rows / every_s
        done += rate_rps * counts[-1]
        late += rate_rps * np.maximum(0.0, until_s - np.maximum(at_s, 0.5 * horizon_s))
        waiting = np.where(rows < waiting, np.maximum(waiting + several * (arrive - rows), arrive), arrive)
        at_s = at_s + every_s * several
        if bool(np.all(at_s >= horizon_s)):
            break
    arrived = fleet.arrivals * horizon_s
    return Course(
        np.stack(counts),
        np.stack(oldest),
        np.stack(newest),
        np.minimum(1.0, done / arrived),
        np.minimum(1.0, late / (0.5 * arrived)),
        waiting,
    )


def _alike(waiting: Floats, rows: Floats, arrive: Floats) -> Floats:
    """How many batches from now on will be about as this one: all, once it is at rest; until a backlog is gone."""
    left, drained = waiting - rows, rows - arrive
    until_gone = np.where(drained > 0.0, np.maximum(1.0, left / np.maximum(drained, 1e-9)), np.inf)
    at_rest = np.where(np.abs(waiting - arrive) > _CHANGES * waiting, 1.0, np.inf)
    alike: Floats = np.where(left > 0.0, until_gone, at_rest)
    return alike
