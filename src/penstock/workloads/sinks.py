"""Where a job's results go, chosen by a parameter: nowhere, or a Kafka topic as JSON."""

from collections.abc import Mapping
from typing import Any

from pyspark.sql import DataFrame, functions
from pyspark.sql.streaming.readwriter import DataStreamWriter

from penstock.errors import ConfigError


def written(
    results: DataFrame, mode: str, sink: Mapping[str, Any] | None, trigger: str = "1 second"
) -> DataStreamWriter:
    """The writer of a job: `mode` is Spark's output mode, `sink` None or {kafka: servers, topic: name}."""
    if sink is None:
        return results.writeStream.format("noop").outputMode(mode).trigger(processingTime=trigger)
    if not isinstance(sink, Mapping) or set(sink) != {"kafka", "topic"}:
        raise ConfigError("sink", sink, "write {kafka: servers, topic: name}, or leave it out")
    values = results.select(functions.to_json(functions.struct("*")).alias("value"))
    writer = values.writeStream.format("kafka").option("kafka.bootstrap.servers", sink["kafka"])
    return writer.option("topic", sink["topic"]).outputMode(mode).trigger(processingTime=trigger)
