"""Operator capacity: the share of a window that an operator spends processing (Henge, equation 3)."""

from collections.abc import Sequence

from penstock.core.units import non_negative, positive
from penstock.errors import ConfigError

CONGESTED_ABOVE = 0.3  # Henge, section 4.2: low on purpose, it widens the pool of operators that may grow


def operator_capacity(executed: Sequence[float], latency: Sequence[float], window: float) -> float:
    """The highest capacity of the operator's executors.

    `executed` holds the tuples and `latency` the mean execution latency in seconds of each executor over
    `window` seconds.

    >>> operator_capacity(executed=[1000, 3000], latency=[0.001, 0.002], window=10.0)
    0.6
    """
    span = positive(window, "window")
    if len(executed) != len(latency) or len(executed) == 0:
        raise ConfigError("latency", list(latency), f"give one value for each of the {len(executed)} executors")
    return max(
        non_negative(count, "executed") * non_negative(time, "latency") / span
        for count, time in zip(executed, latency, strict=True)
    )


def is_congested(capacity: float | None, threshold: float = CONGESTED_ABOVE) -> bool:
    """Whether an operator could use more threads; one without a figure is left alone."""
    return capacity is not None and capacity > threshold
