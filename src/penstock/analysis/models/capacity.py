"""The most rows/s that a job can process at each scale-out: Tmax of Phoebe, section III-D.

Tmax(s) = s / (a + b s) with a, b >= 0 rises with every executor, by ever less: monotone and saturating by its form.
Multiplied out, a Tmax/s + b Tmax = 1 is linear in a and b, and its residuals are relative errors of Tmax.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from penstock.analysis.models.validity import boundary
from penstock.analysis.regression import rising
from penstock.core.seen.evidence import Observation, Weighted

_REACH = 1.5  # scale-outs: how far a measured deviation from the curve is felt
_TRUST = 0.5  # weight of the curve beside a fresh measurement's 1


@dataclass(frozen=True, slots=True)
class CapacityModel:
    """Rows/s by scale-out. `error` is the mean relative error on scale-outs that were held out, one at a time."""

    a: float  # seconds of one executor for each row, alone
    b: float  # seconds more for each row that no executor can share
    lowest: int  # scale-outs that the evidence covers
    highest: int
    error: float | None
    table: tuple[float, ...]  # for 1, 2, ... executors: the curve, drawn towards what was measured nearby

    def at(self, scaleout: int) -> float:
        """Tmax; never less than that of fewer executors."""
        if scaleout <= len(self.table):
            return self.table[scaleout - 1]
        return max(self.table[-1], _curve(self.a, self.b, scaleout))

    def extrapolates(self, scaleout: int) -> bool:
        """Whether nothing of that size was ever measured: beyond what the evidence covers on either side."""
        return not self.lowest <= scaleout <= self.highest


def capacity_model(evidence: Sequence[Weighted]) -> CapacityModel | None:
    """The model that the saturated observations support; None without any.

    Where a job was seen to keep up at more than that, its capacity is at least as much.
    """
    saturated = [w for w in evidence if w.seen.saturated and w.seen.rate_rps > 0]
    if not saturated:
        return None
    known = _Capacities.fitted(saturated)
    limit = boundary([w.seen.latency_s or 0.0 for w in evidence if not w.seen.saturated])
    exceeded = [w for w in evidence if _kept_up(w.seen, limit) and w.seen.rate_rps > known.at(w.seen.scaleout)]
    if exceeded:
        known = _Capacities.fitted([*saturated, *exceeded])
    sizes = [w.seen.scaleout for w in saturated]
    highest = max(sizes)
    table = np.maximum.accumulate([known.at(scaleout) for scaleout in range(1, 2 * highest + 1)])
    return CapacityModel(known.a, known.b, min(sizes), highest, _held_out_error(saturated), tuple(table.tolist()))


def _kept_up(seen: Observation, limit_s: float) -> bool:
    return not seen.saturated and seen.latency_s is not None and seen.latency_s <= limit_s


@dataclass(frozen=True, slots=True)
class _Capacities:
    """The curve through all evidence, and how far the evidence lies from it."""

    a: float
    b: float
    evidence: tuple[tuple[int, float, float], ...]  # scale-out, logarithm of measured / curve, weight

    @classmethod
    def fitted(cls, evidence: Sequence[Weighted]) -> "_Capacities":
        a, b = _fit(evidence)
        found = (
            (w.seen.scaleout, math.log(w.seen.rate_rps / _curve(a, b, w.seen.scaleout)), w.weight) for w in evidence
        )
        return cls(a, b, tuple(found))

    def at(self, scaleout: int) -> float:
        pulls = [(w * math.exp(-0.5 * ((s - scaleout) / _REACH) ** 2), log) for s, log, w in self.evidence]
        correction = sum(pull * log for pull, log in pulls) / (_TRUST + sum(pull for pull, _ in pulls))
        return _curve(self.a, self.b, scaleout) * math.exp(correction)


def _fit(evidence: Sequence[Weighted]) -> tuple[float, float]:
    sizes = np.array([w.seen.scaleout for w in evidence], dtype=float)
    rates = np.array([w.seen.rate_rps for w in evidence])
    weights = np.array([w.weight for w in evidence])
    if len(np.unique(sizes)) == 1:
        return float(np.average(sizes / rates, weights=weights)), 0.0
    scale = float(rates.mean())
    features = np.column_stack([rates / sizes, rates]) / scale
    found, _ = rising(features, np.ones(len(rates)), weights, constant=False)
    a, b = (float(value) / scale for value in found)
    # All in b would be a job that no executor makes faster: then the smallest a that keeps Tmax rising.
    return max(a, 1e-3 * b, 1e-12), b


def _curve(a: float, b: float, scaleout: int) -> float:
    return scaleout / (a + b * scaleout)


def _held_out_error(saturated: Sequence[Weighted]) -> float | None:
    sizes = sorted({w.seen.scaleout for w in saturated})
    if len(sizes) < 3:
        return None
    errors = []
    for size in sizes:
        known = _Capacities.fitted([w for w in saturated if w.seen.scaleout != size])
        errors += [abs(known.at(size) / w.seen.rate_rps - 1.0) for w in saturated if w.seen.scaleout == size]
    return float(np.mean(errors))
