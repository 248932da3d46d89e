"""`Routing`: a user's chain of stateful operators, whose keys go where a table says.

route = ps.Routing("tweets", left="region", right="hashtag")
regions = events.groupBy(F.window("at", "1 minute"), *route.left_key()).agg(F.collect_list("hashtag").alias("tags"))
tagged = regions.select(F.window_time("window").alias("at"), F.explode("tags").alias("hashtag"))
tags = tagged.groupBy(F.window("at", "1 minute"), *route.right_key()).count()
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from pyspark.sql import Column, DataFrame, GroupedData, SparkSession, functions
from pyspark.sql.types import BooleanType, DateType, DecimalType, IntegralType, StringType, StructField

from penstock.core.known.routing_table import LEFT, RIGHT, RoutingTable
from penstock.core.seen.routes import NamedRoute
from penstock.core.units import positive_seconds
from penstock.engines.spark.jobs.checkpoint_lock import lock_checkpoint
from penstock.engines.spark.jvm.checkpoint_files import reached
from penstock.engines.spark.jvm.local_files import LocalFiles, files_at, same_place
from penstock.engines.spark.jvm.routing.grouping import look_through, salted
from penstock.engines.spark.jvm.routing.keys import RoutedKey, teach_group_by
from penstock.engines.spark.jvm.routing.lookup import no_table, reread, table_cell
from penstock.engines.spark.jvm.routing.resalting import SparkMover
from penstock.engines.spark.jvm.routing.starting import RoutedBy, is_looked_at, remember, teach_start
from penstock.engines.spark.jvm.single_writer import check_still_ours
from penstock.engines.spark.routing.book import LIVE, RouteBook
from penstock.engines.spark.routing.checkpoint_stamp import check_tie, stamp
from penstock.engines.spark.routing.columns import KeyColumns, columns_of
from penstock.engines.spark.routing.migration import pending, take_back, version_in_force
from penstock.engines.spark.routing.murmur import ColumnType
from penstock.errors import ConfigError, EngineError
from penstock.user_folders import state_folder

_ROUTABLE = (StringType, IntegralType, DecimalType, BooleanType, DateType)
_PARTITIONS = "spark.sql.shuffle.partitions"
_CHECKPOINTS = "spark.sql.streaming.checkpointLocation"


class Routing(NamedRoute):
    """The routed operators of one query. `name` is the query's; a key of several columns is given as a list.

    Tables are kept beside the query's checkpoint. Where penstock starts the query it finds out where that is; else say
    it: `checkpoint` is what the query's `checkpointLocation` says, and need not be given where Spark puts the
    checkpoint of a query of that name by its settings. Of a query without a checkpoint they are in the user's state
    directory.
    """

    def __init__(
        self,
        name: str,
        left: KeyColumns | None = None,
        right: KeyColumns | None = None,
        *,
        chain: Sequence[KeyColumns] | None = None,
        checkpoint: str | Path | None = None,
        longest_window: object = "1d",
    ) -> None:
        self.name: str = _checked_name(name)
        self.operators: Mapping[str, tuple[str, ...]] = _operators(left, right, chain)
        self.longest_window_s: float = positive_seconds(longest_window, "longest_window")
        self._checkpoint = checkpoint
        self._book: RouteBook | None = None  # where it is, once that is known
        self.windowed: dict[str, bool] = {}  # by operator, as far as the query has been written down
        self.kinds: dict[str, tuple[ColumnType, ...]] = {}  # of key columns, by operators that group by these alone
        teach_group_by()
        teach_start()

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
        return [RoutedKey(functions.col(column), self, name) for column in self.operators[name]]

    def start_with(self, spark: SparkSession, table: RoutingTable) -> None:
        """Have the query follow a table from its very first batch; one that has begun is re-routed instead."""
        if is_looked_at(self):
            return
        book = self._locked(spark)
        if not book.open(self.operators, table.servers, table):
            raise ConfigError(
                "name", self.name, f"the tables in {book.home} are in use; reroute the query to a new one"
            )

    def book(self, spark: SparkSession) -> RouteBook:
        """The route's tables and changes; begun if they were not. A BookError if they are not the checkpoint's."""
        book = self._locked(spark)
        with reached(book.files):
            book.open(self.operators, int(spark.conf.get(_PARTITIONS) or "200"))
        return book

    def withdraw(self, spark: SparkSession) -> bool:
        """Take back a change that was written down and cannot be carried out; False where there is none.

        The query must not run; it goes on with the table that it had.
        """
        book = self.book(spark)
        found = pending(book) is not None
        take_back(book)
        return found

    @property
    def is_settled(self) -> bool:
        """Whether it is known where its tables are."""
        return self._book is not None

    def keep_at(self, checkpoint: str | Path) -> None:
        """The query keeps its checkpoint there, whatever was said; as long as it was not started elsewhere."""
        if not self.is_settled:
            self._checkpoint = checkpoint

    def settle(self, spark: SparkSession, checkpoint: str | None) -> None:
        """The tables are beside the checkpoint that the query's writer names; None: it has none that outlives it."""
        self._book = self._beside(spark, checkpoint)
        self._refuse_another(spark, self._book, checkpoint)

    def check_start(self, spark: SparkSession, checkpoint: str | None, version: int | None) -> None:
        """Refuse a query that keeps its checkpoint elsewhere, or was made with another table than that in force.

        Else note in the checkpoint what it depends on.
        """
        book = self._locked(spark)
        self._refuse_another(spark, book, checkpoint)
        now = version_in_force(book, SparkMover(spark, book))
        if version not in (None, now):
            raise EngineError(
                f"query {self.name} was made with table {version} of its route, and table {now} is in force; make it "
                "anew, from groupBy on, each time that it is started"
            )
        with reached(book.files):
            stamp(book)

    def group(self, rows: DataFrame, columns: Sequence[Column | str], operator: str) -> GroupedData:
        """Group streaming rows by these columns, of which some are this operator's key."""
        keys = [column.plain() for column in columns if isinstance(column, RoutedKey)]
        if len(keys) != len(self.operators[operator]):
            raise ConfigError("groupBy", operator, f"group by the whole key of one operator: *route.key({operator!r})")
        fields = _checked_types(rows.select(*keys))
        grouping = look_through(rows, columns)
        self.windowed[operator] = grouping.window is not None
        self.kinds.pop(operator, None)
        alone = len(grouping.columns) == len(keys)  # what else is grouped by, a window for one, is hashed with the key
        if alone and [field.name for field in fields] == list(self.operators[operator]):
            self.kinds[operator] = tuple(field.dataType.simpleString() for field in fields)
        number = list(self.operators).index(operator)
        version, cell = self._table(rows.sparkSession, number, self.windowed[operator])
        groups = salted(grouping, keys, number, cell)
        remember(groups.salt_id, RoutedBy(self, version))
        return groups

    def _table(self, spark: SparkSession, operator: int, windowed: bool) -> tuple[int | None, Column]:
        """By which table an operator is routed, and where it reads it."""
        if is_looked_at(self):
            return None, no_table()
        book = self.book(spark)
        if windowed:
            reread(spark, book, LIVE)
            return None, table_cell(spark, book, LIVE, operator)
        version = version_in_force(book, SparkMover(spark, book))
        return version, table_cell(spark, book, book.version_file(version), operator)

    def _locked(self, spark: SparkSession) -> RouteBook:
        """The book, once its checkpoint is this driver's and it the checkpoint's."""
        book = self._settled(spark)
        if isinstance(book.checkpoint, LocalFiles):
            lock_checkpoint(book.checkpoint.root, self.name)
        elif book.checkpoint is not None:
            check_still_ours(spark, book.checkpoint, self.name)
        with reached(book.files):
            check_tie(book, self._kept_before())
        return book

    def _settled(self, spark: SparkSession) -> RouteBook:
        if self._book is None:
            root = spark.conf.get(_CHECKPOINTS, None)
            self._book = self._beside(spark, f"{root}/{self.name}" if root else None)
        return self._book

    def _beside(self, spark: SparkSession, checkpoint: str | Path | None) -> RouteBook:
        said = checkpoint if self._checkpoint is None else self._checkpoint
        if said is None:
            return RouteBook(LocalFiles(self._without_checkpoint()))
        files = files_at(spark, said)
        return RouteBook(files.below("routing"), files)

    def _refuse_another(self, spark: SparkSession, book: RouteBook, checkpoint: str | None) -> None:
        if same_place(book.checkpoint, None if checkpoint is None else files_at(spark, checkpoint)):
            return
        kept = book.home if book.checkpoint is None else book.checkpoint.location
        here = "nowhere that outlives it" if checkpoint is None else checkpoint
        raise ConfigError(
            "checkpoint",
            str(self._checkpoint) if self._checkpoint is not None else None,
            f"query {self.name} keeps its checkpoint in {here}, and the tables of its route are in {kept}: say the "
            f"same to both, checkpointLocation and Routing({self.name!r}, ..., checkpoint=...), and give each query a "
            "route of its own",
        )

    def _kept_before(self) -> str | None:
        """Where a penstock of before kept the tables of a query that named its checkpoint itself."""
        place = self._without_checkpoint()
        return str(place) if (place / "changes").exists() else None

    def _without_checkpoint(self) -> Path:
        return state_folder() / "routing" / self.name


def _operators(
    left: KeyColumns | None, right: KeyColumns | None, chain: Sequence[KeyColumns] | None
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


def _columns(field: str, columns: KeyColumns) -> tuple[str, ...]:
    found = columns_of(columns)
    if not found or not all(isinstance(column, str) and column for column in found):
        raise ConfigError(field, columns, "give a column's name, or several as a list")
    return found


def _checked_name(name: str) -> str:
    if not isinstance(name, str) or not name or "/" in name or name.startswith("."):
        raise ConfigError("name", name, "give the query's name, as in queryName(...)")
    return name
