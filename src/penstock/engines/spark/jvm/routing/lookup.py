"""Looking keys up inside a query: the partition that a routing table gives a key, re-read with every batch.

A query's plan is made once, yet its scalar subqueries run anew in each batch. They read the table's file: a single
row, kept in memory until a new file is published. So tables change with no restart. A file of this machine is read by
`mapInArrow`; one that lies elsewhere by Spark itself, which has the client for it and the credentials.

What a subquery gave goes to every task, once for each place in the plan that names it. So each operator has a subquery
of its own, with its own keys alone. One, and not another for what is small: a table may be published between two.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession, functions
from pyspark.sql.types import StructType

from penstock.engines.spark.jvm.local_files import local_path
from penstock.engines.spark.routing.book import RouteBook
from penstock.engines.spark.routing.shape import BETWEEN_PARTS, ROW_SCHEMA, SLOTS

_CELL_SCHEMA = (
    "starts array<bigint>, slots array<struct<partitions: int, aims: array<bigint>, buckets: array<map<string, int>>>>"
)

# One frame for a file in an application: a second one would not see what is published to the first. Another book may
# come to the same place, when a checkpoint is made anew.
_FRAMES: dict[tuple[str, str], tuple[str, DataFrame]] = {}


def table_cell(spark: SparkSession, book: RouteBook, name: str, operator: int) -> Column:
    """What look-ups of the operator of that number read of that file of the book, as a column of any query."""
    return _frame(spark, book, name).select(_cell_name(operator)).scalar()


def no_table() -> Column:
    """Such a cell without a row, for a query that is made to be looked at only."""
    return functions.lit(None).cast(StructType.fromDDL(_CELL_SCHEMA))


def reread(spark: SparkSession, book: RouteBook, name: str) -> None:
    """From the next batch on, queries see what the file holds now."""
    frame = _frame(spark, book, name)
    frame.unpersist(blocking=True)
    if local_path(book.files.location) is None:
        java: Any = spark._jsparkSession
        java.catalog().refreshByPath(book.files.location)
    frame.persist()


def slot_number(cell: Column, window_start: Column | None) -> Column:
    """Which slot a window follows, from 1; the first for rows without a window.

    Nearly all rows are of windows that follow the newest table: it is asked first.
    """
    if window_start is None:
        return functions.lit(1)
    starts, newest = cell["starts"], functions.size(cell["slots"])
    start_us = functions.unix_micros(window_start.cast("timestamp"))
    earlier = functions.lit(1)
    for number in range(2, SLOTS + 1):
        earlier = earlier + (start_us >= functions.element_at(starts, number)).cast("int")
    return functions.when(start_us >= functions.element_at(starts, newest), newest).otherwise(earlier)


def listed_partition(slot: Column, text: Column) -> Column:
    """The partition that the slot's table gives the key; NULL for a key that it does not list."""
    buckets = slot["buckets"]
    bucket = functions.pmod(functions.hash(text), functions.size(buckets)) + 1
    return functions.element_at(functions.element_at(buckets, bucket), text)


def text_of(keys: list[Column]) -> Column:
    """A key's text; NULL, and so unlisted, where one of its columns is."""
    first, *others = (key.cast("string") for key in keys)
    pieces = [piece for part in others for piece in (functions.lit(BETWEEN_PARTS), part)]
    return functions.concat(first, *pieces) if pieces else first  # concat copies what it is given


def _frame(spark: SparkSession, book: RouteBook, name: str) -> DataFrame:
    path = f"{book.files.location}/{name}"
    place = (spark.sparkContext.applicationId, path)
    owner, frame = _FRAMES.get(place, (None, None))
    if frame is None or owner != book.id:
        if frame is not None:
            frame.unpersist(blocking=True)  # else Spark takes its row for the new one's: their plans are alike
        frame = _by_operator(_row_of(spark, path), len(book.operators())).persist()
        _FRAMES[place] = (book.id, frame)
    return frame


def _by_operator(row: DataFrame, operators: int) -> DataFrame:
    cells = []
    for number in range(operators):
        slots = functions.transform("slots", partial(_of_operator, number)).alias("slots")
        cells.append(functions.struct("starts", slots).alias(_cell_name(number)))
    return row.select(*cells)


def _of_operator(number: int, slot: Column) -> Column:
    return functions.struct(slot["partitions"], slot["aims"], slot["operators"][number].alias("buckets"))


def _cell_name(operator: int) -> str:
    return f"operator_{operator}"


def _row_of(spark: SparkSession, path: str) -> DataFrame:
    here = local_path(path)
    if here is None:
        return spark.read.schema(ROW_SCHEMA).parquet(path)
    return spark.range(1).coalesce(1).mapInArrow(_reader(str(here)), ROW_SCHEMA)


def _reader(path: str):  # type: ignore[no-untyped-def]
    # A function made here travels by value: executors need pyarrow, not penstock.
    def read(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow.parquet

        for _ in batches:
            yield from pyarrow.parquet.read_table(path).to_batches()

    return read
