"""The task quantum: a bound on the rows of one batch, so that slots turn over and shares can work.

Spark's FAIR pools do not preempt: a batch that takes a whole backlog holds its slots for as long as that takes.
Sources that can be bounded are bounded where a job reads them, unless the job has said its own bound.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.readwriter import DataStreamReader

# The option that bounds a batch, by source.
ROW_OPTIONS: Mapping[str, str] = MappingProxyType({"kafka": "maxOffsetsPerTrigger", "rate-micro-batch": "rowsPerBatch"})
FILE_OPTION = "maxFilesPerTrigger"
FILE_SOURCES = frozenset({"csv", "json", "orc", "parquet", "text", "xml", "avro"})


def bound_option(source: str, max_rows: int | None, max_files: int | None) -> tuple[str, int] | None:
    """The option and value that bound a batch of this source; None where nothing does.

    >>> bound_option("kafka", 500, None), bound_option("socket", 500, None)
    (('maxOffsetsPerTrigger', 500), None)
    """
    if source in FILE_SOURCES and max_files is not None:
        return FILE_OPTION, max_files
    if source in ROW_OPTIONS and max_rows is not None:
        return ROW_OPTIONS[source], max_rows
    return None


class BoundedSession(SparkSession):
    """The same session, whose streaming reads are bounded. Jobs are handed this one."""

    def __init__(self, spark: SparkSession, max_rows: int | None, max_files: int | None) -> None:
        super().__init__(spark.sparkContext, spark._jsparkSession)
        self._max_rows = max_rows
        self._max_files = max_files

    @property
    def readStream(self) -> DataStreamReader:  # noqa: N802
        """A reader that bounds what can be bounded."""
        return _BoundedReader(self, self._max_rows, self._max_files)


class _BoundedReader(DataStreamReader):
    def __init__(self, spark: SparkSession, max_rows: int | None, max_files: int | None) -> None:
        super().__init__(spark)
        self._bounds = max_rows, max_files
        self._source = "parquet"
        self._named: set[str] = set()

    def format(self, source: str) -> "DataStreamReader":
        self._source = source.lower()
        return super().format(source)

    def option(self, key: str, value: Any) -> "DataStreamReader":
        self._named.add(key.lower())
        return super().option(key, value)

    def options(self, **options: Any) -> "DataStreamReader":
        self._named.update(key.lower() for key in options)
        return super().options(**options)

    def load(self, path: str | None = None, format: str | None = None, **options: Any) -> DataFrame:  # type: ignore[override]  # noqa: A002
        self._bound(format or self._source, options)
        return super().load(path, format, **options)

    def csv(self, path: str, *args: Any, **options: Any) -> DataFrame:
        self._bound("csv", options)
        return super().csv(path, *args, **options)

    def json(self, path: str, *args: Any, **options: Any) -> DataFrame:
        self._bound("json", options)
        return super().json(path, *args, **options)

    def orc(self, path: str, *args: Any, **options: Any) -> DataFrame:
        self._bound("orc", options)
        return super().orc(path, *args, **options)

    def parquet(self, path: str, *args: Any, **options: Any) -> DataFrame:
        self._bound("parquet", options)
        return super().parquet(path, *args, **options)

    def text(self, path: str, *args: Any, **options: Any) -> DataFrame:
        self._bound("text", options)
        return super().text(path, *args, **options)

    def _bound(self, source: str, options: Mapping[str, Any]) -> None:
        bound = bound_option(source.lower(), *self._bounds)
        named = self._named | {key.lower() for key in options}
        if bound is not None and bound[0].lower() not in named:
            super().option(*bound)
