"""RIoTBench: what city sensors measure, as SenML of the shape of the benchmark's own samples.

A few measurements are out of range or missing, a few sensors nobody knows: what the flows are there to mend.
"""

import json
from dataclasses import dataclass

import numpy as np
import pandas as pd

from penstock.workloads.draws import Draws, Index, Millis

SENSORS = 50
STRANGERS = 5  # sensors beyond the known ones
_DISTRICTS = ("harbour", "hill", "mill", "old town", "station")


@dataclass(frozen=True, slots=True)
class _Wave:
    """A field: around its mean, with a swing and noise, to so many digits."""

    field: str
    unit: str
    mean: float
    swing: float
    noise: float
    digits: int


_WAVES = (
    _Wave("temperature", "far", 15.0, 8.0, 0.5, 1),
    _Wave("humidity", "per", 55.0, 20.0, 2.0, 1),
    _Wave("light", "per", 300.0, 250.0, 20.0, 0),
    _Wave("dust", "per", 800.0, 300.0, 80.0, 2),
    _Wave("airquality_raw", "per", 40.0, 15.0, 4.0, 0),
)
FIELDS = tuple(wave.field for wave in _WAVES)
_OUT_OF_RANGE = 0.02
_MISSING = 0.03
_WRONG = 99_999.0


def make(draws: Draws, event_ms: Millis) -> list[str]:
    """All measurements of one sensor at a time, in turn."""
    sensor = draws.index % (SENSORS + STRANGERS)
    columns = {wave.field: _values(draws, event_ms, sensor, wave) for wave in _WAVES}
    units = {wave.field: wave.unit for wave in _WAVES}
    return [
        _line(int(number), int(at_ms), {field: column[row] for field, column in columns.items()}, units)
        for row, (number, at_ms) in enumerate(zip(sensor, event_ms, strict=True))
    ]


def known_sensors() -> pd.DataFrame:
    """The table of sensors: `sensor`, `district` and the `floor` that it hangs on."""
    numbers = range(SENSORS)
    return pd.DataFrame(
        {
            "sensor": [f"sensor-{number:03d}" for number in numbers],
            "district": [_DISTRICTS[number % len(_DISTRICTS)] for number in numbers],
            "floor": [number % 7 for number in numbers],
        }
    )


def _values(draws: Draws, event_ms: Millis, sensor: Index, of: _Wave) -> list[str | None]:
    """Ten minutes a wave, each sensor at its own place of it; None where nothing was measured."""
    wave = np.sin(2.0 * np.pi * event_ms / 600_000.0 + sensor)
    values = of.mean + of.swing * wave + of.noise * draws.normal(of.field)
    spoilt = draws.uniform(f"{of.field}, spoilt")
    values = np.where(spoilt < _OUT_OF_RANGE, _WRONG, values)
    missing = (spoilt >= _OUT_OF_RANGE) & (spoilt < _OUT_OF_RANGE + _MISSING)
    texts = [f"{value:.{of.digits}f}" for value in values.tolist()]
    return [None if gone else text for text, gone in zip(texts, missing.tolist(), strict=True)]


def _line(sensor: int, at_ms: int, values: dict[str, str | None], units: dict[str, str]) -> str:
    source = {"u": "string", "n": "source", "sv": f"sensor-{sensor:03d}"}
    measured = [{"v": value, "u": units[field], "n": field} for field, value in values.items() if value is not None]
    return json.dumps({"e": [source, *measured], "bt": at_ms}, separators=(",", ":"))
