"""Rate curves: how many rows arrive in each second, from a few words or from a trace."""

import csv
import gzip
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from penstock.core.arrays import Floats
from penstock.errors import ConfigError

_MOST_BYTES = 1 << 27  # of a trace: seconds of months


@dataclass(frozen=True, slots=True)
class Trace:
    """A recorded series of counts or rates, one every `step_s` seconds."""

    values: Floats
    step_s: float


def constant(rate_rps: float, seconds: int) -> Floats:
    """The same rate throughout."""
    return np.full(seconds, float(rate_rps))


def step(before_rps: float, after_rps: float, at_s: float, seconds: int) -> Floats:
    """One rate, then another."""
    at = np.arange(seconds, dtype=float)
    return np.where(at < at_s, before_rps, after_rps)


def spike(base_rps: float, factor: float, from_s: float, to_s: float, seconds: int) -> Floats:
    """A base rate, multiplied for a while."""
    at = np.arange(seconds, dtype=float)
    return np.where((at >= from_s) & (at < to_s), base_rps * factor, base_rps)


def sine(mean_rps: float, amplitude_rps: float, period_s: float, seconds: int) -> Floats:
    """A sine around a mean, never below zero."""
    at = np.arange(seconds, dtype=float)
    return np.maximum(mean_rps + amplitude_rps * np.sin(2 * np.pi * at / period_s), 0.0)


def replay(trace: Trace, seconds: int, mean_rps: float | None, speed: float = 1.0, smooth_s: float = 0.0) -> Floats:
    """A trace scaled to a mean rate (None: as it is), `speed` times as fast as it was recorded, again and again.

    `smooth_s` is the span, in recorded time, of a moving mean: counts of few requests are mostly chance, which
    a scaled-up load would not show.
    """
    values = _smoothed(trace, smooth_s)
    scaled = values * (mean_rps / values.mean()) if mean_rps is not None and values.mean() > 0 else values
    at = (np.arange(seconds) * speed / trace.step_s) % len(scaled)
    whole = np.floor(at).astype(int)
    part = at - whole
    result: Floats = scaled[whole] * (1 - part) + scaled[(whole + 1) % len(scaled)] * part
    return result


def _smoothed(trace: Trace, smooth_s: float) -> Floats:
    width = max(1, round(smooth_s / trace.step_s))
    if width == 1:
        return trace.values
    around = np.concatenate([trace.values[-width:], trace.values, trace.values[:width]])
    kernel = np.ones(width) / width
    start = width - width // 2
    smoothed: Floats = np.convolve(around, kernel, mode="full")[start + width - 1 :][: len(trace.values)]
    return smoothed


def noisy(rates: Floats, share: float, rng: np.random.Generator) -> Floats:
    """The same curve with independent noise of that standard deviation, never below zero."""
    return np.maximum(rates * (1.0 + share * rng.standard_normal(len(rates))), 0.0)


def read_trace(path: Path, step_s: float, field: str = "rate.trace.file") -> Trace:
    """The last column of a CSV file (plain or gzip), one row every `step_s` seconds; `field` names it in errors."""
    if not path.is_file():
        raise ConfigError(field, str(path), "name a CSV file with a header and numbers in the last column")
    try:
        with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
        rows = list(csv.reader(data.decode("utf-8-sig").splitlines()))[1:]
    except (OSError, EOFError, ValueError, zlib.error, csv.Error) as error:
        raise ConfigError(field, str(path), f"name a CSV file that can be read ({error})") from None
    if len(data) > _MOST_BYTES:
        raise ConfigError(field, str(path), f"name a file of at most {_MOST_BYTES >> 20} MiB")
    try:
        values = np.array([float(row[-1]) for row in rows])
    except (ValueError, IndexError) as error:
        raise ConfigError(field, str(path), f"its last column must hold numbers ({error})") from None
    if not len(values) or not np.isfinite(values).all() or values.min() < 0:
        raise ConfigError(field, str(path), "its last column must hold at least one number, none negative")
    return Trace(values, step_s)
