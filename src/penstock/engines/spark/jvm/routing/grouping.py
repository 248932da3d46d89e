"""Grouping by routed keys: the window if there is one, the salt that it and the key need, and clean results."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import Column, DataFrame, GroupedData, functions
from pyspark.sql.types import StructType, TimestampNTZType, TimestampType

from penstock.engines.spark.jvm.routing.keys import RoutedKey
from penstock.engines.spark.jvm.routing.salting import Salting, with_salt
from penstock.errors import ConfigError

_SALT = "__penstock_salt_"  # and the operator's number
_WINDOW = "__penstock_window"


@dataclass(frozen=True, slots=True)
class Grouping:
    """The columns of one `groupBy`, looked through: `rows` hold the window as a column of theirs."""

    rows: DataFrame
    columns: tuple[Column, ...]
    window: Column | None


def look_through(rows: DataFrame, columns: Sequence[Column | str]) -> Grouping:
    """Find the window among grouping columns; a session window is refused."""
    found = tuple(_plain(column) for column in columns)
    fields = rows.select(*found).schema.fields
    if any(field.name == "session_window" or field.metadata.get("spark.sessionWindow") for field in fields):
        # Spark merges sessions after the shuffle: nobody knows a row's session, and so its table, beforehand.
        raise ConfigError("groupBy", "session_window", "route a fixed window, or leave this operator unrouted")
    windows = [number for number, field in enumerate(fields) if is_window(field.dataType)]
    if not windows:
        return Grouping(rows, found, None)
    number = windows[0]
    # A window is worked out once: of a sliding one, each row has several.
    held = rows.select("*", found[number].alias(_WINDOW))
    window = functions.col(_WINDOW)
    named = window.alias(fields[number].name)
    return Grouping(held, (*found[:number], named, *found[number + 1 :]), window)


def salt_name(operator: object) -> str:
    """The column that the salt of the operator of that number is kept in."""
    return f"{_SALT}{operator}"


def salted(grouping: Grouping, keys: Sequence[Column], operator: int, cell: Column) -> "RoutedGroups":
    """The rows grouped by their columns and a salt; the results hold no salt."""
    salt = salt_name(operator)
    start = None if grouping.window is None else grouping.window["start"]
    rows = with_salt(grouping.rows, Salting(salt, grouping.columns, tuple(keys), cell, start))
    groups = rows.groupBy(*grouping.columns, salt)
    return RoutedGroups(groups._jgd, grouping.rows.drop(_WINDOW), salt, rows)


def operator_of_salt(column: str) -> int | None:
    """The number of the operator whose salt a column of this name is; None for any other column."""
    return int(column.removeprefix(_SALT)) if column.startswith(_SALT) else None


class RoutedGroups(GroupedData):
    """Groups with a salt that no result shows."""

    def __init__(self, jgd: Any, rows: DataFrame, salt: str, salted_rows: DataFrame) -> None:
        super().__init__(jgd, rows)
        self._salt = salt
        self._salted_rows = salted_rows

    @property
    def salt_id(self) -> int:
        """What Spark's plans call the salt by, whatever becomes of the rows."""
        java: Any = self._salted_rows._jdf
        return int(java.queryExecution().analyzed().output().last().exprId().id())

    def agg(self, *exprs: Any) -> DataFrame:
        """As on any groups."""
        return super().agg(*exprs).drop(self._salt)

    def count(self) -> DataFrame:
        """As on any groups."""
        return super().count().drop(self._salt)

    def sum(self, *cols: str) -> DataFrame:
        """As on any groups."""
        return super().sum(*cols).drop(self._salt)

    def avg(self, *cols: str) -> DataFrame:
        """As on any groups."""
        return super().avg(*cols).drop(self._salt)

    def mean(self, *cols: str) -> DataFrame:
        """As on any groups."""
        return super().mean(*cols).drop(self._salt)

    def max(self, *cols: str) -> DataFrame:
        """As on any groups."""
        return super().max(*cols).drop(self._salt)

    def min(self, *cols: str) -> DataFrame:
        """As on any groups."""
        return super().min(*cols).drop(self._salt)

    def applyInPandasWithState(self, func: Any, *args: Any, **options: Any) -> DataFrame:  # noqa: N802
        """As on any groups; a time-out is refused, for its clock cannot move to another partition with the state."""
        timeout = options.get("timeoutConf", args[-1] if args else None)
        if timeout != "NoTimeout":
            raise ConfigError("timeoutConf", timeout, "write NoTimeout, or leave this operator unrouted")
        return super().applyInPandasWithState(_without_salt(func), *args, **options)


def _without_salt(func: Callable[..., Any]) -> Callable[..., Any]:
    def on_clean_key(key: tuple[Any, ...], rows: Any, state: Any) -> Any:
        return func(key[:-1], rows, state)

    return on_clean_key


def _refused(name: str) -> Callable[..., DataFrame]:
    def refuse(self: RoutedGroups, *args: Any, **options: Any) -> DataFrame:
        raise ConfigError(
            "groupBy",
            name,
            "a routed operator takes agg, count and the like, or applyInPandasWithState; use plain keys",
        )

    return refuse


# Timers and TTL keep keys of their own, by time: their state could not follow a key to another partition.
for _name in ("transformWithState", "transformWithStateInPandas", "pivot", "applyInPandas", "applyInArrow", "cogroup"):
    setattr(RoutedGroups, _name, _refused(_name))


def _plain(column: Column | str) -> Column:
    if isinstance(column, RoutedKey):
        return column.plain()
    return functions.col(column) if isinstance(column, str) else column


def is_window(found: object) -> bool:
    """Whether a column of this type is a window."""
    if not isinstance(found, StructType) or found.names != ["start", "end"]:
        return False
    return all(isinstance(field.dataType, (TimestampType, TimestampNTZType)) for field in found.fields)
