"""What a query's look-ups read of a table's file, and which of its tables a window follows."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession, functions

from penstock.core.routing_table import RoutingTable
from penstock.engines.spark.jvm.local_files import LocalFiles
from penstock.engines.spark.jvm.routing.lookup import slot_number, table_cell
from penstock.engines.spark.routing.book import LIVE, Change, RouteBook

OPERATORS = {"left": ["region"], "right": ["hashtag"]}
TEN_S = 10_000_000


@pytest.fixture
def book(tmp_path: Path) -> RouteBook:
    """Three tables: from ever on, from 10 s on and from 20 s on."""
    made = RouteBook(LocalFiles(tmp_path))
    tables = [RoutingTable(2, {"left": {"Asia": 0}, "right": {"#java": number % 2}}) for number in range(3)]
    made.open(OPERATORS, 2, tables[0])
    for number, table in enumerate(tables[1:], 1):
        made.record(Change(number, made.add(table), number * TEN_S))
    made.write_live()
    return made


@pytest.mark.parametrize(
    ("operator", "listed"), [(0, [{"Asia": 0}] * 3), (1, [{"#java": 0}, {"#java": 1}, {"#java": 0}])]
)
def test_an_operator_is_given_its_own_keys_alone(
    spark: SparkSession, book: RouteBook, operator: int, listed: list[dict[str, int]]
) -> None:
    row = spark.range(1).select(table_cell(spark, book, LIVE, operator).alias("cell")).collect()[0]
    assert [slot["buckets"] for slot in row["cell"]["slots"]] == [[keys] for keys in listed]


def test_a_window_follows_the_newest_table_that_begins_before_it_does(spark: SparkSession, book: RouteBook) -> None:
    starts = spark.createDataFrame([(second,) for second in (0, 9, 10, 19, 20, 21)], "second long")
    begins = functions.timestamp_seconds("second")
    numbers = starts.select(slot_number(table_cell(spark, book, LIVE, 0), begins).alias("number")).collect()
    assert [row["number"] for row in numbers] == [1, 1, 2, 2, 3, 3]
