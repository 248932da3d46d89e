"""Top-speed windowing's right answer."""

from collections.abc import Sequence

import pandas as pd

from tests.workloads.twins.tables import table

_EVERY_M, _OVER_MS = 50.0, 10_000


def top_speed(lines: Sequence[str]) -> list[tuple[int, int, int]]:
    """(car, time, top speed over the last ten seconds), whenever a car has come more than 50 m further."""
    return [found for car, reports in table(lines).groupby("car") for found in _one(int(str(car)), reports)]


def _one(car: int, reports: pd.DataFrame) -> list[tuple[int, int, int]]:
    at_ms, driven_m, speed = (reports[name].to_numpy() for name in ("event_ms", "driven_m", "speed_kmh"))
    found, marked_m = [], driven_m[0]
    for row in range(len(reports)):
        if driven_m[row] - marked_m > _EVERY_M:
            marked_m = driven_m[row]
            recent = (at_ms <= at_ms[row]) & (at_ms > at_ms[row] - _OVER_MS)
            found.append((car, int(at_ms[row]), int(speed[recent].max())))
    return found
