"""Times and rates as people write them, turned into plain floats at the edge of the house."""

import math
import re
from numbers import Real
from typing import TypeGuard

from penstock.errors import ConfigError

_SECONDS_PER_UNIT = {"ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
_MOST_MIB = 2**31 - 1  # as Spark counts them
_MIB_PER_UNIT = {"k": 1 / 1024, "m": 1.0, "g": 1024.0, "t": 1024.0**2}
_SIZE = re.compile(r"(\d+)\s*([kmgt]?)i?b?")
_DURATION = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(ms|s|min|m|h|d)\s*")

type_of_duration = "a number of seconds, or text such as '250ms', '2s', '10m' or '1h'"


def seconds(value: object, field: str = "duration") -> float:
    """A duration in seconds.

    >>> seconds("250ms"), seconds("10m"), seconds(2)
    (0.25, 600.0, 2.0)
    """
    if isinstance(value, str):
        match = _DURATION.fullmatch(value)
        if match is None:
            raise ConfigError(field, value, f"write {type_of_duration}")
        found = float(match.group(1)) * _SECONDS_PER_UNIT[match.group(2)]
        return non_negative(found, field, f"write {type_of_duration}")  # of hundreds of digits it is infinite
    return non_negative(value, field, f"write {type_of_duration}")


def positive_seconds(value: object, field: str = "duration") -> float:
    """A duration above zero, in seconds."""
    result = seconds(value, field)
    if result == 0:
        raise ConfigError(field, value, "it must be above zero")
    return result


def non_negative(value: object, field: str, remedy: str = "write a number of zero or more") -> float:
    """A finite number of zero or more."""
    number = _finite(value)
    if number is None or number < 0:
        raise ConfigError(field, value, remedy)
    return number


def positive(value: object, field: str, remedy: str = "write a number above zero") -> float:
    """A finite number above zero."""
    result = non_negative(value, field, remedy)
    if result == 0:
        raise ConfigError(field, value, remedy)
    return result


def text_of_seconds(value: float) -> str:
    """The shortest text a person would write.

    >>> text_of_seconds(0.07), text_of_seconds(2.0), text_of_seconds(600.0), text_of_seconds(90.0)
    ('70ms', '2s', '10m', '90s')
    """
    if value < 1:
        return f"{_three_digits(value * 1000)}ms"
    for unit, size in (("h", 3600.0), ("m", 60.0)):
        if value >= size and value % size == 0:
            return f"{value / size:g}{unit}"
    return f"{_three_digits(value)}s"


def size_mib(value: object, field: str = "size", least: int = 0) -> int:
    """A size of memory as Spark writes it, in MiB, and no less than what is of use.

    >>> size_mib("2g"), size_mib("512m"), size_mib("512"), size_mib(512)
    (2048, 512, 512, 512)
    """
    written = isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool))
    match = _SIZE.fullmatch(_written(value).strip().lower()) if written else None
    remedy = "write a size such as 512m or 2g; a plain number is MiB"
    if match is None:
        raise ConfigError(field, value, remedy)
    size = round(non_negative(float(match.group(1)) * _MIB_PER_UNIT[match.group(2) or "m"], field, remedy))
    if not least <= size <= _MOST_MIB:
        raise ConfigError(field, value, f"write {least}m or more" if size < least else f"write {_MOST_MIB}m or less")
    return size


def _written(value: object) -> str:
    try:
        return str(value)
    except ValueError:  # Python writes no longer numbers
        return "?"


def is_number(value: object) -> TypeGuard[float]:
    """Whether it is a real number; those of numpy are, a truth value is not."""
    return isinstance(value, Real) and not isinstance(value, bool)


def _finite(value: object) -> float | None:
    if not is_number(value):
        return None
    try:
        number = float(value)
    except OverflowError:  # a whole number beyond every float
        return None
    return number if math.isfinite(number) else None


def _three_digits(value: float) -> str:
    """Three digits, or all before the point; never with an exponent, which nobody would write."""
    return f"{value:.3g}" if value < 99.95 else f"{value:.0f}"
