"""Where a job's records come from, chosen by a parameter: made here, a Kafka topic, or files of lines.

source: {made: 500}                                        # records a second, numbered by Spark's own rate source
source: {kafka: 127.0.0.1:9092, topic: ads}
source: {files: /data/ads, glob: "*.gz", per_batch: 1}
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Annotated, Any, ClassVar

import pandas as pd
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pyspark.sql import DataFrame, SparkSession, functions

from penstock.errors import ConfigError
from penstock.workloads.records import make_records

_Count = Annotated[int, Field(ge=1)]
_Frames = Iterator[pd.DataFrame]


class _SourceFields(BaseModel):
    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", frozen=True)


class MadeSource(_SourceFields):
    """Records made as they are read: so many for each second that has gone by, whether or not anybody took them."""

    made: _Count
    tasks: _Count = 2
    seed: int = 1

    def lines(self, spark: SparkSession, kind: str) -> DataFrame:
        """`value` and when it arrived."""
        source = spark.readStream.format("rate").option("rowsPerSecond", self.made)
        numbered = source.option("numPartitions", self.tasks).load()
        of_record = numbered.selectExpr("value", "unix_millis(timestamp) AS event_ms")
        made = of_record.mapInPandas(_making(kind, self.seed), "value string, event_ms long")
        return made.selectExpr("value", "timestamp_millis(event_ms) AS arrived")


class KafkaSource(_SourceFields):
    """The values of a topic; a record arrived when the broker had it."""

    kafka: str
    topic: str
    starting: str = "latest"
    options: dict[str, str | int] = {}

    def lines(self, spark: SparkSession, kind: str) -> DataFrame:
        """`value` and when it arrived."""
        source = spark.readStream.format("kafka").option("kafka.bootstrap.servers", self.kafka)
        source = source.option("subscribe", self.topic).option("startingOffsets", self.starting)
        for name, value in self.options.items():
            source = source.option(name, value)
        return source.load().selectExpr("CAST(value AS string) AS value", "timestamp AS arrived")


class FileSource(_SourceFields):
    """Lines of text files; a record arrived when its file was written."""

    files: str
    glob: str | None = None
    per_batch: _Count | None = None

    def lines(self, spark: SparkSession, kind: str) -> DataFrame:
        """`value` and when it arrived."""
        source = spark.readStream.format("text")
        if self.glob is not None:
            source = source.option("pathGlobFilter", self.glob)
        if self.per_batch is not None:
            source = source.option("maxFilesPerTrigger", self.per_batch)
        return source.load(self.files).selectExpr("value", "_metadata.file_modification_time AS arrived")


_KINDS: Mapping[str, type[MadeSource] | type[KafkaSource] | type[FileSource]] = {
    "made": MadeSource,
    "kafka": KafkaSource,
    "files": FileSource,
}


def record_lines(spark: SparkSession, source: Mapping[str, Any], kind: str) -> DataFrame:
    """Records of that kind as `value` (a line of JSON) and `arrived` (a timestamp), from the source described."""
    return read_source(source).lines(spark, kind)


def read_source(source: Mapping[str, Any]) -> MadeSource | KafkaSource | FileSource:
    """The source that a parameter describes, checked.

    >>> read_source({"made": 500})
    MadeSource(made=500, tasks=2, seed=1)
    """
    named = [name for name in _KINDS if name in source] if isinstance(source, Mapping) else []
    if len(named) != 1:
        raise ConfigError("source", source, "name one of made (records a second), kafka (servers), files (a directory)")
    try:
        return _KINDS[named[0]].model_validate(source)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in ("source", *problem["loc"]))
        raise ConfigError(place, problem["input"], problem["msg"]) from None


def parsed(lines: DataFrame, schema: str) -> DataFrame:
    """The fields of the schema, `event_time` out of the field `event_ms`, and `arrived`."""
    fields = lines.select(functions.from_json("value", schema).alias("record"), "arrived").select("record.*", "arrived")
    return fields.withColumn("event_time", functions.timestamp_millis("event_ms"))


def _making(kind: str, seed: int) -> Callable[[_Frames], _Frames]:
    return partial(_made, kind=kind, seed=seed)


def _made(frames: _Frames, kind: str, seed: int) -> _Frames:
    for frame in frames:
        event_ms = frame["event_ms"].to_numpy()
        lines = make_records(kind, frame["value"].to_numpy(), event_ms, seed)
        yield pd.DataFrame({"value": lines, "event_ms": event_ms})
