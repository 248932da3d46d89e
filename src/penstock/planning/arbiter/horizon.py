"""The horizon: batch after batch of every job over the next seconds, at a pace that stays.

A batch takes what waits, at most its bound; meanwhile more arrives. So a backlog is worked off, a bound that is too
tight lets it grow, and a job whose batches get longer and longer is seen to.

    rows = min(bound, waiting)      latency of a batch's rows = their mean wait + its own time
    waiting' = waiting - rows + arrivals x max(trigger, its time)
"""

from dataclasses import dataclass

import numpy as np

from penstock.planning.arbiter.fleet import Fleet, Floats
from penstock.planning.arbiter.sharing import Pace

_STEPS = 20  # looked at of a job; of shorter batches several of a kind at once


@dataclass(frozen=True, slots=True)
class Course:
    """What a job lives through: for each batch (first axis) how long it counts, its rows' oldest and newest latency."""

    counts_s: Floats
    oldest_s: Floats
    newest_s: Floats
    juice: Floats  # of all that arrived
    late_juice: Floats  # of what arrived in the last part
    waiting: Floats  # at the end


def course(fleet: Fleet, found: Pace, bounds: Floats, horizon_s: float) -> Course:
    """The next `horizon_s` seconds of every job, under every candidate."""
    waiting = np.broadcast_to(np.maximum(fleet.backlog, 1e-3), bounds.shape).copy()
    at_s = np.zeros_like(bounds)
    done, late = np.zeros_like(bounds), np.zeros_like(bounds)
    steps = int(min(_STEPS, max(4, np.ceil(horizon_s / max(1e-3, float(_shortest_s(fleet, found)))))))
    # Batches that are too short to look at each are looked at as several of a kind.
    several = np.maximum(1.0, horizon_s / steps / np.maximum(_every_s(fleet, found, bounds), 1e-3))
    counts, oldest, newest = [], [], []
    for _ in range(steps):
        rows = np.minimum(bounds, waiting)
        took_s = np.minimum(found.took_s(rows), 4.0 * horizon_s)
        every_s = np.maximum(fleet.trigger_s, took_s)
        until_s = np.minimum(at_s + every_s * several, horizon_s)
        counts.append(np.maximum(0.0, until_s - at_s))
        oldest.append(waiting / fleet.arrivals + took_s)
        newest.append((waiting - rows) / fleet.arrivals + took_s)
        rate_rps = rows / np.maximum(every_s, 1e-9)
        done += rate_rps * counts[-1]
        late += rate_rps * np.maximum(0.0, until_s - np.maximum(at_s, 0.5 * horizon_s))
        waiting = np.maximum(waiting + several * (fleet.arrivals * every_s - rows), 1e-3)
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


def _every_s(fleet: Fleet, found: Pace, bounds: Floats) -> Floats:
    """From batch to batch at rest."""
    at_rest = found.fixed_s / np.maximum(1.0 - found.row_s * fleet.arrivals, 0.02)
    bounded = found.took_s(np.where(np.isfinite(bounds), bounds, 0.0))
    every: Floats = np.maximum(fleet.trigger_s, np.where(np.isfinite(bounds), np.minimum(at_rest, bounded), at_rest))
    return every


def _shortest_s(fleet: Fleet, found: Pace) -> float:
    return float(np.min(np.maximum(fleet.trigger_s, found.fixed_s)))
