"""Looking keys up inside a query: the partition that a routing table gives a key, re-read with every batch.

A query's plan is made once, yet its scalar subqueries run anew in each batch. One of them reads the table's file: a
single row, kept in memory until a new file is published. So tables change with no restart. A file of this machine is
read by `mapInArrow`; one that lies elsewhere by Spark itself, which has the client for it and the credentials.
"""

from collections.abc import Iterator
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession, functions
from pyspark.sql.types import StructType

from penstock.engines.spark.jvm.local_files import local_path
from penstock.engines.spark.routing.book import RouteBook
from penstock.engines.spark.routing.shape import BETWEEN_PARTS, ROW_SCHEMA, SLOTS

# One frame for a file in an application: a second one would not see what is published to the first. Another book may
# come to the same place, when a checkpoint is made anew.
_FRAMES: dict[tuple[str, str], tuple[str, DataFrame]] = {}


def table_cell(spark: SparkSession, book: RouteBook, name: str) -> Column:
    """The row of that file of the book, as a column of any query."""
    return _frame(spark, book, name).select(functions.struct("starts", "slots").alias("row")).scalar()


def no_table() -> Column:
    """Such a cell without a row, for a query that is made to be looked at only."""
    return functions.lit(None).cast(StructType.fromDDL(ROW_SCHEMA))


def reread(spark: SparkSession, book: RouteBook, name: str) -> None:
    """From the next batch on, queries see what the file holds now."""
    frame = _frame(spark, book, name)
    frame.unpersist(blocking=True)
    if local_path(book.files.location) is None:
        java: Any = spark._jsparkSession
        java.catalog().refreshByPath(book.files.location)
    frame.persist()


def slot_number(cell: Column, window_start: Column | None) -> Column:
    """Which slot a window follows, from 1; the first for rows without a window."""
    begun = functions.lit(1)
    if window_start is None:
        return begun
    start_us = functions.unix_micros(window_start.cast("timestamp"))
    for number in range(2, SLOTS + 1):
        begun = begun + (start_us >= functions.element_at(cell["starts"], number)).cast("int")
    return begun


def listed_partition(slot: Column, operator: int, text: Column) -> Column:
    """The partition that the slot's table gives the key; NULL for a key that it does not list."""
    buckets = functions.element_at(slot["operators"], operator + 1)
    bucket = functions.pmod(functions.hash(text), functions.size(buckets)) + 1
    return functions.element_at(functions.element_at(buckets, bucket), text)


def text_of(keys: list[Column]) -> Column:
    """A key's text; NULL, and so unlisted, where one of its columns is."""
    parts = [key.cast("string") for key in keys]
    between = [functions.lit(BETWEEN_PARTS)] * len(parts)
    return functions.concat(*[piece for pair in zip(parts, between, strict=True) for piece in pair][:-1])


def _frame(spark: SparkSession, book: RouteBook, name: str) -> DataFrame:
    path = f"{book.files.location}/{name}"
    place = (spark.sparkContext.applicationId, path)
    owner, frame = _FRAMES.get(place, (None, None))
    if frame is None or owner != book.id:
        if frame is not None:
            frame.unpersist(blocking=True)  # else Spark takes its row for the new one's: their plans are alike
        frame = _row_of(spark, path).persist()
        _FRAMES[place] = (book.id, frame)
    return frame


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
