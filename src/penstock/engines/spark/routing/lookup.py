"""Looking keys up inside a query: the partition that a routing table gives a key, re-read with every batch.

A query's plan is made once, yet its scalar subqueries run anew in each batch. One of them reads the table's file: a
single row out of `mapInArrow`, kept in memory until a new file is published. So tables change with no restart.
"""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession, functions

from penstock.engines.spark.routing.shape import BETWEEN_PARTS, ROW_SCHEMA, SLOTS

# One frame for a file in an application: a second one would not see what is published to the first.
_FRAMES: dict[tuple[str, Path], DataFrame] = {}


def table_cell(spark: SparkSession, path: Path) -> Column:
    """The row of that file, as a column of any query."""
    frame = _frame(spark, path)
    return frame.select(functions.struct("starts", "slots").alias("row")).scalar()


def reread(spark: SparkSession, path: Path) -> None:
    """From the next batch on, queries see what the file holds now."""
    frame = _frame(spark, path)
    frame.unpersist(blocking=True)
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


def _frame(spark: SparkSession, path: Path) -> DataFrame:
    key = (spark.sparkContext.applicationId, path)
    if key not in _FRAMES:
        _FRAMES[key] = spark.range(1).coalesce(1).mapInArrow(_reader(str(path)), ROW_SCHEMA).persist()
    return _FRAMES[key]


def _reader(path: str):  # type: ignore[no-untyped-def]
    # A function made here travels by value: executors need pyarrow, not penstock.
    def read(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow.parquet

        for _ in batches:
            yield from pyarrow.parquet.read_table(path).to_batches()

    return read
