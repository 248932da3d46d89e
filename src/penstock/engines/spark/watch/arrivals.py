"""Arrivals as a broker counts them: rows that the topics of one query were ever given, at some instants."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Seen:
    """So many rows had arrived by then, since the topics began."""

    at_s: float
    rows: float


@dataclass(slots=True)
class Arrivals:
    """The last readings, oldest first."""

    _seen: deque[Seen] = field(default_factory=deque)

    def __iter__(self) -> Iterator[Seen]:
        return iter(self._seen)

    def add(self, seen: Seen, keep_s: float) -> None:
        """A reading; those older than `keep_s` are forgotten."""
        if self._seen and (seen.rows < self._seen[-1].rows or seen.at_s < self._seen[-1].at_s):
            self._seen.clear()  # the topics are others of the same name, or the clock was set back
        self._seen.append(seen)
        while len(self._seen) > 2 and self._seen[1].at_s < seen.at_s - keep_s:
            self._seen.popleft()

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
