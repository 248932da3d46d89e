"""Top-speed windowing: every 50 m that a car has driven, its top speed over the last ten seconds."""

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd
from pyspark.sql import SparkSession
from pyspark.sql.streaming.readwriter import DataStreamWriter
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle

import penstock as ps
from penstock.workloads.sinks import written
from penstock.workloads.sources import parsed, record_lines

SCHEMA = "car long, speed_kmh long, driven_m double, event_ms long"
RESULT = "car long, event_ms long, top_speed_kmh long"
EVERY_M = 50.0
OVER_MS = 10_000


def top_speed(
    spark: SparkSession, source: Mapping[str, Any], sink: Mapping[str, Any] | None = None, trigger: str = "1 second"
) -> DataStreamWriter:
    """Cars' top speeds; the trigger is a distance, which Spark's own windows do not have."""
    reports = ps.measured(parsed(record_lines(spark, source, "cars"), SCHEMA), "arrived")
    tops = reports.select("car", "speed_kmh", "driven_m", "event_ms").groupBy("car")
    return written(tops.transformWithStateInPandas(TopSpeed(), RESULT, "Append", "None"), "append", sink, trigger)


class TopSpeed(StatefulProcessor):
    """One car: the distance of its last result, and what it reported over the last ten seconds."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        self._last_m = handle.getValueState("last_m", "driven_m double")
        self._recent = handle.getValueState("recent", "event_ms array<long>, speed_kmh array<long>")

    def handleInputRows(self, key: Any, rows: Iterator[pd.DataFrame], timerValues: Any) -> Iterator[pd.DataFrame]:  # noqa: N802
        """Reports in the order of their time; a car's first one only starts the distance."""
        reports = pd.concat(rows).sort_values("event_ms")
        (last_m,) = self._last_m.get() or (float(reports["driven_m"].iloc[0]),)
        recent = list(zip(*(self._recent.get() or ([], [])), strict=True))
        found = []
        for at_ms, speed_kmh, driven_m in zip(
            reports["event_ms"], reports["speed_kmh"], reports["driven_m"], strict=True
        ):
            recent = [(then_ms, speed) for then_ms, speed in [*recent, (at_ms, speed_kmh)] if then_ms > at_ms - OVER_MS]
            if driven_m - last_m > EVERY_M:
                last_m = driven_m
                found.append((key[0], at_ms, max(speed for _, speed in recent)))
        self._last_m.update((float(last_m),))
        times, speeds = zip(*recent, strict=True)
        self._recent.update(([int(at_ms) for at_ms in times], [int(speed) for speed in speeds]))
        if found:
            yield pd.DataFrame(found, columns=["car", "event_ms", "top_speed_kmh"])

    def close(self) -> None:
        """Nothing is held."""
