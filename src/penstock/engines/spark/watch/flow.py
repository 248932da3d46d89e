"""Flow: rows that arrived and rows that were processed as two curves over time, and what lies between them.

Arrived: at the start of a batch, all rows taken so far and those the source held back. Processed: at the commit
of a batch, all rows taken so far. Between the points both are straight lines; after the last trigger rows go on
arriving as they did. Backlog is the height between the curves, latency their distance along time, and juice the
rise of one over the rise of the other. Where a broker says how many rows arrived, that is taken instead.

A job of several sources has two curves for each of them, too, where all of them say what they hold back: its juice is
the mean of theirs (Henge, equation 6). One that gives a hundredth of the rows counts as much as the others.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from penstock.engines.spark.watch.arrivals import ArrivedBy
from penstock.engines.spark.watch.progress import Batch

_STALLED_AFTER_CYCLES = 1.5  # a batch that takes so many times the longest of the window: time goes on without it
_RATE_OVER_S = 5.0  # batches that catch up start within milliseconds; over less, a rate is noise


@dataclass(frozen=True, slots=True)
class Flow:
    """What went through a query over a window that ends at `end_s`."""

    start_s: float
    end_s: float
    arrived: float
    processed: float
    backlog_rows: float
    stalled: bool
    of_sources: tuple[tuple[float, float], ...] = ()  # arrived and processed, of each where there are several

    @property
    def span_s(self) -> float:
        """The length of the window."""
        return self.end_s - self.start_s

    @property
    def juice(self) -> float | None:
        """The share of the arrived rows that was processed, source by source; None when nothing arrived.

        A source to which nothing came has lost nothing.
        """
        if self.arrived <= 0:
            return None
        shares = [
            min(1.0, processed / arrived) if arrived > 0 else 1.0
            for arrived, processed in self.of_sources or [(self.arrived, self.processed)]
        ]
        return sum(shares) / len(shares)

    @property
    def behind(self) -> bool:
        """Whether rows arrive faster than they are processed, at one source at least."""
        return any(
            arrived > 0 and processed < 0.98 * arrived
            for arrived, processed in [*self.of_sources, (self.arrived, self.processed)]
        )


@dataclass(frozen=True, slots=True)
class SourceCurves:
    """The same of one source; what it gave is processed when the batch is committed."""

    arrived_at: NDArray[np.float64]
    arrived: NDArray[np.float64]
    processed: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Curves:
    """The arrived and processed curves of a query's last batches, up to `now_s`."""

    arrived_at: NDArray[np.float64]
    arrived: NDArray[np.float64]
    processed_at: NDArray[np.float64]
    processed: NDArray[np.float64]
    end_s: float
    stalled: bool
    of_sources: tuple[SourceCurves, ...] = ()

    def flow(self, window_s: float) -> Flow | None:
        """The flow over the window; None before two batches were committed."""
        start_s = max(self.end_s - window_s, float(self.processed_at[0]))
        if self.end_s <= start_s:
            return None
        arrived = np.interp([start_s, self.end_s], self.arrived_at, self.arrived)
        processed = np.interp([start_s, self.end_s], self.processed_at, self.processed)
        return Flow(
            start_s=start_s,
            end_s=self.end_s,
            arrived=float(arrived[1] - arrived[0]),
            processed=float(processed[1] - processed[0]),
            backlog_rows=float(max(0.0, arrived[1] - processed[1])),
            stalled=self.stalled,
            of_sources=tuple(self._rise(source, start_s) for source in self.of_sources),
        )

    def _rise(self, source: SourceCurves, start_s: float) -> tuple[float, float]:
        arrived = np.interp([start_s, self.end_s], source.arrived_at, source.arrived)
        processed = np.interp([start_s, self.end_s], self.processed_at, source.processed)
        return float(arrived[1] - arrived[0]), float(processed[1] - processed[0])

    def arrival_of(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """When the rows with these running numbers arrived."""
        return np.interp(rows, self.arrived, self.arrived_at)


def curves(
    batches: Sequence[Batch], now_s: float, idle_since_s: float | None = None, seen: Sequence[ArrivedBy] = ()
) -> Curves | None:
    """The curves of these batches, oldest first; None while there are fewer than two."""
    if len(batches) < 2:
        return None
    taken = np.cumsum([batch.rows for batch in batches])
    held = _held_back(batches)
    started = np.array([batch.started_s for batch in batches])
    committed = np.array([batch.committed_s for batch in batches])
    end_s, stalled = _end(committed, now_s, idle_since_s)
    idle = idle_since_s is not None
    at, arrived = _to_end(*_merged(*_arrived(started, taken + held), seen_rows(batches, seen)), end_s, idle)
    return Curves(at, arrived, committed, taken, end_s, stalled, _of_sources(batches, started, end_s, idle))


def _held_back(batches: Sequence[Batch]) -> NDArray[np.float64]:
    """What each batch left, in rows that count, at the share of the sources' rows that counted in all of them.

    By each batch's own share a backlog of thousands rises and falls with a few rows, as if they came and went.
    """
    taken = sum(source.taken for batch in batches for source in batch.sources)
    share = sum(batch.rows for batch in batches if batch.sources) / taken if taken > 0 else 1.0
    return np.array([_left_by(batch, share) for batch in batches])


def _left_by(batch: Batch, share: float) -> float:
    known = [source.held_back for source in batch.sources if source.held_back is not None]
    return share * sum(known) if known else batch.held_back_rows or 0.0


def _of_sources(
    batches: Sequence[Batch], started: NDArray[np.float64], end_s: float, idle: bool
) -> tuple[SourceCurves, ...]:
    """The curves of each source, where there are several and all of them tell in every batch."""
    count = len(batches[-1].sources)
    if count < 2 or any(len(batch.sources) != count for batch in batches):
        return ()
    if any(source.held_back is None for batch in batches for source in batch.sources):
        return ()
    found = []
    for place in range(count):
        taken = np.cumsum([batch.sources[place].taken for batch in batches])
        held = np.array([batch.sources[place].held_back or 0.0 for batch in batches])
        found.append(SourceCurves(*_to_end(*_arrived(started, taken + held), end_s, idle), taken))
    return tuple(found)


def _arrived(
    started: NDArray[np.float64], rows: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The rows that had come when each batch began, and as long before the first as the second came after it.

    In that time no more came than between those two: what waits since earlier has not come just now.
    """
    before_s = started[0] - (started[1] - started[0])
    came = np.maximum.accumulate(rows)
    before = max(0.0, 2.0 * came[0] - came[1])
    return np.concatenate(([before_s], started)), np.concatenate(([before], came))


def _to_end(
    at: NDArray[np.float64], arrived: NDArray[np.float64], end_s: float, idle: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """After the last point rows go on arriving as they did, unless the query is idle."""
    if end_s <= at[-1]:
        return at, arrived
    rate_rps = 0.0 if idle else _last_rate(at, arrived)
    return np.append(at, end_s), np.append(arrived, arrived[-1] + rate_rps * (end_s - at[-1]))


def rows_per_offset(batches: Sequence[Batch]) -> float | None:
    """How many rows of the flow one step of Kafka's offsets was; below 1 where a filter comes before the count."""
    first, last = batches[0].offset_end, batches[-1].offset_end
    if first is None or last is None:
        return None
    return sum(batch.rows for batch in batches[1:]) / (last - first) if last > first else 1.0


def seen_rows(batches: Sequence[Batch], seen: Sequence[ArrivedBy]) -> list[ArrivedBy]:
    """A broker's readings in the flow's own count, which begins with the first batch."""
    scale, first = rows_per_offset(batches), batches[0]
    if scale is None or first.offset_end is None:
        return []
    counted = [ArrivedBy(one.at_s, first.rows + scale * (one.rows - first.offset_end)) for one in seen]
    return [one for one in counted if one.at_s > first.started_s]


def _merged(
    at: NDArray[np.float64], arrived: NDArray[np.float64], seen: Sequence[ArrivedBy]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    if not seen:
        return at, arrived
    at = np.concatenate([at, [one.at_s for one in seen]])
    arrived = np.concatenate([arrived, [one.rows for one in seen]])
    order = np.argsort(at, kind="stable")
    return at[order], np.maximum.accumulate(arrived[order])


def _end(committed: NDArray[np.float64], now_s: float, idle_since_s: float | None) -> tuple[float, bool]:
    """The last commit, so that a batch that has just begun is not held against the query; now when it stalls."""
    last_s = float(committed[-1])
    if idle_since_s is not None:
        return max(last_s, idle_since_s), False
    longest_s = float(np.max(np.diff(committed)))
    stalled = now_s - last_s > max(_STALLED_AFTER_CYCLES * longest_s, 1.0)
    return (max(now_s, last_s), True) if stalled else (last_s, False)


def _last_rate(at: NDArray[np.float64], arrived: NDArray[np.float64]) -> float:
    first = max(0, min(len(at) - 2, int(np.searchsorted(at, at[-1] - _RATE_OVER_S))))
    span_s = float(at[-1] - at[first])
    return float(arrived[-1] - arrived[first]) / span_s if span_s > 0 else 0.0
