"""The sources of a query whose batches can be bounded, each with limits of its own kind: rows, files, made rows."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Protocol

from penstock.engines.spark.jobs.batch_parts import RecentBatches
from penstock.engines.spark.jvm.class_homes import homes_of
from penstock.engines.spark.jvm.private_fields import field_of, value_of
from penstock.engines.spark.jvm.read_limits import MADE, ReadLimits, kind_of
from penstock.errors import EngineError

_FILE_BATCHES = 3  # from which the rows of a file are learnt: each of them is looked up in the source's log
_MOST_FILES = 2**31 - 1
_ROUNDING = 1e-9  # a whole number of files stays one
_SIZED_FILES = 20  # as many are asked for their size: an object store takes its time for each

_KAFKA = "org.apache.spark.sql.kafka010.KafkaMicroBatchStream"
_UNBOUNDABLE: Mapping[str, str] = MappingProxyType(
    {
        "RateStreamMicroBatchStream": "its rate source makes rows by the clock, as many as are due",
        "TextSocketMicroBatchStream": "a socket source hands over all that it was sent",
    }
)


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


def bounded_source(jvm: ReadLimits, stream: Any, limit: Any, seen: RecentBatches, known: float | None) -> BoundedSource:
    """The source of that stream, with the limit that it has; `known` are the rows of a file, where it reads files."""
    name = stream.getClass().getName()
    if name == _KAFKA:
        return _Kafka(jvm, stream, limit, seen)
    if name == MADE:
        return _Made(jvm, stream, limit, seen)
    return BoundedFiles(jvm, stream, limit, seen, known)


def unboundable(stream: Any) -> str | None:
    """Why no batch of this source can be bounded, in words; None when it can."""
    name, kind = stream.getClass().getName(), kind_of(stream)
    if name in homes_of("FileStreamSource"):
        options = value_of(stream, "sourceOptions")
        if options.latestFirst() and kind_of(stream.getDefaultReadLimit()) == "ReadAllAvailable":
            # Such a source passes over files much older than the newest that it took (maxFileAge, a week). Tried with
            # 1.5 s: 100 of 100 rows came without a bound, 70 with one.
            return "its files are read newest first and without a bound: with one, old files would be passed over"
        return None
    if name in (_KAFKA, MADE):
        return None
    return _UNBOUNDABLE.get(kind, f"its source {stream} ({kind}) is none whose limits penstock knows")


class _Kafka:
    """A Kafka source: a bound in rows, beside a minimum that it may have."""

    holds_back = in_rows = True

    def __init__(self, jvm: ReadLimits, stream: Any, limit: Any, seen: RecentBatches) -> None:
        self._jvm, self._stream, self._limit = jvm, stream, limit
        self.waits, self.tells = seen.rows, bool(seen.spans)

    def rows(self) -> float | None:
        most = [limit.maxRows() for limit in _single(self._limit) if kind_of(limit) == "ReadMaxRows"]
        return float(min(most)) if most else None

    def own(self) -> Any:
        return self._stream.getDefaultReadLimit()  # by its options alone, so a controller that comes later knows it too

    def limit(self, rows: int) -> Any:
        kept = [limit for limit in _single(self.own()) if kind_of(limit) == "ReadMinRows"]
        return self._jvm.all_of([*kept, self._jvm.limits.maxRows(rows)])

    def first(self, rows: int, files: int) -> Any | None:
        return self.limit(rows) if self.rows() is None else None

    def put(self, limits: Any, limit: Any) -> Any:
        return limits.updated(self._stream, limit)


class BoundedFiles:
    """A file source: a bound in files, or in bytes where it was started with one. It knows no other kinds."""

    holds_back, in_rows = True, False

    def __init__(self, jvm: ReadLimits, stream: Any, limit: Any, seen: RecentBatches, known: float | None) -> None:
        self._jvm, self._stream, self._limit, self._seen = jvm, stream, limit, seen
        self.rows_a_file = self._learnt() or known
        unread = value_of(stream, "unreadFiles")
        self.waits = seen.taken + (0 if unread is None else unread.size()) * (self.rows_a_file or 0.0)
        self.tells = bool(seen.spans)

    def rows(self) -> float | None:
        kind, each = kind_of(self._limit), self.rows_a_file
        if kind == "ReadMaxFiles" and each is not None:
            return float(self._limit.maxFiles() * each)
        size = self._file_size() if kind == "ReadMaxBytes" else None
        return None if size is None or each is None else float(self._limit.maxBytes()) * each / size

    def own(self) -> Any:
        return self._stream.getDefaultReadLimit()

    def limit(self, rows: int) -> Any:
        if self.rows_a_file is None:
            raise EngineError(f"no batch has told yet how many rows a file of {self._stream} has; ask again after one")
        size = self._file_size() if kind_of(self.own()) == "ReadMaxBytes" else None
        if size is not None:
            return self._jvm.limits.maxBytes(max(1, round(rows * size / self.rows_a_file)))
        return self._jvm.limits.maxFiles(min(_MOST_FILES, max(1, int(rows / self.rows_a_file + _ROUNDING))))

    def first(self, rows: int, files: int) -> Any | None:
        return self._jvm.limits.maxFiles(files) if kind_of(self.own()) == "ReadAllAvailable" else None

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
        system, paths = value_of(self._stream, "fs"), [entry.sparkPath().toPath() for entry in listed[:_SIZED_FILES]]
        sizes = [system.getFileStatus(path).getLen() for path in paths if system.exists(path)]
        return sum(sizes) / len(sizes) if sum(sizes) > 0 else None

    def _entries(self, start: Any, end: Any) -> list[Any]:
        """The log's entries after one offset and up to another: an array for each batch."""
        first, last = (-1 if offset is None else offset["logOffset"] for offset in (start, end))
        if last <= first:
            return []
        log = value_of(self._stream, "metadataLog")
        return [batch._2() for batch in log.get(self._jvm.some_long(first + 1), self._jvm.some_long(last))]


class _Made:
    """The rate-micro-batch source: each batch has just as many rows as a field of it says, whatever its limit."""

    holds_back, in_rows = False, True

    def __init__(self, jvm: ReadLimits, stream: Any, limit: Any, seen: RecentBatches) -> None:
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
        field_of(self._stream, "rowsPerBatch").setLong(self._stream, limit.maxRows())
        return limits


def _single(limit: Any) -> list[Any]:
    return list(limit.getReadLimits()) if kind_of(limit) == "CompositeReadLimit" else [limit]
