"""A job's source in another place: the job calls its reader as ever, and other rows come out of it.

`divert` is handed what the job asks for and says what is read instead; it may also just take note.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.readwriter import DataStreamReader

_PLACES_IN_KAFKA = frozenset(
    {
        "subscribe",
        "subscribepattern",
        "assign",
        "startingoffsets",
        "endingoffsets",
        "startingtimestamp",
        "startingoffsetsbytimestamp",
    }
)


@dataclass(frozen=True, slots=True)
class Source:
    """What a job asks its reader for."""

    format: str
    options: Mapping[str, str]
    path: str | None = None

    def option(self, name: str) -> str | None:
        """An option by its name, which Spark reads in any case."""
        return next((value for key, value in self.options.items() if key.lower() == name.lower()), None)

    def from_topic(self, topic: str) -> "Source":
        """The same broker and settings, another topic, from its end on."""
        kept = {key: value for key, value in self.options.items() if key.lower() not in _PLACES_IN_KAFKA}
        return Source(self.format, {**kept, "subscribe": topic, "startingOffsets": "latest"})

    def from_directory(self, directory: str) -> "Source":
        """The same format and settings, another directory."""
        kept = {key: value for key, value in self.options.items() if key.lower() not in ("pathglobfilter", "path")}
        return Source(self.format, kept, directory)


Divert = Callable[[Source], Source]


class DivertedSession(SparkSession):
    """The same session, whose streaming reads are diverted. Jobs are handed this one."""

    def __init__(self, spark: SparkSession, divert: Divert) -> None:
        super().__init__(spark.sparkContext, spark._jsparkSession)
        self._inner = spark
        self._divert = divert

    @property
    def readStream(self) -> DataStreamReader:  # noqa: N802
        """A reader that says what it was asked for, and reads what it is told."""
        return _DivertedReader(self, self._inner.readStream, self._divert)


class _DivertedReader(DataStreamReader):
    """Keeps all options to itself until something is loaded."""

    def __init__(self, spark: SparkSession, inner: DataStreamReader, divert: Divert) -> None:
        super().__init__(spark)
        self._inner = inner
        self._divert = divert
        self._format = "parquet"
        self._options: dict[str, str] = {}

    def format(self, source: str) -> "DataStreamReader":
        self._format = source.lower()
        return self

    def schema(self, schema: Any) -> "DataStreamReader":
        self._inner.schema(schema)
        return self

    def option(self, key: str, value: Any) -> "DataStreamReader":
        self._options[key] = _text(value)
        return self

    def options(self, **options: Any) -> "DataStreamReader":
        self._options.update({key: _text(value) for key, value in options.items()})
        return self

    def load(self, path: str | None = None, format: str | None = None, **options: Any) -> DataFrame:  # type: ignore[override]  # noqa: A002
        self.options(**options)
        wanted = Source(format or self._format, dict(self._options), path or self._options.get("path"))
        found = self._divert(wanted)
        reader = self._inner.format(found.format)
        for key, value in found.options.items():
            reader = reader.option(key, value)
        return reader.load(found.path) if found.path is not None else reader.load()

    def csv(self, path: str, *args: Any, **options: Any) -> DataFrame:
        return self._file("csv", path, args, options)

    def json(self, path: str, *args: Any, **options: Any) -> DataFrame:
        return self._file("json", path, args, options)

    def orc(self, path: str, *args: Any, **options: Any) -> DataFrame:
        return self._file("orc", path, args, options)

    def parquet(self, path: str, *args: Any, **options: Any) -> DataFrame:
        return self._file("parquet", path, args, options)

    def text(self, path: str, *args: Any, **options: Any) -> DataFrame:
        return self._file("text", path, args, options)

    def _file(self, source: str, path: str, args: tuple[Any, ...], options: dict[str, Any]) -> DataFrame:
        schema = options.pop("schema", args[0] if args else None)
        if schema is not None:
            self.schema(schema)
        return self.load(path, source, **{key: value for key, value in options.items() if value is not None})


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
