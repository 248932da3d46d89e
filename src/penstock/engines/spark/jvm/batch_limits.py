"""The limits within which a running query plans its batches, in Spark's own terms: all its private names are here.

Before each batch Spark asks every source of the query where the batch shall end, within the limit that the query's
`uniqueSources` holds for it; that map has a setter in Spark's bytecode. A batch whose end is in the offset log is run
as logged, so no row is lost or read twice by a change.
"""

import json
import time
from collections.abc import Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any, Protocol

from py4j.protocol import Py4JError
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from penstock.engines.spark.batch_parts import RecentBatches, told
from penstock.engines.spark.jvm.moved import home_of, homes_of
from penstock.errors import EngineError, first_line

_RECENT = 10  # batches from which the parts of several sources are learnt
_FILE_BATCHES = 3  # and the rows of a file: each of them is looked up in the source's log
_SOURCES_WITHIN_S = 5.0  # a query makes its sources right after its start; Kafka's and files take milliseconds
_LOOK_EVERY_S = 0.02
_MOST_FILES = 2**31 - 1
_ROUNDING = 1e-9  # a whole number of files stays one
_SIZED_FILES = 20  # as many are asked for their size: an object store takes its time for each

_STREAMING = "org.apache.spark.sql.execution.streaming"
_MADE = f"{_STREAMING}.sources.RatePerMicroBatchStream"
_KAFKA = "org.apache.spark.sql.kafka010.KafkaMicroBatchStream"
_FILES_FIELDS = ("metadataLog", "unreadFiles", "sourceOptions")

_TRIGGERS: Mapping[str, str] = MappingProxyType(
    {
        "AvailableNowTrigger$": "it runs with the trigger availableNow, which fixes its batches at the start",
        "OneTimeTrigger$": "it runs with the trigger once, whose one batch has no bound",
        "RealTimeTrigger": "it runs in real-time mode, where a batch has no bound",
    }
)
_UNBOUNDABLE: Mapping[str, str] = MappingProxyType(
    {
        "RateStreamMicroBatchStream": "its rate source makes rows by the clock, as many as are due",
        "TextSocketMicroBatchStream": "a socket source hands over all that it was sent",
    }
)


class BatchLimits:
    """Looks up the limits of queries and puts others in their place; Py4J's errors are the caller's."""

    def __init__(self, spark: SparkSession) -> None:
        self._jvm = _Jvm(spark)
        self._file_rows: dict[tuple[str, int], float] = {}  # by query and source: kept over its restarts

    def lacks(self) -> str | None:
        """What this Spark lacks for it, in words; None when it has everything."""
        return self._jvm.lacks()

    def refusal(self, query: StreamingQuery) -> str | None:
        """Why this query's limits are not to be touched, in words; None when they may."""
        execution = _execution(query)
        if not self._jvm.kind(self._jvm.execution).isInstance(execution):
            return "it does not run in micro-batches"
        trigger = _TRIGGERS.get(_kind(execution.trigger()))
        if trigger is not None:
            return trigger
        if not query.isActive:
            return "it does not run any more"
        if not _has_sources(query, execution):
            return f"its sources were not there {_SOURCES_WITHIN_S:.0f} s after its start"
        return next((reason for stream in _streams(execution) if (reason := _unboundable(stream)) is not None), None)

    def make_sources(self, query: StreamingQuery) -> None:
        """Have a query that only begins make its sources now, as it would next: on its own thread alone it may."""
        _execution(query).logicalPlan()

    def sources(self, query: StreamingQuery) -> list["BoundedSource"]:
        """The query's sources as they are now, in the order in which its progress tells of them."""
        execution, jsq = _execution(query), _wrapper(query)
        recent = list(jsq.recentProgress())[-_RECENT:]
        batches = [json.loads(progress.json()) for progress in recent]
        limits = execution.uniqueSources()
        return [
            self._source(query, place, stream, limits.apply(stream), told(batches, place))
            for place, stream in enumerate(_streams(execution))
        ]

    def put(self, query: StreamingQuery, sources: Sequence["BoundedSource"], limits: Sequence[Any]) -> int:
        """Give each source its limit; the number of the batch from which on every one is planned within them."""
        execution = _execution(query)
        fresh = execution.uniqueSources()
        for source, limit in zip(sources, limits, strict=True):
            fresh = source.put(fresh, limit)
        # Written last and always: the field is volatile, so what was put into a source before it is seen with it.
        getattr(execution, "uniqueSources_$eq")(fresh)
        return self._jvm.first_to_obey(execution)

    def _source(
        self, query: StreamingQuery, place: int, stream: Any, limit: Any, seen: RecentBatches
    ) -> "BoundedSource":
        name = stream.getClass().getName()
        if name == _KAFKA:
            return _Kafka(self._jvm, stream, limit, seen)
        if name == _MADE:
            return _Made(self._jvm, stream, limit, seen)
        files = _Files(self._jvm, stream, limit, seen, self._file_rows.get((query.id, place)))
        if files.rows_a_file is not None:
            self._file_rows[query.id, place] = files.rows_a_file
        return files


class BoundedSource(Protocol):
    """One source of a query, with the limit that its next batch has."""

    waits: float  # rows that there were to be taken of late
    tells: bool  # whether a batch has told of it
    holds_back: bool  # whether rows beyond its limit wait; else they are never made
    in_rows: bool  # whether its limit is one; else in files

    def rows(self) -> float | None:
        """The most rows of a batch; None: unbounded, or not known."""

    def own(self) -> Any:
        """The limit that the query was started with."""

    def limit(self, rows: int) -> Any:
        """The limit that holds a batch to so many rows."""

    def first(self, rows: int, files: int) -> Any | None:
        """The limit that holds its first batch to so much; None where its options set one."""

    def put(self, limits: Any, limit: Any) -> Any:
        """The query's limits with this one for this source."""


class _Kafka:
    """A Kafka source: a bound in rows, beside a minimum that it may have."""

    holds_back = in_rows = True

    def __init__(self, jvm: "_Jvm", stream: Any, limit: Any, seen: RecentBatches) -> None:
        self._jvm, self._stream, self._limit = jvm, stream, limit
        self.waits, self.tells = seen.rows, bool(seen.spans)

    def rows(self) -> float | None:
        most = [limit.maxRows() for limit in _single(self._limit) if _kind(limit) == "ReadMaxRows"]
        return float(min(most)) if most else None

    def own(self) -> Any:
        return self._stream.getDefaultReadLimit()  # by its options alone, so a controller that comes later knows it too

    def limit(self, rows: int) -> Any:
        kept = [limit for limit in _single(self.own()) if _kind(limit) == "ReadMinRows"]
        return self._jvm.all_of([*kept, self._jvm.limits.maxRows(rows)])

    def first(self, rows: int, files: int) -> Any | None:
        return self.limit(rows) if self.rows() is None else None

    def put(self, limits: Any, limit: Any) -> Any:
        return limits.updated(self._stream, limit)


class _Files:
    """A file source: a bound in files, or in bytes where it was started with one. It knows no other kinds."""

    holds_back, in_rows = True, False

    def __init__(self, jvm: "_Jvm", stream: Any, limit: Any, seen: RecentBatches, known: float | None) -> None:
        self._jvm, self._stream, self._limit, self._seen = jvm, stream, limit, seen
        self.rows_a_file = self._learnt() or known
        unread = _field(stream, "unreadFiles")
        self.waits = seen.taken + (0 if unread is None else unread.size()) * (self.rows_a_file or 0.0)
        self.tells = bool(seen.spans)

    def rows(self) -> float | None:
        kind, each = _kind(self._limit), self.rows_a_file
        if kind == "ReadMaxFiles" and each is not None:
            return float(self._limit.maxFiles() * each)
        size = self._file_size() if kind == "ReadMaxBytes" else None
        return None if size is None or each is None else float(self._limit.maxBytes()) * each / size

    def own(self) -> Any:
        return self._stream.getDefaultReadLimit()

    def limit(self, rows: int) -> Any:
        if self.rows_a_file is None:
            raise EngineError(f"no batch has told yet how many rows a file of {self._stream} has; ask again after one")
        size = self._file_size() if _kind(self.own()) == "ReadMaxBytes" else None
        if size is not None:
            return self._jvm.limits.maxBytes(max(1, round(rows * size / self.rows_a_file)))
        return self._jvm.limits.maxFiles(min(_MOST_FILES, max(1, int(rows / self.rows_a_file + _ROUNDING))))

    def first(self, rows: int, files: int) -> Any | None:
        return self._jvm.limits.maxFiles(files) if _kind(self.own()) == "ReadAllAvailable" else None

    def put(self, limits: Any, limit: Any) -> Any:
        return limits.updated(self._stream, limit)

    def _learnt(self) -> float | None:
        """Rows by files over the newest batches; the source's log says which files each of them had."""
        newest = self._seen.spans[-_FILE_BATCHES:]
        if not newest:
            return None
        files = sum(len(batch) for batch in self._entries(newest[0].start, newest[-1].end))
        rows = sum(span.rows for span in newest)
        return rows / files if rows > 0 and files > 0 else None

    def _file_size(self) -> float | None:
        """The mean size of the newest batch's files, in bytes; None where they are gone."""
        span = next((span for span in reversed(self._seen.spans) if span.rows > 0), None)
        if span is None:
            return None
        entries = self._entries(span.start, span.end)
        listed = [batch[place] for batch in entries for place in range(min(len(batch), _SIZED_FILES))]
        system, paths = _field(self._stream, "fs"), [entry.sparkPath().toPath() for entry in listed[:_SIZED_FILES]]
        sizes = [system.getFileStatus(path).getLen() for path in paths if system.exists(path)]
        return sum(sizes) / len(sizes) if sum(sizes) > 0 else None

    def _entries(self, start: Any, end: Any) -> list[Any]:
        """The log's entries after one offset and up to another: an array for each batch."""
        first, last = (-1 if offset is None else offset["logOffset"] for offset in (start, end))
        if last <= first:
            return []
        log = _field(self._stream, "metadataLog")
        return [batch._2() for batch in log.get(self._jvm.some_long(first + 1), self._jvm.some_long(last))]


class _Made:
    """The rate-micro-batch source: each batch has just as many rows as a field of it says, whatever its limit."""

    holds_back, in_rows = False, True

    def __init__(self, jvm: "_Jvm", stream: Any, limit: Any, seen: RecentBatches) -> None:
        self._jvm, self._stream, self._limit = jvm, stream, limit
        self.waits, self.tells = float(seen.taken), bool(seen.spans)

    def rows(self) -> float | None:
        return float(self._stream.getDefaultReadLimit().maxRows())

    def own(self) -> Any:
        return self._limit  # the query's map, which is left alone, keeps the rows that it was started with

    def limit(self, rows: int) -> Any:
        return self._jvm.limits.maxRows(rows)

    def first(self, rows: int, files: int) -> Any | None:
        return None

    def put(self, limits: Any, limit: Any) -> Any:
        field = self._stream.getClass().getDeclaredField("rowsPerBatch")
        field.setAccessible(True)
        field.setLong(self._stream, limit.maxRows())
        return limits


class _Jvm:
    """What is made and looked up in the driver's JVM."""

    def __init__(self, spark: SparkSession) -> None:
        context: Any = spark.sparkContext
        self._jvm, self._gateway, self._version = context._jvm, context._gateway, context.version
        self.limits = self._jvm.org.apache.spark.sql.connector.read.streaming.ReadLimit
        self.execution = home_of(self._jvm, "MicroBatchExecution")
        self.files = home_of(self._jvm, "FileStreamSource")

    def lacks(self) -> str | None:
        """What this Spark lacks, in words."""
        try:
            of_map = self._gateway.new_array(self._jvm.java.lang.Class, 1)
            of_map[0] = self.kind("scala.collection.immutable.Map")
            self.kind(self.execution).getMethod("uniqueSources_$eq", of_map)
            for name, field in (*((self.files, field) for field in _FILES_FIELDS), (_MADE, "rowsPerBatch")):
                self.kind(name).getDeclaredField(field)
            self.all_of([self.limits.minRows(1, 1), self.limits.maxRows(1)])
            self.limits.maxFiles(1), self.some_long(1)
        except (Py4JError, TypeError) as error:  # a class that is not there is a package to py4j, and cannot be called
            return f"Spark {self._version} has no limits that can be set while a query runs ({first_line(error)})"
        return None

    def kind(self, name: str) -> Any:
        return self._jvm.java.lang.Class.forName(name)

    def all_of(self, limits: Sequence[Any]) -> Any:
        """One limit that stands for these."""
        if len(limits) == 1:
            return limits[0]
        array = self._gateway.new_array(self.limits, len(limits))
        for place, limit in enumerate(limits):
            array[place] = limit
        return self.limits.compositeLimit(array)

    def some_long(self, number: int) -> Any:
        """Scala's Some of a long; py4j alone would make it one of an int."""
        longs = self._gateway.new_array(self._jvm.long, 1)
        longs[0] = number
        return self._jvm.scala.Predef.wrapLongArray(longs).headOption()

    def first_to_obey(self, execution: Any) -> int:
        """The batch after the one that is in hand, which may have been planned just before."""
        return _after(execution, self._in_hand(execution))

    def _in_hand(self, execution: Any) -> int:
        if "getLatestExecutionContext" in self._methods:
            return int(execution.getLatestExecutionContext().batchId())
        return int(execution.currentBatchId())  # Spark 3.5

    @cached_property
    def _methods(self) -> frozenset[str]:
        return frozenset(method.getName() for method in self.kind(self.execution).getMethods())


def _after(execution: Any, in_hand: int) -> int:
    if in_hand >= 0:
        return int(in_hand) + 1
    logged = execution.offsetLog().getLatestBatchId()  # it starts: what is in the log is run first
    return int(logged.get()) + 1 if logged.isDefined() else 0


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


def _unboundable(stream: Any) -> str | None:
    name, kind = stream.getClass().getName(), _kind(stream)
    if name in homes_of("FileStreamSource"):
        options = _field(stream, "sourceOptions")
        if options.latestFirst() and _kind(stream.getDefaultReadLimit()) == "ReadAllAvailable":
            # Such a source passes over files much older than the newest that it took (maxFileAge, a week). Tried with
            # 1.5 s: 100 of 100 rows came without a bound, 70 with one.
            return "its files are read newest first and without a bound: with one, old files would be passed over"
        return None
    if name in (_KAFKA, _MADE):
        return None
    return _UNBOUNDABLE.get(kind, f"its source {stream} ({kind}) is none whose limits penstock knows")


def _single(limit: Any) -> list[Any]:
    return list(limit.getReadLimits()) if _kind(limit) == "CompositeReadLimit" else [limit]


def _kind(thing: Any) -> str:
    return str(thing.getClass().getSimpleName())


def _field(thing: Any, name: str) -> Any:
    field = thing.getClass().getDeclaredField(name)
    field.setAccessible(True)
    return field.get(thing)
