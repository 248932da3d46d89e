"""The horizon: batch after batch of every job over the next seconds, at a pace that stays.

A batch takes what waits, at most its bound; meanwhile more arrives. So a backlog is worked off, a bound that is too
tight lets it grow, and a job whose batches get longer and longer is seen to.

    rows = min(bound, waiting)      latency of rows = age at their source + mean wait + batch
    waiting' = waiting - rows + arrivals x max(trigger, its time)

Most jobs come to rest within a few batches: then the next one is as the last one was, and so are all others. Such a job
is done with at once, and only the others are gone on with.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from penstock.core.arrays import Floats
from penstock.planning.arbiter.candidates import Settings, backlog_of
from penstock.planning.arbiter.fleet import Fleet
from penstock.planning.arbiter.sharing import Pace

_STEPS = 20  # looked at of a job; of shorter batches several at once that are alike
_CHANGES = 0.1  # of its rows, from one batch to the next: by less they are alike
_SAME = 1e-12  # of them: by less they stay as they are


@dataclass(frozen=True, slots=True)
class Course:
    """What jobs live through, the batches of all of them one after the other; a cell is a job under a candidate.

    Of each batch: its cell, until when it counts and how long, also in the second half alone, and its rows' oldest and
    newest latency. The first batches stand first, one of each cell.
    """

    horizon_s: float
    shape: tuple[int, ...]  # candidates, jobs
    cells: NDArray[np.intp]
    until_s: Floats
    counts_s: Floats
    late_s: Floats
    oldest_s: Floats
    newest_s: Floats
    juice: Floats  # of each cell: of all that arrived
    late_juice: Floats  # of what arrived in the last part
    waiting: Floats  # at the end

    @property
    def jobs(self) -> NDArray[np.intp]:
        """Whose batch each is."""
        jobs: NDArray[np.intp] = self.cells % self.shape[1]
        return jobs

    def in_cells(self, each: Floats, which: NDArray[np.intp] | slice = slice(None)) -> Floats:
        """What is said of batches (of all, or of some of them) summed up in each cell."""
        return _in_cells(self.cells[which], each, self.shape)


def course(fleet: Fleet, found: Pace, settings: Settings, horizon_s: float) -> Course:
    """The next `horizon_s` seconds of every job, under every candidate."""
    shape = settings.bounds.shape
    now = _Cells.of(fleet, found, settings)
    cells = np.arange(len(now.waiting))
    waiting, told = np.empty(len(cells)), []
    for left in range(_STEPS, 0, -1):
        batch, now = _next(now, left, horizon_s)
        told.append((cells, batch))
        going = now.at_s < horizon_s
        many = int(np.count_nonzero(going))
        if many < len(cells):
            waiting[cells] = now.waiting
            stay = np.flatnonzero(going)
            cells, now = cells[stay], now.some(stay)
        if not many:
            break
    waiting[cells] = now.waiting
    whose = np.concatenate([some for some, _ in told])
    each = _Batch(*map(np.concatenate, zip(*(batch for _, batch in told), strict=True)))
    older_s = fleet.older_s[whose % shape[1]]
    arrived = np.broadcast_to(fleet.arrivals, shape) * horizon_s
    return Course(
        horizon_s,
        shape,
        whose,
        each.until_s,
        each.counts_s,
        each.late_s,
        each.oldest_s + older_s,
        each.newest_s + older_s,
        np.minimum(1.0, _in_cells(whose, each.rate_rps * each.counts_s, shape) / arrived),
        np.minimum(1.0, _in_cells(whose, each.rate_rps * each.late_s, shape) / (0.5 * arrived)),
        waiting.reshape(shape),
    )


class _Cells(NamedTuple):
    """Cells that are gone on with: what their batches depend on, where they are, and what waits then."""

    bounds: Floats
    least_s: Floats  # from one batch to the next
    fixed_s: Floats
    row_s: Floats
    arrivals: Floats
    at_s: Floats
    waiting: Floats

    @classmethod
    def of(cls, fleet: Fleet, found: Pace, settings: Settings) -> "_Cells":
        """All of them, before their first batch."""
        least_s, waiting = np.maximum(settings.triggers, 1e-3), np.maximum(backlog_of(fleet, settings), 1e-3)
        columns = (settings.bounds, least_s, found.fixed_s, found.row_s, fleet.arrivals, np.zeros(1), waiting)
        return cls(*(np.broadcast_to(column, settings.bounds.shape).ravel() for column in columns))

    def some(self, which: NDArray[np.intp]) -> "_Cells":
        """Those alone."""
        return _Cells(*(column[which] for column in self))


class _Batch(NamedTuple):
    """One batch of each of some cells, or several that are alike."""

    until_s: Floats
    counts_s: Floats
    late_s: Floats
    oldest_s: Floats
    newest_s: Floats
    rate_rps: Floats


def _next(now: _Cells, left: int, horizon_s: float) -> tuple[_Batch, _Cells]:
    """The next batch of each, where so many are left to be looked at, and how they stand after it."""
    rows = np.minimum(now.bounds, now.waiting)
    took_s = np.minimum(now.fixed_s + now.row_s * rows, 4.0 * horizon_s)
    every_s = np.maximum(now.least_s, took_s)
    arrive = now.arrivals * every_s
    remain, drained = now.waiting - rows, rows - arrive
    several = np.maximum(1.0, (horizon_s - now.at_s) / (left * every_s))
    if left > 1:
        several = _alike(several, now.waiting, remain, drained)
    until_s = np.minimum(now.at_s + every_s * several, horizon_s)
    if left < _STEPS:  # how long the first one takes is asked for, too
        until_s[(remain <= 0.0) & (np.abs(drained) <= _SAME * now.waiting)] = horizon_s
    half_s = 0.5 * horizon_s
    batch = _Batch(
        until_s,
        until_s - now.at_s,
        np.maximum(until_s, half_s) - np.maximum(now.at_s, half_s),
        now.waiting / now.arrivals + took_s,
        remain / now.arrivals + took_s,
        rows / every_s,
    )
    waiting = np.where(remain > 0.0, np.maximum(now.waiting - several * drained, arrive), arrive)
    return batch, now._replace(at_s=until_s, waiting=waiting)


def _alike(most: Floats, waiting: Floats, remain: Floats, drained: Floats) -> Floats:
    """How many batches from now on are about as this one: until a backlog is gone; those that are at rest, the most."""
    until_gone = np.minimum(most, np.maximum(1.0, remain / np.maximum(drained, 1e-9)))
    backlog = np.where(drained > 0.0, until_gone, most)
    at_rest = np.where(np.abs(drained) > _CHANGES * waiting, 1.0, most)
    alike: Floats = np.where(remain > 0.0, backlog, at_rest)
    return alike


def _in_cells(cells: NDArray[np.intp], each: Floats, shape: tuple[int, ...]) -> Floats:
    found = np.bincount(cells, each, shape[0] * shape[1]).astype(float, copy=False)
    return found.reshape(shape)
