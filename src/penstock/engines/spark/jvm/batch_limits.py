"""The limits within which a running query plans its batches, in Spark's own terms.

Before each batch Spark asks every source of the query where the batch shall end, within the limit that the query's
`uniqueSources` holds for it; that map has a setter in Spark's bytecode. A batch whose end is in the offset log is run
as logged, so no row is lost or read twice by a change.
"""

import json
import time
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from penstock.engines.spark.jobs.batch_parts import RecentBatches, told
from penstock.engines.spark.jvm.bounded_sources import BoundedFiles, BoundedSource, bounded_source, unboundable
from penstock.engines.spark.jvm.read_limits import ReadLimits, kind_of

_RECENT = 10  # batches from which the parts of several sources are learnt
_SOURCES_WITHIN_S = 5.0  # a query makes its sources right after its start; Kafka's and files take milliseconds
_LOOK_EVERY_S = 0.02

_TRIGGERS: Mapping[str, str] = MappingProxyType(
    {
        "AvailableNowTrigger$": "it runs with the trigger availableNow, which fixes its batches at the start",
        "OneTimeTrigger$": "it runs with the trigger once, whose one batch has no bound",
        "RealTimeTrigger": "it runs in real-time mode, where a batch has no bound",
    }
)


class BatchLimits:
    """Looks up the limits of queries and puts others in their place; Py4J's errors are the caller's."""

    def __init__(self, spark: SparkSession) -> None:
        self._jvm = ReadLimits(spark)
        self._file_rows: dict[tuple[str, int], float] = {}  # by query and source: kept over its restarts

    def lacks(self) -> str | None:
        """What this Spark lacks for it, in words; None when it has everything."""
        return self._jvm.lacks()

    def refusal(self, query: StreamingQuery) -> str | None:
        """Why this query's limits are not to be touched, in words; None when they may."""
        execution = _execution(query)
        if not self._jvm.kind(self._jvm.execution).isInstance(execution):
            return "it does not run in micro-batches"
        trigger = _TRIGGERS.get(kind_of(execution.trigger()))
        if trigger is not None:
            return trigger
        if not query.isActive:
            return "it does not run any more"
        if not _has_sources(query, execution):
            return f"its sources were not there {_SOURCES_WITHIN_S:.0f} s after its start"
        return next((reason for stream in _streams(execution) if (reason := unboundable(stream)) is not None), None)

    def make_sources(self, query: StreamingQuery) -> None:
        """Have a query that only begins make its sources now, as it would next: on its own thread alone it may."""
        _execution(query).logicalPlan()

    def sources(self, query: StreamingQuery) -> list[BoundedSource]:
        """The query's sources as they are now, in the order in which its progress tells of them."""
        execution, jsq = _execution(query), _wrapper(query)
        recent = list(jsq.recentProgress())[-_RECENT:]
        batches = [json.loads(progress.json()) for progress in recent]
        limits = execution.uniqueSources()
        return [
            self._source(query, place, stream, limits.apply(stream), told(batches, place))
            for place, stream in enumerate(_streams(execution))
        ]

    def put(self, query: StreamingQuery, sources: Sequence[BoundedSource], limits: Sequence[Any]) -> int:
        """Give each source its limit; the number of the batch from which on every one is planned within them."""
        execution = _execution(query)
        fresh = execution.uniqueSources()
        for source, limit in zip(sources, limits, strict=True):
            fresh = source.put(fresh, limit)
        # Written last and always: the field is volatile, so what was put into a source before it is seen with it.
        getattr(execution, "uniqueSources_$eq")(fresh)
        return self._jvm.first_to_obey(execution)

    def _source(self, query: StreamingQuery, place: int, stream: Any, limit: Any, seen: RecentBatches) -> BoundedSource:
        key = (query.id, place)
        source = bounded_source(self._jvm, stream, limit, seen, self._file_rows.get(key))
        if isinstance(source, BoundedFiles) and source.rows_a_file is not None:
            self._file_rows[key] = source.rows_a_file
        return source


def _execution(query: StreamingQuery) -> Any:
    return _wrapper(query).streamingQuery()


def _wrapper(query: StreamingQuery) -> Any:
    return query._jsq


def _has_sources(query: StreamingQuery, execution: Any) -> bool:
    deadline = time.monotonic() + _SOURCES_WITHIN_S
    while execution.uniqueSources().isEmpty():
        if not query.isActive or time.monotonic() > deadline:
            return False
        time.sleep(_LOOK_EVERY_S)
    return True


def _streams(execution: Any) -> list[Any]:
    """The sources in the order in which progress tells of them; one that is read twice is there once."""
    streams = execution.sources().distinct()
    return [streams.apply(place) for place in range(streams.size())]
