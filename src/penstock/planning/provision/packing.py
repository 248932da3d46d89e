"""Items with two sizes in as few bins as can be: a good packing at once, a better one from a solver."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from penstock.extras import missing_told

ROUNDING = 1e-9
SOLVER_VARIABLES = 20_000  # beyond this many the solver finds nothing within seconds that best fit has not found


class Packing(NamedTuple):
    """The items of each bin by their numbers, and how few bins any packing needs at least."""

    bins: tuple[tuple[int, ...], ...]
    at_least: int


def pack(items: Sequence[tuple[float, float]], time_limit_s: float) -> Packing:
    """Items of (CPU, memory), none above 1, in bins of (1, 1).

    >>> pack([(0.6, 0.1), (0.5, 0.1), (0.4, 0.9), (0.5, 0.5)], time_limit_s=5.0).bins
    ((0, 2), (1, 3))
    """
    packed = Packing(_best_fit_decreasing(items), _volume(items))
    if len(packed.bins) > packed.at_least and len(items) * len(packed.bins) <= SOLVER_VARIABLES:
        packed = _solved(items, packed, time_limit_s)
    return Packing(tuple(sorted(packed.bins)), packed.at_least)


def _volume(items: Sequence[tuple[float, float]]) -> int:
    return max((math.ceil(round(math.fsum(sizes), 9)) for sizes in zip(*items, strict=True)), default=0)


def _best_fit_decreasing(items: Sequence[tuple[float, float]]) -> tuple[tuple[int, ...], ...]:
    bins: list[list[int]] = []
    left = np.zeros((0, 2))
    for number in sorted(range(len(items)), key=lambda n: (-max(items[n]), -sum(items[n]), n)):
        fits = (left >= np.array(items[number]) - ROUNDING).all(axis=1)
        if fits.any():
            chosen = int(np.where(fits, left.sum(axis=1), np.inf).argmin())
        else:
            chosen = len(bins)
            bins.append([])
            left = np.vstack([left, np.ones(2)])
        bins[chosen].append(number)
        left[chosen] -= items[number]
    return tuple(tuple(sorted(content)) for content in bins)


def _solved(items: Sequence[tuple[float, float]], known: Packing, time_limit_s: float) -> Packing:
    """An integer program: one bin fewer than known at most, until the solver's time is over.

    x[i, b]: item i is in bin b; y[b]: bin b is used. Bins are alike, so item i goes to one of the first i + 1, and
    used bins come first.
    """
    with missing_told():
        from scipy.optimize import Bounds, LinearConstraint, milp

    count, bins = len(items), len(known.bins) - 1
    sizes = np.array(items)
    highest = np.ones(count * bins + bins)
    highest[: count * bins] = (np.arange(bins) <= np.arange(count)[:, None]).ravel()
    found: Any = milp(
        c=np.concatenate([np.zeros(count * bins), np.ones(bins)]),
        constraints=[
            LinearConstraint(_each_item_once(count, bins), 1, 1),
            *(LinearConstraint(_within_bins(size, bins), -np.inf, 0) for size in sizes.T),
            LinearConstraint(_used_bins_first(count, bins), 0, np.inf),
        ],
        integrality=np.ones(count * bins + bins),
        bounds=Bounds(0, highest),
        options={"time_limit": time_limit_s},
    )
    if found.x is None:
        proven = found.status == 2  # infeasible: nothing fits in one bin fewer
        return Packing(known.bins, len(known.bins) if proven else known.at_least)
    bin_of = found.x[: count * bins].reshape(count, bins).argmax(axis=1)
    packed = tuple(tuple(int(n) for n in np.flatnonzero(bin_of == b)) for b in range(bins) if (bin_of == b).any())
    bound = found.mip_dual_bound
    return Packing(packed, max(known.at_least, math.ceil(bound - 1e-6) if bound is not None else 0))


def _each_item_once(count: int, bins: int) -> Any:
    from scipy.sparse import eye_array, hstack, kron

    return hstack([kron(eye_array(count), np.ones((1, bins))), np.zeros((count, bins))])


def _within_bins(sizes: Any, bins: int) -> Any:
    from scipy.sparse import eye_array, hstack, kron

    return hstack([kron(sizes.reshape(1, -1), eye_array(bins)), -eye_array(bins)])


def _used_bins_first(count: int, bins: int) -> Any:
    from scipy.sparse import csr_array, eye_array, hstack

    steps = (eye_array(bins, bins) - eye_array(bins, bins, k=1)).tocsr()[: bins - 1]
    return hstack([csr_array((max(bins - 1, 0), count * bins)), steps])
