"""A batch's rows divided among the sources of its query, by what its recent batches tell of each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_STILL = 0.1  # of an equal part: what a source that was still keeps, for its part holds until the bound is set again


@dataclass(frozen=True, slots=True)
class Span:
    """What one batch took of a source."""

    start: Any  # offsets, as the source writes them
    end: Any
    rows: int


@dataclass(frozen=True, slots=True)
class RecentBatches:
    """What recent batches tell of one source: the rows that they took, and those that the last of them left."""

    spans: tuple[Span, ...] = ()  # the oldest first
    waiting: float = 0.0

    @property
    def taken(self) -> int:
        """The rows of these batches."""
        return sum(span.rows for span in self.spans)

    @property
    def rows(self) -> float:
        """What there was to be taken."""
        return self.taken + self.waiting


def told(batches: Sequence[Mapping[str, Any]], source: int) -> RecentBatches:
    """What the progress documents of these batches, the oldest first, tell of the source at that place."""
    spans = tuple(_span(batch["sources"][source]) for batch in batches)
    waiting = _waiting(batches[-1]["sources"][source]) if batches else 0.0
    return RecentBatches(spans, waiting)


def parts(rows: int, weights: Sequence[float]) -> tuple[int, ...]:
    """So many rows in proportion to the weights; equal parts where all are 0, and never less than a row.

    What waits drains everywhere at once: so does Spark divide a Kafka source's bound among its partitions.

    >>> parts(1000, [300, 100]), parts(1000, [0, 0, 0]), parts(1000, [400, 0])
    ((750, 250), (334, 333, 333), (952, 48))
    """
    total = sum(weights)
    least = _STILL / len(weights)
    shares = [max(least, weight / total) if total > 0 else 1.0 for weight in weights]
    exact = [rows * share / sum(shares) for share in shares]
    whole = [max(1, int(part)) for part in exact]
    most_cut = sorted(range(len(exact)), key=lambda place: (int(exact[place]) - exact[place], place))
    for place in most_cut[: max(0, rows - sum(whole))]:
        whole[place] += 1
    while sum(whole) > max(rows, len(whole)):
        whole[whole.index(max(whole))] -= 1  # for those that were given their one row
    return tuple(whole)


def _span(source: Mapping[str, Any]) -> Span:
    return Span(source.get("startOffset"), source.get("endOffset"), int(source["numInputRows"]))


def _waiting(source: Mapping[str, Any]) -> float:
    """Rows between the end of the batch and what the source had by then, where it tells that as Kafka does."""
    latest, end = source.get("latestOffset"), source.get("endOffset")
    if not isinstance(latest, Mapping) or not isinstance(end, Mapping):
        return 0.0
    return float(sum(_ends(latest)) - sum(_ends(end)))


def _ends(offsets: Mapping[str, Any]) -> list[int]:
    return [
        int(end) for partitions in offsets.values() if isinstance(partitions, Mapping) for end in partitions.values()
    ]
