"""The right answers of RIoTBench's flows."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from penstock.workloads.records.senml import FIELDS, known_sensors
from tests.workloads.twins.tables import WINDOW_MS, window_of

_RANGES = {
    "temperature": (-30, 60),
    "humidity": (0, 100),
    "light": (0, 5000),
    "dust": (0, 10_000),
    "airquality_raw": (0, 500),
}
_Message = tuple[str, int, dict[str, float]]
Figures = tuple[int, float, float, float | None, int]


def etl(lines: Sequence[str]) -> Mapping[tuple[str, int], dict[str, float | str]]:
    """What is published, by (sensor, time): field values, gaps filled, and the annotation."""
    places = {row.sensor: f"{row.district}/{row.floor}/{row.sensor}" for row in known_sensors().itertuples()}
    last: dict[tuple[str, str], list[float]] = defaultdict(list)
    found: dict[tuple[str, int], dict[str, float | str]] = {}
    for sensor, at_ms, measured in map(_read, lines):
        if sensor not in places:
            continue
        published: dict[str, float | str] = {"annotation": places[sensor]}
        for field, (least, most) in _RANGES.items():
            before = last[sensor, field]
            value = measured.get(field)
            if value is not None and least <= value <= most:
                before.append(value)
                published[field] = value
            elif before:
                published[field] = float(np.mean(before[-5:]))
        found[sensor, at_ms] = published
    return found


def stats(lines: Sequence[str], before_ms: int) -> Mapping[tuple[str, str, int], Figures]:
    """(count, mean, variance, trend by second, distinct values) by (sensor, field, window that ends by then)."""
    series: dict[tuple[str, str], list[tuple[int, float]]] = defaultdict(list)
    for sensor, at_ms, measured in map(_read, lines):
        for field in FIELDS:
            if field in measured:
                series[sensor, field].append((at_ms, measured[field]))
    found: dict[tuple[str, str, int], Figures] = {}
    for (sensor, field), points in series.items():
        times, values = np.array(points).T
        levels = _kalman(values)
        for start in np.unique(window_of(times)):
            inside = window_of(times) == start
            if start + WINDOW_MS <= before_ms:
                found[sensor, field, int(start)] = _figures(times[inside], values[inside], levels[inside])
    return found


def _read(line: str) -> _Message:
    message = json.loads(line)
    entries = {entry["n"]: entry for entry in message["e"]}
    measured = {field: float(entries[field]["v"]) for field in FIELDS if field in entries}
    return entries["source"]["sv"], int(message["bt"]), measured


def _kalman(values: np.ndarray) -> np.ndarray:
    """The textbook filter of a level that walks at random (variance 1/8 a step) and is seen with variance 0.32."""
    level, variance, levels = values[0], 1.0, []
    for value in values:
        predicted = variance + 1 / 8
        weight = predicted / (predicted + 0.32)
        level = weight * value + (1 - weight) * level
        variance = predicted * (1 - weight)
        levels.append(level)
    return np.array(levels)


def _figures(times: np.ndarray, values: np.ndarray, levels: np.ndarray) -> Figures:
    trend = float(np.polyfit(times / 1000.0 - times[0] / 1000.0, levels, 1)[0]) if len(set(times)) > 1 else None
    return len(values), float(values.mean()), float(values.var()), trend, len(set(values.tolist()))
