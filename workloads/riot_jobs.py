"""RIoTBench: the extract-transform-load flow and the statistics flow over SenML of city sensors.

The benchmark's own samples (lines of "time,SenML") are read as well: source: {files: DIR, glob: "SYS*.gz"}.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd
from pyspark.sql import Column, DataFrame, Row, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamWriter
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle

import penstock as ps
from penstock.workloads.records.senml import FIELDS, known_sensors
from penstock.workloads.sinks import written
from penstock.workloads.sources import record_lines

SENML = "e array<struct<n: string, v: string, sv: string>>, bt string"
RANGES = {
    "temperature": (-30.0, 60.0),
    "humidity": (0.0, 100.0),
    "light": (0.0, 5000.0),
    "dust": (0.0, 10_000.0),
    "airquality_raw": (0.0, 500.0),
}
_MEASURED = ", ".join(f"{field} double" for field in FIELDS)
MENDED = f"sensor string, event_ms long, {_MEASURED}"
LEVELS = "sensor string, field string, value double, level double, event_time timestamp"


def etl(
    spark: SparkSession,
    source: Mapping[str, Any],
    sensors: str | None = None,
    sink: Mapping[str, Any] | None = None,
    trigger: str = "1 second",
) -> DataStreamWriter:
    """Parse, drop what is out of range, keep known sensors, fill gaps, join and annotate, publish as SenML.

    Known sensors are an exact set where the benchmark has a Bloom filter: nothing unknown slips through.
    `sensors` names a CSV file (sensor, district, floor) for records that are not made here.
    """
    known = F.broadcast(spark.createDataFrame(known_sensors() if sensors is None else pd.read_csv(sensors)))
    ranged = [_in_range(field).alias(field) for field in FIELDS]
    observed = _observations(spark, source).select("sensor", "event_ms", *ranged)
    trusted = observed.join(known.select("sensor"), "sensor", "left_semi")
    mended = trusted.groupBy("sensor").transformWithState(Mending(), MENDED, "Append", "None")
    annotated = mended.join(known, "sensor").withColumn("annotation", F.concat_ws("/", "district", "floor", "sensor"))
    return written(annotated.select("sensor", "event_ms", _senml().alias("senml")), "append", sink, trigger)


def stats(
    spark: SparkSession, source: Mapping[str, Any], sink: Mapping[str, Any] | None = None, trigger: str = "1 second"
) -> DataStreamWriter:
    """By sensor, field and ten seconds: mean and variance, the trend of Kalman-filtered values, distinct values."""
    observed = _observations(spark, source).select(
        "sensor", F.timestamp_millis("event_ms").alias("event_time"), *FIELDS
    )
    pairs = ", ".join(f"'{field}', {field}" for field in FIELDS)
    long = observed.selectExpr("sensor", "event_time", f"stack({len(FIELDS)}, {pairs}) AS (field, value)")
    waiting = long.where("value IS NOT NULL").withWatermark("event_time", "2 seconds")
    levels = waiting.groupBy("sensor", "field").transformWithState(
        Kalman(), LEVELS, "Append", "EventTime", eventTimeColumnName="event_time"
    )
    at_s = F.unix_millis("event_time") / 1000.0 - F.unix_seconds(F.window("event_time", "10 seconds")["start"])
    windowed = levels.withColumn("at_s", at_s).groupBy(F.window("event_time", "10 seconds"), "sensor", "field")
    figures = windowed.agg(
        F.count("*").alias("count"),
        F.avg("value").alias("mean"),
        F.var_pop("value").alias("variance"),
        F.regr_slope("level", "at_s").alias("trend_per_s"),
        F.approx_count_distinct("value").alias("distinct"),
    )
    columns = ("sensor", "field", "count", "mean", "variance", "trend_per_s", "distinct")
    return written(figures.select(F.col("window.start").alias("window_start"), *columns), "append", sink, trigger)


def _observations(spark: SparkSession, source: Mapping[str, Any]) -> DataFrame:
    """One row for each message: `sensor`, `event_ms` and a column for each field, NULL where it was not measured."""
    lines = ps.measured(record_lines(spark, source, "senml"), "arrived")
    # The benchmark's samples have the time before the SenML; the message says it too.
    message = F.from_json(F.regexp_extract("value", r"(\{.*)", 1), SENML)
    parsed = lines.select(message.alias("message")).selectExpr(
        "CAST(message.bt AS long) AS event_ms",
        "map_from_entries(transform(message.e, x -> struct(x.n, coalesce(x.v, x.sv)))) AS measured",
    )
    values = [F.expr(f"CAST(measured['{field}'] AS double)").alias(field) for field in FIELDS]
    return parsed.select(F.expr("measured['source']").alias("sensor"), "event_ms", *values)


def _in_range(field: str) -> Column:
    least, most = RANGES[field]
    return F.when(F.col(field).between(least, most), F.col(field))


def _senml() -> Column:
    texts = [F.struct(F.lit(field).alias("n"), F.col(field).cast("string").alias("v")) for field in FIELDS]
    added = F.struct(F.lit("annotation").alias("n"), F.col("annotation").alias("v"))
    return F.to_json(F.struct(F.array(*texts, added).alias("e"), F.col("event_ms").alias("bt")))


class Mending(StatefulProcessor):
    """One sensor: a value that is not there is the mean of the field's last five that were."""

    KEEP = 5

    def init(self, handle: StatefulProcessorHandle) -> None:
        self._last = handle.getValueState("last", ", ".join(f"{field} array<double>" for field in FIELDS))

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:  # noqa: N802
        """Messages in the order of their time. A gap before the first value stays one."""
        known = self._last.get()
        last = [[] for _ in FIELDS] if known is None else [list(values) for values in known]
        for message in sorted(rows, key=lambda row: row["event_ms"]):
            mended = {}
            for values, field in zip(last, FIELDS, strict=True):
                if message[field] is not None:
                    values[:] = [*values, message[field]][-self.KEEP :]
                    mended[field] = message[field]
                else:
                    mended[field] = sum(values) / len(values) if values else None
            yield Row(sensor=message["sensor"], event_ms=message["event_ms"], **mended)
        self._last.update(tuple(last))

    def close(self) -> None:
        """Nothing is held."""


class Kalman(StatefulProcessor):
    """One field of one sensor: a Kalman filter of one dimension; its level moves little, its values are noisy."""

    PROCESS_NOISE, SENSOR_NOISE = 0.125, 0.32

    def init(self, handle: StatefulProcessorHandle) -> None:
        self._state = handle.getValueState("state", "level double, error double")

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:  # noqa: N802
        """Values in the order of their time; the first is taken as it is."""
        values = sorted(rows, key=lambda row: row["event_time"])
        level, error = self._state.get() or (values[0]["value"], 1.0)
        for row in values:
            error += self.PROCESS_NOISE
            gain = error / (error + self.SENSOR_NOISE)
            level, error = level + gain * (row["value"] - level), (1.0 - gain) * error
            yield Row(
                sensor=row["sensor"], field=row["field"], value=row["value"], level=level, event_time=row["event_time"]
            )
        self._state.update((level, error))

    def close(self) -> None:
        """Nothing is held."""
