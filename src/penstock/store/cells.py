"""What a cell of a row may hold: SQLite keeps words and bytes in a column of numbers, too."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import wraps
from typing import Any, TypeVar

import sqlalchemy as sa

from penstock.errors import WrongCellError, shown, told

T = TypeVar("T")
Choice = TypeVar("Choice", bound=StrEnum)

LATEST_EPOCH_S = 1e11  # in the year 5138: a later instant is none
LATEST_S = 1e10  # of a run: 317 years
MOST = 1e18  # of utility together, and of slots


def number_within(value: object, least: float, most: float) -> float | None:
    """The number; None where it is none, or not between these: SQLite keeps words in a column of numbers, too.

    >>> number_within(1.5, 0.0, 2.0), number_within("soon", 0.0, 2.0), number_within(1e308, 0.0, 2.0)
    (1.5, None, None)
    """
    return value if isinstance(value, float | int) and least <= value <= most else None


def naming(table: sa.Table) -> Callable[[Callable[[Mapping[Any, Any]], T]], Callable[[Mapping[Any, Any]], T]]:
    """Whatever is wrong in a row of that table, the WrongCellError says in which."""
    keys = [column.name for column in table.primary_key.columns]

    def named(read: Callable[[Mapping[Any, Any]], T]) -> Callable[[Mapping[Any, Any]], T]:
        @wraps(read)
        def reading(row: Mapping[Any, Any]) -> T:
            try:
                return read(row)
            except Exception as error:
                place = ", ".join(f"{key} {shown(row[key])}" for key in keys)
                raise WrongCellError(f"{table.name}, {place}: {told(error)}") from error

        return reading

    return named


def text_in(row: Mapping[Any, Any], name: str) -> str:
    """The words; as all below, a WrongCellError where there are none."""
    if isinstance(row[name], str):
        return str(row[name])
    raise WrongCellError(f"{name}: {shown(row[name])} is no text")


def text_or_none_in(row: Mapping[Any, Any], name: str) -> str | None:
    return None if row[name] is None else text_in(row, name)


def place_in(row: Mapping[Any, Any]) -> int | None:
    value = row["place"]
    if value is None or (isinstance(value, int) and value >= 0):
        return value
    raise WrongCellError(f"place: {shown(value)} is no place")


def choice_in(row: Mapping[Any, Any], name: str, kind: type[Choice]) -> Choice:
    """One of the words that there are of that kind.

    >>> from penstock.core.plan import Effect
    >>> choice_in({"effect": "better"}, "effect", Effect)
    <Effect.BETTER: 'better'>
    """
    value = row[name]
    if value in list(kind):
        return kind(value)
    raise WrongCellError(f"{name}: {shown(value)} is none of {', '.join(kind)}")


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
    """What stands there, where it is one: SQLite keeps words and bytes in a column of numbers, too."""
    found = number_within(row[name], least, most)
    if found is None:
        raise WrongCellError(f"{name}: {shown(row[name])} is no {what}")
    return found
