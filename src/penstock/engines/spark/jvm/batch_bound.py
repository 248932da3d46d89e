"""Batch bounds without a restart: how many rows the next batch of a running query may take, on stock Spark."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from py4j.protocol import Py4JError
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from penstock.engines.first_batches import SmallBatch
from penstock.engines.spark.jobs.batch_parts import parts
from penstock.engines.spark.jvm.batch_limits import BatchLimits
from penstock.engines.spark.jvm.bounded_sources import BoundedSource
from penstock.errors import EngineError, first_line

_Found = TypeVar("_Found")


class BatchBounds:
    """Bounds the batches of queries, penstock's own and adopted ones, while they run.

    A bound holds until the query is started again: then its options hold, and the bound is to be set once more.
    """

    def __init__(self, spark: SparkSession) -> None:
        self._limits = BatchLimits(spark)
        self.unsupported = self._limits.lacks()  # why no query at all can be bounded on this Spark; None: it can

    def refusal(self, query: StreamingQuery) -> str | None:
        """Why this query's batches cannot be bounded while it runs, in words; None when they can."""
        if self.unsupported is not None:
            return self.unsupported
        return _guarded(query, lambda: self._limits.refusal(query))

    def now(self, query: StreamingQuery) -> int | None:
        """The rows that a batch may hold at most, by the limits of its sources; None: unbounded, or not known.

        A file's rows are taken to be as many as those of recent batches had.
        """
        if self.refusal(query) is not None:
            return None
        bounds = _guarded(query, lambda: [source.rows() for source in self._limits.sources(query)])
        known = [bound for bound in bounds if bound is not None]
        return round(sum(known)) if len(known) == len(bounds) else None

    def holds_back(self, query: StreamingQuery) -> bool:
        """Whether rows beyond a bound wait at all of its sources: one that makes its rows would make fewer."""
        return _guarded(query, lambda: all(source.holds_back for source in self._limits.sources(query)))

    def set(self, query: StreamingQuery, rows: int | None) -> int:
        """Let batches hold at most so many rows; None gives back the limits that the query was started with.

        Returns the number of the batch from which on every one obeys; the one before it may already.
        """
        refusal = self.refusal(query)
        if refusal is not None:
            raise EngineError(f"{_name(query)}: {refusal}; its batches are bounded by its options, at its next start")
        if rows is not None and rows < 1:
            raise EngineError(f"{_name(query)}: a batch of {rows} rows does nothing; ask for at least 1")
        return _guarded(query, lambda: self._set(query, rows))

    def begin(self, query: StreamingQuery, rows: int) -> None:
        """Bound a query on its own thread, before it plans its first batch."""
        _guarded(query, lambda: self._limits.make_sources(query))
        self.set(query, rows)

    def begin_small(self, query: StreamingQuery, rows: int, files: int) -> SmallBatch | None:
        """Let its first batch hold so many rows, or files, on its own thread; None where its options bound it."""
        _guarded(query, lambda: self._limits.make_sources(query))
        refusal = self.refusal(query)
        return None if refusal is not None else _guarded(query, lambda: self._begin_small(query, rows, files))

    def _begin_small(self, query: StreamingQuery, rows: int, files: int) -> SmallBatch | None:
        sources = self._limits.sources(query)
        parted = zip(sources, parts(rows, [0.0] * len(sources)), strict=True)
        wanted = [source.first(part, files) for source, part in parted]
        free = [(source, limit) for source, limit in zip(sources, wanted, strict=True) if limit is not None]
        if not free:
            return None
        number = self._limits.put(query, [source for source, _ in free], [limit for _, limit in free])
        counted = len(free) == len(sources) and all(source.in_rows for source in sources)
        return SmallBatch(rows if counted else None, number)

    def _set(self, query: StreamingQuery, rows: int | None) -> int:
        sources = self._limits.sources(query)
        if rows is None:
            wanted = [source.own() for source in sources]
        else:
            wanted = [source.limit(part) for source, part in zip(sources, _parts(rows, sources), strict=True)]
        return self._limits.put(query, sources, wanted)


def _parts(rows: int, sources: Sequence[BoundedSource]) -> tuple[int, ...]:
    """By what there was to take; before the first batch by the limits that there are; else equal."""
    if any(source.tells for source in sources):
        return parts(rows, [source.waits for source in sources])
    present = [source.rows() or 0.0 for source in sources]
    return parts(rows, present if all(present) else [0.0] * len(present))


def _guarded(query: StreamingQuery, look: Callable[[], _Found]) -> _Found:
    try:
        return look()
    except Py4JError as error:
        raise EngineError(f"the limits of {_name(query)} cannot be reached: {first_line(error)}") from error


def _name(query: StreamingQuery) -> str:
    return query.name or f"query {query.runId}"
