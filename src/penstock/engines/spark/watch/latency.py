"""Latency from arrival to commit: from observed sketches where the query has them, else estimated from the flow.

A sketch holds the arrival times of one batch's rows; all of them were committed at the same moment, so a row's
latency is that moment less its arrival. Without sketches the arrived curve says when the n-th row came, and the
batch that took it when it was done; such figures are marked as estimates.

In real-time mode rows do not wait for their batch: sketches tell how old they were when a task took them up.
"""

import itertools
from collections.abc import Sequence

import numpy as np
from datasketches import kll_doubles_sketch
from numpy.typing import NDArray

from penstock.core.seen.figures import LatencyFigures
from penstock.engines.spark.watch.flow import Curves
from penstock.engines.spark.watch.progress import ArrivalSketch, Batch

PERCENTILES = (1.0, 5.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.9)
_FRESH_FOR_BATCHES = 2.0  # lengths of a real-time batch for which its latency is told after its end
_HICCUP_S = 0.2  # rows that nothing holds up had waited for some milliseconds
_POINTS = 20  # of each batch: its rows' arrivals are a few straight lines

WeightedValues = tuple[NDArray[np.float64], NDArray[np.float64]]  # values, and how many rows had each


def latency(batches: Sequence[Batch], curves: Curves | None, from_s: float) -> LatencyFigures | None:
    """The latency of all rows committed since `from_s`; None when nothing tells of any."""
    recent = [batch for batch in batches if batch.committed_s >= from_s and batch.rows > 0]
    stalled = curves is not None and curves.stalled
    if not stalled and recent and all(batch.arrivals is not None for batch in recent):
        return _figures([_observed(batch, batch.arrivals) for batch in recent if batch.arrivals], estimated=False)
    if curves is None:
        return None
    return _figures(_estimated(batches, curves, from_s), estimated=True)


def real_time_latency(batches: Sequence[Batch], from_s: float, now_s: float) -> LatencyFigures | None:
    """The latency of the real-time batches committed since `from_s`, at least of the last while it is fresh.

    An estimate: what a row costs in its own task and on its way through a shuffle is not in it. A run's first batch
    has the rows that waited for its start: it counts only as long as there is no other.
    """
    told = _telling(batches)
    recent = [batch for batch in told if batch.committed_s >= from_s] or [
        batch for batch in told[-1:] if _fresh(batch, now_s)
    ]
    return _figures([_lagged(kll) for batch in recent for kll in batch.lags], estimated=True)


def _telling(batches: Sequence[Batch]) -> list[Batch]:
    """Those that tell of lags: each run's first only where there is no other."""
    pairs = itertools.pairwise(batches)
    later = [batch for before, batch in pairs if batch.lags and batch.run_id == before.run_id]
    return later or [batch for batch in batches if batch.lags]


def held_up(batches: Sequence[Batch]) -> bool:
    """Whether the rows of the last real-time batch had waited at the source, most of them longer than a hiccup."""
    told = _telling(batches)[-1:]
    waited = _figures([_lagged(kll) for batch in told for kll in batch.lags], estimated=True)
    return waited is not None and (waited.at(50.0) or 0.0) > _HICCUP_S


def _fresh(batch: Batch, now_s: float) -> bool:
    return now_s - batch.committed_s <= _FRESH_FOR_BATCHES * (batch.committed_s - batch.started_s)


def _lagged(kll: bytes) -> WeightedValues:
    values_ms, weights = _items(kll)
    return np.maximum(0.0, values_ms / 1000.0), weights


def _observed(batch: Batch, arrivals: ArrivalSketch) -> WeightedValues:
    arrived_ms, weights = _items(arrivals.kll)
    # The sketch's own items are a sample; its mean is moved to the exact one, which travelled beside it.
    arrived_ms += arrivals.mean_ms - float(np.average(arrived_ms, weights=weights))
    return np.maximum(0.0, batch.committed_s - arrived_ms / 1000.0), weights


def _items(kll: bytes) -> WeightedValues:
    items = list(kll_doubles_sketch.deserialize(kll))
    return np.array([item for item, _ in items]), np.array([weight for _, weight in items], dtype=float)


def _estimated(batches: Sequence[Batch], curves: Curves, from_s: float) -> list[WeightedValues]:
    found: list[WeightedValues] = []
    taken = 0.0
    for batch in batches:
        if batch.committed_s >= from_s and batch.rows > 0:
            found.append(_between(curves, taken, taken + batch.rows, batch.committed_s))
        taken += batch.rows
    if curves.stalled and curves.arrived[-1] > taken:
        # They wait still, so this is the least that their latency will be.
        found.append(_between(curves, taken, float(curves.arrived[-1]), curves.end_s))
    return found


def _between(curves: Curves, first: float, last: float, committed_s: float) -> WeightedValues:
    rows = first + (last - first) * (np.arange(_POINTS) + 0.5) / _POINTS
    waited_s = np.maximum(0.0, committed_s - curves.arrival_of(rows))
    return waited_s, np.full(_POINTS, (last - first) / _POINTS)


def _figures(parts: Sequence[WeightedValues], estimated: bool) -> LatencyFigures | None:
    if not parts:
        return None
    values = np.concatenate([part[0] for part in parts])
    weights = np.concatenate([part[1] for part in parts])
    order = np.argsort(values)
    values, weights = values[order], weights[order]
    middle = np.cumsum(weights) - 0.5 * weights
    at = np.interp(np.array(PERCENTILES) / 100.0 * weights.sum(), middle, values)
    return LatencyFigures(
        mean_s=float(np.average(values, weights=weights)),
        quantiles=tuple(zip(PERCENTILES, (float(value) for value in at), strict=True)),
        estimated=estimated,
    )
