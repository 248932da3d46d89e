"""Worth: what latencies and juice over the horizon are worth to each tenant, by its own intent."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from penstock.core.arrays import Floats
from penstock.core.shapes import Shape
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
    late = _late(found.counts_s)
    settled = np.zeros_like(found.juice)
    for alike in objectives:
        settled[:, alike.jobs] += alike.worth * _settled_shares(alike, found, recovery, late)
    mean_s = 0.5 * (found.oldest_s + found.newest_s)
    return CandidateWorth(
        utilities(objectives, found, recovery), settled, (late * mean_s).sum(axis=0), found.late_juice
    )


def utilities(objectives: Sequence[Objectives], found: Course, recovery: Callable[[], Floats]) -> Floats:
    """Only what they are worth over the horizon, for many candidates of which nothing else is asked."""
    whole, late = _of_time(found.counts_s), _late(found.counts_s)
    utility = np.zeros_like(found.juice)
    for alike in objectives:
        all_share, late_share = _shares_of(alike, found, recovery, whole, late)
        utility[:, alike.jobs] += alike.worth * (LATE * late_share + (1.0 - LATE) * all_share)
    return utility


def _shares_of(
    alike: Objectives, found: Course, recovery: Callable[[], Floats], whole: Floats, late: Floats
) -> tuple[Floats, Floats]:
    """The share of their utility that jobs have over all of the horizon, and over its second half."""
    jobs = alike.jobs
    if alike.kind == "latency":
        spread = _shares(alike.shape, _on_grid(lateness(alike, found)), _SPREAD)
        return (whole[:, :, jobs] * spread).sum(axis=0), (late[:, :, jobs] * spread).sum(axis=0)
    if alike.kind == "juice":
        return _of_juice(alike, found.juice), _of_juice(alike, found.late_juice)
    recovered = _of_recovery(alike, recovery)
    return recovered, recovered


def _settled_shares(alike: Objectives, found: Course, recovery: Callable[[], Floats], late: Floats) -> Floats:
    """The share once it has settled, which takes a latency for as exact as it is foretold."""
    if alike.kind == "latency":
        exact = _shares(alike.shape, _on_grid(lateness(alike, found)))
        share: Floats = (late[:, :, alike.jobs] * exact).sum(axis=0)
        return share
    return _of_juice(alike, found.late_juice) if alike.kind == "juice" else _of_recovery(alike, recovery)


def lateness(alike: Objectives, found: Course) -> Floats:
    """The latency that is meant, in targets."""
    oldest_s, newest_s = found.oldest_s[:, :, alike.jobs], found.newest_s[:, :, alike.jobs]
    in_targets: Floats = (newest_s + alike.part * (oldest_s - newest_s)) / alike.targets
    return in_targets


def _of_juice(alike: Objectives, juice: Floats) -> Floats:
    return _shares(alike.shape, _on_grid(alike.targets / np.maximum(juice[:, alike.jobs], 1e-6)))


def _of_recovery(alike: Objectives, recovery: Callable[[], Floats]) -> Floats:
    return _shares(alike.shape, _on_grid(recovery()[:, alike.jobs] / alike.targets))


def _of_time(counts_s: Floats) -> Floats:
    """How much each batch counts: by its time."""
    weights: Floats = counts_s / np.maximum(counts_s.sum(axis=0), 1e-9)
    return weights


def _late(counts_s: Floats) -> Floats:
    """The same of the second half alone."""
    until_s = _so_far(counts_s)
    half_s = 0.5 * until_s[-1]
    late_s = np.maximum(0.0, until_s - np.maximum(until_s - counts_s, half_s))
    weights: Floats = late_s / np.maximum(late_s.sum(axis=0), 1e-9)
    return weights


def _so_far(counts_s: Floats) -> Floats:
    """Sums over the batches; numpy's own take eight times as long along a first axis."""
    until_s = counts_s.copy()
    for before, now in pairwise(until_s):
        now += before
    return until_s


def _on_grid(badness: Floats) -> GridPlaces:
    """Where these lie on the grid: the place before, and how far it is from there to the next."""
    logs = np.log(np.clip(badness, _GRID[0], _GRID[-1]))
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
