"""What a cell of a row may hold: SQLite keeps words and bytes in a column of numbers, too."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeVar

from penstock.errors import shown, told

T = TypeVar("T")

LATEST_EPOCH_S = 1e11  # in the year 5138: a later instant is none
LATEST_S = 1e10  # of a run: 317 years
MOST = 1e18  # of utility together, and of slots


def number_within(value: object, least: float, most: float) -> float | None:
    """The number; None where it is none, or not between these: SQLite keeps words in a column of numbers, too.

    >>> number_within(1.5, 0.0, 2.0), number_within("soon", 0.0, 2.0), number_within(1e308, 0.0, 2.0)
    (1.5, None, None)
    """
    return value if isinstance(value, float | int) and least <= value <= most else None


def naming(table: str) -> Callable[[Callable[[Mapping[Any, Any]], T]], Callable[[Mapping[Any, Any]], T]]:
    """Whatever is wrong in a row of that table, the ValueError says in which."""

    def named(read: Callable[[Mapping[Any, Any]], T]) -> Callable[[Mapping[Any, Any]], T]:
        @wraps(read)
        def reading(row: Mapping[Any, Any]) -> T:
            try:
                return read(row)
            except Exception as error:
                keys = ("cycle_id", "position", "job")[: 3 if "position" not in row else 2]
                place = ", ".join(f"{key} {shown(row[key])}" for key in keys if key in row)
                raise ValueError(f"{table}, {place}: {told(error)}") from error

        return reading

    return named


def text_in(row: Mapping[Any, Any], name: str) -> str:
    """The words; as all below, a ValueError where there are none."""
    if isinstance(row[name], str):
        return str(row[name])
    raise ValueError(f"{name}: {shown(row[name])} is no text")


def text_or_none_in(row: Mapping[Any, Any], name: str) -> str | None:
    return None if row[name] is None else text_in(row, name)


def place_in(row: Mapping[Any, Any]) -> int | None:
    value = row["place"]
    if value is None or (isinstance(value, int) and value >= 0):
        return value
    raise ValueError(f"place: {shown(value)} is no place")


def instant_in(row: Mapping[Any, Any], name: str) -> float | None:
    return _figure_in(row, name, 0.0, LATEST_S, "instant of a run")


def utility_in(row: Mapping[Any, Any], name: str) -> float | None:
    return _figure_in(row, name, -MOST, MOST, "utility")


def number_in(row: Mapping[Any, Any], name: str) -> float:
    return _needed_in(row, name, 0.0, MOST, "number of a round")


def epoch_in(row: Mapping[Any, Any], name: str) -> float:
    return _needed_in(row, name, 0.0, LATEST_EPOCH_S, "instant")


def _figure_in(row: Mapping[Any, Any], name: str, least: float, most: float, what: str) -> float | None:
    return None if row[name] is None else _needed_in(row, name, least, most, what)


def _needed_in(row: Mapping[Any, Any], name: str, least: float, most: float, what: str) -> float:
    """A ValueError where what stands there is none: SQLite keeps words and bytes in a column of numbers, too."""
    found = number_within(row[name], least, most)
    if found is None:
        raise ValueError(f"{name}: {shown(row[name])} is no {what}")
    return found
