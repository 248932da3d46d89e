"""Mean latency from scale-out and rate, and whether it is that of a job that keeps up: M_L of Phoebe, section III-D.

The logarithm of latency is a sum of terms in the rate and in the utilisation rate / Tmax(s), each with a weight of
zero or more: latency never falls with the rate and never rises with the scale-out, and steep terms near full
utilisation follow the cliff there, which a polynomial would smooth away.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from penstock.analysis.models.capacity import CapacityModel
from penstock.analysis.models.validity import boundary
from penstock.analysis.regression import rising
from penstock.core.seen.evidence import Weighted

_BENDS = (0.5, 0.8, 0.9, 0.95, 1.0)  # utilisations from which latency may rise more steeply
_CLIPPED_AT = 3.0  # times the boundary: how late a job is that falls behind depends on how long it was watched
_LEAST_POINTS = 6
_FOLDS = 4
_LONGEST_S = 3600.0  # beyond an hour a latency is "never"


@dataclass(frozen=True, slots=True)
class LatencyModel:
    """Seconds by scale-out and rate. `error` is the mean relative error on valid points that were held out."""

    constant: float
    weights: tuple[float, ...]
    capacity: CapacityModel
    scale_rps: float
    valid_below_s: float  # the boundary between the two clusters
    highest_rps: float  # that the evidence covers
    error: float | None

    def at(self, scaleout: int, rate_rps: float) -> float:
        """Mean latency in seconds."""
        terms = _terms(rate_rps / self.scale_rps, rate_rps / self.capacity.at(scaleout))
        log = self.constant + sum(weight * term for weight, term in zip(self.weights, terms, strict=True))
        return min(_LONGEST_S, math.exp(min(log, 20.0)))

    def valid(self, scaleout: int, rate_rps: float) -> bool:
        """Whether a job of that scale-out keeps up with that rate, by its latency and by its capacity."""
        return rate_rps < self.capacity.at(scaleout) and self.at(scaleout, rate_rps) <= self.valid_below_s

    def extrapolates(self, scaleout: int, rate_rps: float) -> bool:
        """Whether the rate or the scale-out lies outside what was ever measured."""
        return rate_rps > self.highest_rps or self.capacity.extrapolates(scaleout)


def latency_model(evidence: Sequence[Weighted], capacity: CapacityModel) -> LatencyModel | None:
    """The model that the evidence supports; None where latency was measured too rarely.

    Saturated observations are left out: their latency is only the age of the backlog.
    """
    points = [w for w in evidence if w.seen.latency_s and not w.seen.saturated]
    if len(points) < _LEAST_POINTS:
        return None
    scale = max(w.seen.rate_rps for w in points) or 1.0
    limit = boundary([w.seen.latency_s or 0.0 for w in points])
    points = [_clipped(w, limit) for w in points]
    constant, weights = _fit(points, capacity, scale)
    return LatencyModel(
        constant=constant,
        weights=weights,
        capacity=capacity,
        scale_rps=scale,
        valid_below_s=limit,
        highest_rps=max(w.seen.rate_rps for w in points if (w.seen.latency_s or 0.0) <= limit),
        error=_held_out_error(points, capacity, scale, limit),
    )


def _clipped(w: Weighted, limit_s: float) -> Weighted:
    latency_s = min(w.seen.latency_s or 0.0, _CLIPPED_AT * limit_s)
    return Weighted(replace(w.seen, latency_s=latency_s), w.weight)


def _terms(rate: float, utilisation: float) -> tuple[float, ...]:
    return (rate, utilisation, *(max(0.0, utilisation - bend) for bend in _BENDS))


def _features(points: Sequence[Weighted], capacity: CapacityModel, scale: float) -> NDArray[np.float64]:
    return np.array([_terms(w.seen.rate_rps / scale, w.seen.rate_rps / capacity.at(w.seen.scaleout)) for w in points])


def _fit(points: Sequence[Weighted], capacity: CapacityModel, scale: float) -> tuple[float, tuple[float, ...]]:
    logs = np.log([w.seen.latency_s or 1.0 for w in points])
    importance = np.array([w.weight for w in points])
    weights, constant = rising(_features(points, capacity, scale), logs, importance)
    return constant, tuple(weights.tolist())


def _held_out_error(points: Sequence[Weighted], capacity: CapacityModel, scale: float, limit: float) -> float | None:
    if len(points) < 2 * _LEAST_POINTS:
        return None
    errors = []
    for fold in range(_FOLDS):
        held = [w for w in points[fold::_FOLDS] if (w.seen.latency_s or 0.0) <= limit]
        rest = [w for place, w in enumerate(points) if place % _FOLDS != fold]
        constant, weights = _fit(rest, capacity, scale)
        for w, features in zip(held, _features(held, capacity, scale), strict=True):
            expected = math.exp(constant + float(np.dot(weights, features)))
            errors.append(abs(expected / (w.seen.latency_s or 1.0) - 1.0))
    return float(np.mean(errors)) if errors else None
