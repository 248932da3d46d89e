"""Arrivals as a broker counts them: rows that the topics of one query were ever given, at some instants."""

from collections.abc import Iterator
from dataclasses import dataclass

from penstock.engines.spark.watch.series import since


@dataclass(frozen=True, slots=True)
class ArrivedBy:
    """So many rows had arrived by then, since the topics began."""

    at_s: float
    rows: float


@dataclass(frozen=True, slots=True)
class Arrivals:
    """The last readings, oldest first."""

    _seen: tuple[ArrivedBy, ...] = ()

    def __iter__(self) -> Iterator[ArrivedBy]:
        return iter(self._seen)

    def and_also(self, seen: ArrivedBy, keep_s: float) -> "Arrivals":
        """With a reading more; those older than `keep_s` are forgotten."""
        before = self._seen
        if before and (seen.rows < before[-1].rows or seen.at_s < before[-1].at_s):
            before = ()  # the topics are others of the same name, or the clock was set back
        return Arrivals(since((*before, seen), [one.at_s for one in (*before, seen)], seen.at_s - keep_s))

    def rate_rps(self, window_s: float) -> float | None:
        """Rows a second over the window that ends with the last reading; None before there are two in it."""
        if not self._seen:
            return None
        last = self._seen[-1]
        first = next(seen for seen in self._seen if seen.at_s >= last.at_s - window_s)
        return (last.rows - first.rows) / (last.at_s - first.at_s) if last.at_s > first.at_s else None

    def beyond(self, rows: float) -> float | None:
        """Rows that arrived after the first so many; None before the first reading."""
        return max(0.0, self._seen[-1].rows - rows) if self._seen else None
