"""Worth: what latencies and juice over the horizon are worth to each tenant, by its own intent."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from penstock.core.intents import Intent, Juice, Latency
from penstock.core.shapes import Shape
from penstock.planning.arbiter.fleet import Floats
from penstock.planning.arbiter.horizon import Course

_GRID = np.geomspace(0.02, 200.0, 800)  # times the target
_LOG_GRID = np.log(_GRID)
LATE = 0.5  # how much of a score is about the horizon's second half: what lasts, beside what comes first


@dataclass(frozen=True, slots=True)
class Worth:
    """Under every candidate, of every job: its utility, and what is left of that once the horizon's first half is over.

    `settled` is the utility then, with the mean latency and the juice of that time.
    """

    utility: Floats
    settled: Floats
    latency_s: Floats
    juice: Floats


def worth(intents: Sequence[Intent], found: Course, recovery_s: Floats) -> Worth:
    """The utilities of all jobs under all candidates."""
    whole, late = _of_time(found.counts_s), _late(found.counts_s)
    over_all, settled = np.zeros_like(found.juice), np.zeros_like(found.juice)
    for place, intent in enumerate(intents):
        for objective in intent.objectives:
            if isinstance(objective, Latency):
                shares = _shares(objective.shape, _latency_s(objective, found, place) / objective.target_s)
                all_share, late_share = (np.einsum("bc,bc->c", part[:, :, place], shares) for part in (whole, late))
            elif isinstance(objective, Juice):
                juices = np.stack([found.juice[:, place], found.late_juice[:, place]])
                all_share, late_share = _shares(objective.shape, objective.target / np.maximum(juices, 1e-6))
            else:
                all_share = late_share = _shares(objective.shape, recovery_s[:, place] / objective.target_s)
            worth_of = objective.utility * intent.max_utility / sum(one.utility for one in intent.objectives)
            over_all[:, place] += worth_of * all_share
            settled[:, place] += worth_of * late_share
    mean_s = 0.5 * (found.oldest_s + found.newest_s)
    utility = LATE * settled + (1.0 - LATE) * over_all
    return Worth(utility, settled, (late * mean_s).sum(axis=0), found.late_juice)


def _latency_s(objective: Latency, found: Course, place: int) -> Floats:
    oldest_s, newest_s = found.oldest_s[:, :, place], found.newest_s[:, :, place]
    part = 0.5 if objective.percentile is None else objective.percentile / 100.0
    latency_s: Floats = newest_s + part * (oldest_s - newest_s)
    return latency_s


def _of_time(counts_s: Floats) -> Floats:
    """How much each batch counts: by its time."""
    weights: Floats = counts_s / np.maximum(counts_s.sum(axis=0), 1e-9)
    return weights


def _late(counts_s: Floats) -> Floats:
    """The same of the second half alone."""
    until_s = np.cumsum(counts_s, axis=0)
    half_s = 0.5 * until_s[-1]
    late_s = np.maximum(0.0, until_s - np.maximum(until_s - counts_s, half_s))
    weights: Floats = late_s / np.maximum(late_s.sum(axis=0), 1e-9)
    return weights


def _shares(shape: Shape, badness: Floats) -> Floats:
    shares: Floats = np.interp(np.log(np.maximum(badness, _GRID[0])), _LOG_GRID, _table(shape))
    return shares


@lru_cache(maxsize=4096)
def _table(shape: Shape) -> Floats:
    return np.array([shape.share(float(badness)) for badness in _GRID])
