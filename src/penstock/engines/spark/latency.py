"""Latency from arrival to commit: from observed sketches where the query has them, else estimated from the flow.

A sketch holds the arrival times of one batch's rows; all of them were committed at the same moment, so a row's
latency is that moment less its arrival. Without sketches the arrived curve says when the n-th row came, and the
batch that took it when it was done; such figures are marked as estimates.
"""

from collections.abc import Sequence

import numpy as np
from datasketches import kll_doubles_sketch
from numpy.typing import NDArray

from penstock.core.figures import LatencyFigures
from penstock.engines.spark.flow import Curves
from penstock.engines.spark.progress import ArrivalSketch, Batch

PERCENTILES = (1.0, 5.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.9)
_POINTS = 20  # of each batch: its rows' arrivals are a few straight lines

Weighted = tuple[NDArray[np.float64], NDArray[np.float64]]  # latencies in seconds, and how many rows had them


def latency(batches: Sequence[Batch], curves: Curves | None, from_s: float) -> LatencyFigures | None:
    """The latency of all rows committed since `from_s`; None when nothing tells of any."""
    recent = [batch for batch in batches if batch.committed_s >= from_s and batch.rows > 0]
    stalled = curves is not None and curves.stalled
    if not stalled and recent and all(batch.arrivals is not None for batch in recent):
        return _figures([_observed(batch, batch.arrivals) for batch in recent if batch.arrivals], estimated=False)
    if curves is None:
        return None
    return _figures(_estimated(batches, curves, from_s), estimated=True)


def _observed(batch: Batch, arrivals: ArrivalSketch) -> Weighted:
    items = list(kll_doubles_sketch.deserialize(arrivals.kll))
    arrived_s = np.array([item for item, _ in items]) / 1000.0
    # The sketch's own items are a sample; its mean is moved to the exact one, which travelled beside it.
    weights = np.array([weight for _, weight in items], dtype=float)
    arrived_s += arrivals.mean_ms / 1000.0 - float(np.average(arrived_s, weights=weights))
    return np.maximum(0.0, batch.committed_s - arrived_s), weights


def _estimated(batches: Sequence[Batch], curves: Curves, from_s: float) -> list[Weighted]:
    found: list[Weighted] = []
    taken = 0.0
    for batch in batches:
        if batch.committed_s >= from_s and batch.rows > 0:
            found.append(_between(curves, taken, taken + batch.rows, batch.committed_s))
        taken += batch.rows
    if curves.stalled and curves.arrived[-1] > taken:
        # They wait still, so this is the least that their latency will be.
        found.append(_between(curves, taken, float(curves.arrived[-1]), curves.end_s))
    return found


def _between(curves: Curves, first: float, last: float, committed_s: float) -> Weighted:
    rows = first + (last - first) * (np.arange(_POINTS) + 0.5) / _POINTS
    waited_s = np.maximum(0.0, committed_s - curves.arrival_of(rows))
    return waited_s, np.full(_POINTS, (last - first) / _POINTS)


def _figures(parts: Sequence[Weighted], estimated: bool) -> LatencyFigures | None:
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
