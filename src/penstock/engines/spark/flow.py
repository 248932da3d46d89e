"""Flow: rows that arrived and rows that were processed as two curves over time, and what lies between them.

Arrived: at the start of a batch, all rows taken so far and those the source held back. Processed: at the commit
of a batch, all rows taken so far. Between the points both are straight lines; after the last trigger rows go on
arriving as they did. Backlog is the height between the curves, latency their distance along time, and juice the
rise of one over the rise of the other. Where a broker says how many rows arrived, that is taken instead.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from penstock.engines.spark.arrivals import Seen
from penstock.engines.spark.progress import Batch

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

    @property
    def span_s(self) -> float:
        """The length of the window."""
        return self.end_s - self.start_s

    @property
    def juice(self) -> float | None:
        """The share of the arrived rows that was processed; None when nothing arrived."""
        return min(1.0, self.processed / self.arrived) if self.arrived > 0 else None

    @property
    def behind(self) -> bool:
        """Whether rows arrive faster than they are processed."""
        return self.arrived > 0 and self.processed < 0.98 * self.arrived


@dataclass(frozen=True, slots=True)
class Curves:
    """The arrived and processed curves of a query's last batches, up to `now_s`."""

    arrived_at: NDArray[np.float64]
    arrived: NDArray[np.float64]
    processed_at: NDArray[np.float64]
    processed: NDArray[np.float64]
    end_s: float
    stalled: bool

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
        )

    def arrival_of(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """When the rows with these running numbers arrived."""
        return np.interp(rows, self.arrived, self.arrived_at)


def curves(
    batches: Sequence[Batch], now_s: float, idle_since_s: float | None = None, seen: Sequence[Seen] = ()
) -> Curves | None:
    """The curves of these batches, oldest first; None while there are fewer than two."""
    if len(batches) < 2:
        return None
    taken = np.cumsum([batch.rows for batch in batches])
    held = np.array([batch.held_back_rows or 0.0 for batch in batches])
    started = np.array([batch.started_s for batch in batches])
    committed = np.array([batch.committed_s for batch in batches])
    end_s, stalled = _end(committed, now_s, idle_since_s)
    arrived = np.maximum.accumulate(taken + held)
    before_s = started[0] - (started[1] - started[0])
    arrived_at = np.concatenate(([before_s], started))
    arrived = np.concatenate(([0.0], arrived))
    arrived_at, arrived = _merged(arrived_at, arrived, seen_rows(batches, seen))
    if end_s > arrived_at[-1]:
        rate_rps = 0.0 if idle_since_s is not None else _last_rate(arrived_at, arrived)
        arrived_at = np.append(arrived_at, end_s)
        arrived = np.append(arrived, arrived[-1] + rate_rps * (end_s - arrived_at[-2]))
    return Curves(arrived_at, arrived, committed, taken, end_s, stalled)


def rows_per_offset(batches: Sequence[Batch]) -> float | None:
    """How many rows of the flow one step of Kafka's offsets was; below 1 where a filter comes before the count."""
    first, last = batches[0].offset_end, batches[-1].offset_end
    if first is None or last is None:
        return None
    return sum(batch.rows for batch in batches[1:]) / (last - first) if last > first else 1.0


def seen_rows(batches: Sequence[Batch], seen: Sequence[Seen]) -> list[Seen]:
    """A broker's readings in the flow's own count, which begins with the first batch."""
    scale, first = rows_per_offset(batches), batches[0]
    if scale is None or first.offset_end is None:
        return []
    counted = [Seen(one.at_s, first.rows + scale * (one.rows - first.offset_end)) for one in seen]
    return [one for one in counted if one.at_s > first.started_s]


def _merged(
    at: NDArray[np.float64], arrived: NDArray[np.float64], seen: Sequence[Seen]
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
