"""Top-speed windowing: cars that report their speed and how far they have come."""

import numpy as np

from penstock.workloads.draws import Draws, Millis
from penstock.workloads.records.lines import json_lines

CARS = 20
_MEAN_KMH, _SWING_KMH = 80.0, 40.0
_KMH_PER_MPS = 3.6


def make(draws: Draws, event_ms: Millis) -> list[str]:
    """Cars report in turn. Speed is a wave of the car's own plus noise; the distance is the wave's integral.

    The distance follows from the time alone, so that a record needs no other record to be made.
    """
    car = draws.index % CARS
    at_s = event_ms / 1000.0
    turns_per_s = (1.0 + car) / 300.0
    phase = 2.0 * np.pi * turns_per_s * at_s + car
    speed_kmh = _MEAN_KMH + _SWING_KMH * np.sin(phase) + 5.0 * draws.normal("speed")
    driven_m = (_MEAN_KMH * at_s + _SWING_KMH * (1.0 - np.cos(phase)) / (2.0 * np.pi * turns_per_s)) / _KMH_PER_MPS
    return json_lines(
        {
            "car": car,
            "speed_kmh": np.maximum(speed_kmh, 0.0).astype(np.int64),
            "driven_m": np.round(driven_m, 3),
            "event_ms": event_ms,
        }
    )
