"""Worth: what latencies and juice over the horizon are worth to each tenant, by its own intent."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from penstock.core.arrays import Floats
from penstock.core.asked.shapes import Shape
from penstock.planning.arbiter.horizon import Course
from penstock.planning.arbiter.objectives import Objectives

GridPlaces: TypeAlias = tuple[NDArray[np.intp], Floats]

_GRID = np.geomspace(0.02, 200.0, 800)  # times the target
_LOG_GRID = np.log(_GRID)
# Of the logarithm of a latency: no more alike than that are the batches of one job, and what is foretold of them. So a
# target is kept with a margin where that costs little: at its very edge it would be missed half of the time.
_SPREAD = 0.2
LATE = 0.5  # how much of a score is about the horizon's second half: what lasts, beside what comes first


@dataclass(frozen=True, slots=True)
class CandidateWorth:
    """Under every candidate, of every job: its utility, and what is left of that once the horizon's first half is over.

    `settled` is the utility then, with the mean latency and the juice of that time.
    """

    utility: Floats
    settled: Floats
    latency_s: Floats
    juice: Floats


def worth(objectives: Sequence[Objectives], found: Course, recovery: Callable[[], Floats]) -> CandidateWorth:
    """The utilities of all jobs under all candidates; `recovery` works recovery times out, where somebody asks."""
    settled = np.zeros_like(found.juice)
    for alike in objectives:
        settled[:, alike.jobs] += alike.worth * _settled_shares(alike, found, recovery)
    mean_s = 0.5 * (found.oldest_s + found.newest_s)
    latency_s = found.in_cells(found.late_s * mean_s) / _late_s(found)
    return CandidateWorth(utilities(objectives, found, recovery), settled, latency_s, found.late_juice)


def utilities(objectives: Sequence[Objectives], found: Course, recovery: Callable[[], Floats]) -> Floats:
    """Only what they are worth over the horizon, for many candidates of which nothing else is asked."""
    utility = np.zeros_like(found.juice)
    for alike in objectives:
        all_share, late_share = _shares_of(alike, found, recovery)
        utility[:, alike.jobs] += alike.worth * (LATE * late_share + (1.0 - LATE) * all_share)
    return utility


def _shares_of(alike: Objectives, found: Course, recovery: Callable[[], Floats]) -> tuple[Floats, Floats]:
    """The share of their utility that jobs have over all of the horizon, and over its second half."""
    if alike.kind == "latency":
        which, in_targets = lateness(alike, found)
        spread = _shares(alike.shape, _on_grid(in_targets), _SPREAD)
        whole = found.in_cells(found.counts_s[which] * spread, which)[:, alike.jobs] / found.horizon_s
        return whole, found.in_cells(found.late_s[which] * spread, which)[:, alike.jobs] / _late_s(found)
    if alike.kind == "juice":
        return _of_juice(alike, found.juice), _of_juice(alike, found.late_juice)
    recovered = _of_recovery(alike, recovery)
    return recovered, recovered


def _settled_shares(alike: Objectives, found: Course, recovery: Callable[[], Floats]) -> Floats:
    """The share once it has settled, which takes a latency for as exact as it is foretold."""
    if alike.kind == "latency":
        which, in_targets = lateness(alike, found)
        exact = _shares(alike.shape, _on_grid(in_targets))
        share: Floats = found.in_cells(found.late_s[which] * exact, which)[:, alike.jobs] / _late_s(found)
        return share
    return _of_juice(alike, found.late_juice) if alike.kind == "juice" else _of_recovery(alike, recovery)


def _late_s(found: Course) -> float:
    """How long the horizon's second half is."""
    return 0.5 * found.horizon_s


def lateness(alike: Objectives, found: Course) -> tuple[NDArray[np.intp], Floats]:
    """The batches of those who ask for it, and the latency that is meant of each, in targets."""
    targets = np.full(found.shape[1], np.nan)  # of nobody else
    targets[alike.jobs] = alike.targets
    target_s = targets[found.jobs]
    which = np.flatnonzero(target_s > 0.0)
    oldest_s, newest_s = found.oldest_s[which], found.newest_s[which]
    return which, (newest_s + alike.part * (oldest_s - newest_s)) / target_s[which]


def _of_juice(alike: Objectives, juice: Floats) -> Floats:
    return _shares(alike.shape, _on_grid(alike.targets / np.maximum(juice[:, alike.jobs], 1e-6)))


def _of_recovery(alike: Objectives, recovery: Callable[[], Floats]) -> Floats:
    return _shares(alike.shape, _on_grid(recovery()[:, alike.jobs] / alike.targets))


def _on_grid(badness: Floats) -> GridPlaces:
    """Where these lie on the grid: the place before, and how far it is from there to the next."""
    logs = np.log(np.minimum(np.maximum(badness, _GRID[0]), _GRID[-1]))
    along = (logs - _LOG_GRID[0]) * ((len(_GRID) - 1) / (_LOG_GRID[-1] - _LOG_GRID[0]))
    before = np.minimum(along.astype(np.intp), len(_GRID) - 2)
    return before, along - before


def _shares(shape: Shape, places: GridPlaces, spread: float = 0.0) -> Floats:
    before, part = places
    table, to_next = _table(shape, spread)  # type: ignore[arg-type]
    shares: Floats = table.take(before) + part * to_next.take(before)
    return shares


@lru_cache(maxsize=4096)
def _table(shape: Shape, spread: float) -> tuple[Floats, Floats]:
    """The share of a utility that is left, over the grid, and how far it is to the next.

    In the mean over what is spread around each of its places.
    """
    shares = np.array([shape.share(float(badness)) for badness in _GRID])
    if spread:
        around = np.exp(-0.5 * ((_LOG_GRID[:, None] - _LOG_GRID[None, :]) / spread) ** 2)
        shares = around @ shares / around.sum(axis=1)
    return shares, np.diff(shares)
