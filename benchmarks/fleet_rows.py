"""Rows of `fleet_of_eight` that can be counted: by its value alone a row comes or not, so that a twin knows them all.

The source numbers its rows without end, so many a second; of these come as many as the curve says at the second that
the number stands for. What a batch let through is counted in Spark, and by `told_of` beside what there was to come.
"""

import itertools
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from penstock.workloads.paced import rate_sql

CurvePoints = Sequence[Sequence[float]]
_PARTS = 1000
_MIXED = 619  # shares no divisor with the parts: values next to one another fall far apart


@dataclass(frozen=True, slots=True)
class BatchRows:
    """One batch: the seconds of the source that it read, how many rows it let through, and the sum of their values."""

    batch: int
    start: int
    end: int
    count: int
    total: int


def source_began_s(checkpoint: Path) -> float | None:
    """Since the epoch, when a query's source began to number its rows, as Spark has it there; None before that.

    A curve's seconds are counted from then. A driver records views before, while its job waits for others.
    """
    try:
        _version, began_ms = (checkpoint / "sources" / "0" / "0").read_text(encoding="utf-8").split()
    except (FileNotFoundError, ValueError):  # not there, or not written to its end
        return None
    return int(began_ms) / 1e3


def peak_of(curve: CurvePoints) -> int:
    """Rows a second of the source."""
    return max(1, round(max(rate for _, rate in curve)))


def comes_sql(curve: CurvePoints) -> str:
    """Whether the row of a `value` comes, as an SQL expression."""
    peak = peak_of(curve)
    rate = rate_sql([(at_s, rate) for at_s, rate in curve], f"(value / {peak})")
    return f"pmod(value * {_MIXED}, {_PARTS}) < {_PARTS}D * ({rate}) / {peak}"


def comes(curve: CurvePoints, value: int) -> bool:
    """The same of one value.

    >>> sum(comes(((0.0, 90.0),), value) for value in range(9000))
    9000
    >>> sum(comes(((0.0, 30.0), (50.0, 30.0), (50.2, 60.0)), value) for value in range(3000))
    1500
    """
    peak = peak_of(curve)
    return value * _MIXED % _PARTS < _PARTS * _rate(curve, value / peak) / peak


def _rate(curve: CurvePoints, at_s: float) -> float:
    for (from_s, before), (to_s, after) in itertools.pairwise(curve):
        if at_s < to_s and to_s > from_s:
            return before + (after - before) / (to_s - from_s) * (at_s - from_s) if at_s >= from_s else before
    return curve[-1][1]


def told_of(curve: CurvePoints, batches: Iterable[BatchRows]) -> Mapping[str, int]:
    """Rows that came, and how many were lost or came twice or more, batch by batch, and between one and the next.

    >>> curve = ((0.0, 2.0),)
    >>> told_of(curve, [BatchRows(0, 0, 2, 4, 6), BatchRows(1, 2, 3, 2, 9)])
    {'rows': 6, 'lost': 0, 'doubled': 0, 'other': 0}
    >>> told_of(curve, [BatchRows(0, 0, 2, 3, 6), BatchRows(1, 3, 4, 2, 12)])
    {'rows': 5, 'lost': 3, 'doubled': 0, 'other': 0}
    """
    peak = peak_of(curve)
    told = {"rows": 0, "lost": 0, "doubled": 0, "other": 0}
    until = 0
    for one in sorted(batches, key=lambda one: one.batch):
        expected = [value for value in range(min(until, one.start) * peak, one.end * peak) if comes(curve, value)]
        known = [value for value in expected if until * peak <= value]
        told["rows"] += one.count
        told["lost"] += max(0, len(known) - one.count)
        told["doubled"] += max(0, one.count - len(known))
        told["other"] += int(one.count == len(known) and one.total != sum(known))
        until = max(until, one.end)
    return told


def keep(place: Path, batch: BatchRows) -> None:
    """Write it down at once: the driver may be killed at any moment."""
    with place.open("a", encoding="utf-8") as file:
        file.write(json.dumps([batch.batch, batch.start, batch.end, batch.count, batch.total]) + "\n")


def kept(place: Path) -> list[BatchRows]:
    """All that was written down."""
    if not place.exists():
        return []
    return [BatchRows(*json.loads(line)) for line in place.read_text(encoding="utf-8").splitlines()]
