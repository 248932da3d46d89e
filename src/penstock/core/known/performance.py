"""What one slot can do with so many threads of a task: a performance model, as profiling gives it.

The functions carry the paper's letters ("Model-driven scheduling", section 6): I(q) is `rate`, C(q) `cpu`,
M(q) `memory` and T(w) `threads_for`.
"""

import math
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from penstock.core.units import is_number, non_negative
from penstock.errors import ConfigError

_MOST_THREADS = 1_000_000
_FIGURES = ("threads", "rate_rps", "cpu", "memory")


@dataclass(frozen=True, slots=True)
class ModelPoint:
    """With `threads` threads on one slot: the peak stable rate, and CPU and memory at it as shares of the slot."""

    threads: int
    rate_rps: float
    cpu: float
    memory: float
    source: str = ""  # where this point comes from, in words


@dataclass(frozen=True, slots=True, init=False)
class PerformanceModel:
    """The points of one task on one slot, by rising threads, and where they were measured.

    Between points everything is interpolated linearly; below the first, towards nothing at no threads; above the
    last, it stays as it is there. `provenance` says where the points come from: machine, versions, date.
    `resolution` is how closely a search has found the rates: two that differ by a smaller share are alike, so that
    more threads for a rate that is higher by chance are no peak.

    >>> blob = PerformanceModel([(1, 2, 0.067, 0.239), (20, 10, 0.15, 0.26), (50, 30, 0.45, 0.35)])
    >>> blob.peak.rate_rps, blob.rate(35), blob.threads_for(20), blob.threads_for(31)
    (30.0, 20.0, 35, None)
    """

    points: tuple[ModelPoint, ...]
    provenance: Mapping[str, str] = field(hash=False)
    resolution: float
    peak: ModelPoint  # the fewest threads with the highest rate of any point

    def __init__(
        self,
        points: Iterable[ModelPoint | tuple[int, float, float, float]],
        provenance: Mapping[str, str] | None = None,
        place: str = "model",
        resolution: float = 0.0,
    ) -> None:
        """`place` is where the model stands, for errors."""
        name = f"{place}.points"
        checked = tuple(sorted((_checked(point, name) for point in _listed(points, name)), key=lambda p: p.threads))
        counts = [point.threads for point in checked]
        for threads in counts:
            if counts.count(threads) > 1:
                raise ConfigError(name, threads, "give each number of threads once")
        if not is_number(resolution) or not 0 <= resolution < 1:
            raise ConfigError(f"{place}.resolution", resolution, "write a share from 0 to below 1, such as 0.05")
        highest = max(point.rate_rps for point in checked)
        peak = next(point for point in checked if point.rate_rps >= highest * (1.0 - resolution))
        if highest == 0:
            raise ConfigError(name, counts, "at least one point needs a rate above zero")
        set_field = object.__setattr__
        set_field(self, "points", checked)
        set_field(self, "provenance", dict(provenance or {}))
        set_field(self, "resolution", float(resolution))
        set_field(self, "peak", peak)

    def rate(self, threads: int) -> float:
        """I(q): the peak rate (rows per second) that this many threads on one slot support."""
        return self._at(threads, "rate_rps")

    def cpu(self, threads: int) -> float:
        """C(q): the share of the slot's CPU that this many threads take at their peak rate."""
        return self._at(threads, "cpu")

    def memory(self, threads: int) -> float:
        """M(q): the share of the slot's memory that this many threads take at their peak rate."""
        return self._at(threads, "memory")

    def threads_for(self, rate_rps: float) -> int | None:
        """T(w): the fewest threads on one slot that support the rate; None when no number of them does."""
        before = ModelPoint(0, 0.0, 0.0, 0.0)
        for point in self.points:
            if point.rate_rps >= rate_rps:
                part = (rate_rps - before.rate_rps) / ((point.rate_rps - before.rate_rps) or 1.0)
                # Rounded so that 20.000000001 threads are 20.
                return max(1, math.ceil(round(before.threads + part * (point.threads - before.threads), 9)))
            before = point
        return None

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON or YAML; `from_dict` reads them back."""
        points: list[dict[str, Any]] = []
        for point in self.points:
            figures = {name: getattr(point, name) for name in _FIGURES}
            points.append(figures | ({"source": point.source} if point.source else {}))
        known = {"resolution": self.resolution} if self.resolution else {}
        return {"points": points, **known, "provenance": dict(self.provenance)}

    @classmethod
    def from_dict(cls, document: Any, field: str = "model") -> "PerformanceModel":
        """The model that `to_dict` wrote, or that somebody wrote by hand; `field` is its place, for errors."""
        if not isinstance(document, Mapping) or not isinstance(document.get("points"), list):
            raise ConfigError(field, document, "write `points`: a list of threads, rate_rps, cpu, memory")
        for key in document:
            if key not in ("points", "resolution", "provenance"):
                may = "only points, resolution and provenance may stand here"
                raise ConfigError(f"{field}.{key}", document[key], may)
        provenance = document.get("provenance") or {}
        if not isinstance(provenance, Mapping):
            raise ConfigError(f"{field}.provenance", provenance, "write names with their values")
        points = [_read(point, f"{field}.points.{place}") for place, point in enumerate(document["points"])]
        named = {str(name): str(value) for name, value in provenance.items()}
        return cls(points, named, field, document.get("resolution", 0.0))

    def _at(self, threads: int, figure: str) -> float:
        place = bisect_left(self.points, threads, key=lambda point: point.threads)
        if place == len(self.points):
            return float(getattr(self.points[-1], figure))
        above = self.points[place]
        if above.threads == threads:
            return float(getattr(above, figure))
        below = self.points[place - 1] if place else ModelPoint(0, 0.0, 0.0, 0.0)
        part = (threads - below.threads) / (above.threads - below.threads)
        start: float = getattr(below, figure)
        return start + part * (float(getattr(above, figure)) - start)


def _listed(points: Any, name: str) -> list[Any]:
    if isinstance(points, str) or not isinstance(points, Iterable):
        raise ConfigError(name, points, "write a list of (threads, rate, cpu, memory)")
    listed = list(points)
    if not listed:
        raise ConfigError(name, listed, "give at least one point (threads, rate, cpu, memory): profile the task")
    return listed


def _checked(point: Any, name: str) -> ModelPoint:
    if not isinstance(point, ModelPoint):
        if isinstance(point, str) or not isinstance(point, Iterable) or len(values := tuple(point)) != len(_FIGURES):
            raise ConfigError(name, point, "write each point as (threads, rate, cpu, memory)")
        point = ModelPoint(*values)
    if not is_number(point.threads) or point.threads != point.threads // 1 or not 1 <= point.threads <= _MOST_THREADS:
        remedy = f"write a whole number of threads, from 1 to {_MOST_THREADS:,}"
        raise ConfigError(f"{name}.threads", point.threads, remedy)
    figures = {figure: non_negative(getattr(point, figure), f"{name}.{figure}") for figure in _FIGURES[1:]}
    return ModelPoint(int(point.threads), **figures, source=str(point.source))


def _read(point: Any, field: str) -> ModelPoint:
    if not isinstance(point, Mapping) or not set(_FIGURES) <= point.keys() <= {*_FIGURES, "source"}:
        raise ConfigError(field, point, f"write {', '.join(_FIGURES)}")
    return _checked(ModelPoint(**point), field)
