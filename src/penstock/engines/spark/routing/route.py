"""`Routing`: a user's chain of stateful operators, whose keys go where a table says.

route = ps.Routing("tweets", left="region", right="hashtag")
regions = events.groupBy(*route.left_key()).count()
tags = events.groupBy(F.window("at", "1 minute"), *route.right_key()).count()
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from pyspark.sql import Column, DataFrame, GroupedData, SparkSession, functions
from pyspark.sql.types import BooleanType, DateType, DecimalType, IntegralType, StringType, StructField

from penstock.core.routing_table import LEFT, RIGHT, RoutingTable
from penstock.core.units import positive_seconds
from penstock.engines.spark.routing.book import RouteBook
from penstock.engines.spark.routing.grouping import look_through, salted
from penstock.engines.spark.routing.keys import RoutedKey, teach_group_by
from penstock.engines.spark.routing.lookup import reread, table_cell
from penstock.engines.spark.routing.migration import version_in_force
from penstock.engines.spark.routing.murmur import Kind
from penstock.errors import ConfigError

Columns: TypeAlias = str | Sequence[str]
_ROUTABLE = (StringType, IntegralType, DecimalType, BooleanType, DateType)
_PARTITIONS = "spark.sql.shuffle.partitions"
_CHECKPOINTS = "spark.sql.streaming.checkpointLocation"


class Routing:
    """The routed operators of one query. `name` is the query's; a key of several columns is given as a list.

    Tables are kept with the query's checkpoint: under `checkpoint` where that is given, else where Spark puts the
    checkpoint of a query of that name, else in the user's state directory. Executors must be able to read there.
    """

    def __init__(
        self,
        name: str,
        left: Columns | None = None,
        right: Columns | None = None,
        *,
        chain: Sequence[Columns] | None = None,
        checkpoint: str | Path | None = None,
        longest_window: object = "1d",
    ) -> None:
        self.name = _checked_name(name)
        self.operators = _operators(left, right, chain)
        self.longest_window_s = positive_seconds(longest_window, "longest_window")
        self._checkpoint = checkpoint
        self.windowed: dict[str, bool] = {}  # by operator, as far as the query has been written down
        self.kinds: dict[str, tuple[Kind, ...]] = {}  # of the key columns of operators that are grouped by these alone
        teach_group_by()

    @property
    def moves_no_state(self) -> bool:
        """Whether all operators written down so far have windows: a new table then needs no restart."""
        return bool(self.windowed) and all(self.windowed.values())

    def left_key(self) -> list[RoutedKey]:
        """The first operator's key, for `groupBy`."""
        return self.key(0)

    def right_key(self) -> list[RoutedKey]:
        """The second operator's key."""
        return self.key(1)

    def key(self, operator: int | str) -> list[RoutedKey]:
        """The key of an operator, by its number in the chain or its name."""
        names = list(self.operators)
        name = names[operator] if isinstance(operator, int) and operator < len(names) else operator
        if not isinstance(name, str) or name not in self.operators:
            raise ConfigError("operator", operator, f"this route's operators are {', '.join(names)}")
        return [RoutedKey(_java(functions.col(column)), self, name) for column in self.operators[name]]

    def start_with(self, spark: SparkSession, table: RoutingTable) -> None:
        """Have the query follow a table from its very first batch; one that has begun is re-routed instead."""
        book = RouteBook(self._home(spark))
        if not book.open(self.operators, table.servers, table):
            raise ConfigError(
                "name", self.name, f"the tables in {book.home} are in use; reroute the query to a new one"
            )

    def book(self, spark: SparkSession) -> RouteBook:
        """The route's tables and changes; begun if they were not."""
        book = RouteBook(self._home(spark))
        book.open(self.operators, int(spark.conf.get(_PARTITIONS) or "200"))
        return book

    def group(self, rows: DataFrame, columns: Sequence[Column | str], operator: str) -> GroupedData:
        """Group streaming rows by these columns, of which some are this operator's key."""
        keys = [column.plain() for column in columns if isinstance(column, RoutedKey)]
        if len(keys) != len(self.operators[operator]):
            raise ConfigError("groupBy", operator, f"group by the whole key of one operator: *route.key({operator!r})")
        spark = rows.sparkSession
        fields = _checked_types(rows.select(*keys))
        grouping = look_through(rows, columns)
        self.windowed[operator] = grouping.window is not None
        self.kinds.pop(operator, None)
        alone = len(grouping.columns) == len(keys)  # what else is grouped by, a window for one, is hashed with the key
        if alone and [field.name for field in fields] == list(self.operators[operator]):
            self.kinds[operator] = tuple(field.dataType.simpleString() for field in fields)
        book = self.book(spark)
        if self.windowed[operator]:
            path = book.live
            reread(spark, path)
        else:
            path = book.version_file(version_in_force(spark, book))
        return salted(grouping, keys, list(self.operators).index(operator), table_cell(spark, path))

    def _home(self, spark: SparkSession) -> Path:
        if self._checkpoint is not None:
            return Path(self._checkpoint) / "routing"
        root = spark.conf.get(_CHECKPOINTS, None)
        if root:
            return Path(root.removeprefix("file:")) / self.name / "routing"
        state = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
        return Path(state, "penstock", "routing", self.name)


def _operators(
    left: Columns | None, right: Columns | None, chain: Sequence[Columns] | None
) -> Mapping[str, tuple[str, ...]]:
    if chain is None:
        if left is None:
            raise ConfigError("left", left, "name the key column of the first stateful operator")
        pair = {LEFT: left} if right is None else {LEFT: left, RIGHT: right}
        return {name: _columns(name, columns) for name, columns in pair.items()}
    if left is not None or right is not None or len(chain) < 2:
        raise ConfigError("chain", chain, "give the keys of two or more operators, and then neither left nor right")
    found = {"+".join(_columns("chain", columns)): _columns("chain", columns) for columns in chain}
    if len(found) < len(chain):
        raise ConfigError("chain", chain, "give each operator a key of its own")
    return found


def _checked_types(keys: DataFrame) -> list[StructField]:
    """Keys are looked up by their texts: only types of which equal values have equal texts can be routed by."""
    for field in keys.schema.fields:
        kind = field.dataType
        plain = not isinstance(kind, StringType) or kind == StringType()
        if not isinstance(kind, _ROUTABLE) or not plain:
            raise ConfigError(
                f"column {field.name}", kind.simpleString(), "route by text or whole numbers; cast it to one"
            )
    return keys.schema.fields


def _columns(field: str, columns: Columns) -> tuple[str, ...]:
    found = (columns,) if isinstance(columns, str) else tuple(columns)
    if not found or not all(isinstance(column, str) and column for column in found):
        raise ConfigError(field, columns, "give a column's name, or several as a list")
    return found


def _checked_name(name: str) -> str:
    if not isinstance(name, str) or not name or "/" in name or name.startswith("."):
        raise ConfigError("name", name, "give the query's name, as in queryName(...)")
    return name


def _java(column: Column) -> Any:
    return column._jc
