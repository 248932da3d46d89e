"""Salts by one call of penstock's class and by Spark's own terms: the same numbers, for state stands where they say."""

import logging
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import pytest
from pyspark.sql import Column, DataFrame, SparkSession, functions

from penstock.core.known.routing_table import RoutingTable
from penstock.core.seen.pairs import Key
from penstock.engines.spark.jvm import own_class
from penstock.engines.spark.jvm.local_files import LocalFiles
from penstock.engines.spark.jvm.own_class import calls_of
from penstock.engines.spark.jvm.routing.draw_call import DrawCall
from penstock.engines.spark.jvm.routing.lookup import table_cell
from penstock.engines.spark.jvm.routing.salt_call import SaltCall, salt_call
from penstock.engines.spark.jvm.routing.salting import Salting, by_call, by_terms
from penstock.engines.spark.routing.book import LIVE, Change, RouteBook

ROWS = 400
KINDS = "text string, number bigint, amount decimal(38,10), small decimal(9,2), yes boolean, day date"
TIMES = "begins timestamp, local timestamp_ntz"
KEYS = (("text",), ("number",), ("amount", "small"), ("day", "yes", "text"))
WORDS = ("", "a", "abcd", "Asia", "naïve", "日本語", "\x7f\x80", "x" * 37, "\x1f", "true", "0")
NUMBERS = (0, 1, -1, 2**31, 2**63 - 1, -(2**63))
DAYS = (date(1970, 1, 1), date(1969, 12, 31), date(2024, 2, 29), date(9999, 12, 31))
FIRST_CUT_US = 1_000_000_000


def drawn_rows(spark: SparkSession, random: Random) -> DataFrame:
    """Any of each kind, and NULL; times from ever on to beyond all."""

    def one() -> tuple[object, ...]:
        values: Sequence[object] = (
            random.choice((*WORDS, f"key {random.randrange(300)}")),
            random.choice((*NUMBERS, random.randrange(300))),
            Decimal(random.randrange(-(10**20), 10**20)).scaleb(-10),
            Decimal(random.randrange(300)).scaleb(-2),
            random.random() < 0.5,
            random.choice((*DAYS, DAYS[0] + timedelta(random.randrange(300)))),
            random.choice((-(2**62), 2**62, 0, random.randrange(-(10**9), 5 * 10**9))),
        )
        return tuple(None if random.random() < 0.1 else value for value in values)

    rows = spark.createDataFrame([one() for _ in range(ROWS)], f"{KINDS}, us bigint").coalesce(1)
    timed = rows.withColumn("begins", functions.timestamp_micros("us"))
    return timed.withColumn("local", functions.timestamp_micros("us").cast("timestamp_ntz")).drop("us")


def book_of(place: Path, rows: DataFrame, partitions: int, tables: int) -> RouteBook:
    """Each table lists about half of all keys that there are, each operator those of its own columns."""
    random, operators = Random(partitions), {"".join(names): list(names) for names in KEYS}
    texts = {name: listed_texts(rows, names) for name, names in operators.items()}

    def table() -> RoutingTable:
        keys: dict[str, dict[Key, int]] = {
            name: {text: random.randrange(partitions) for text in found if random.random() < 0.5}
            for name, found in texts.items()
        }
        return RoutingTable(partitions, keys)

    book = RouteBook(LocalFiles(place))
    book.open(operators, partitions, table())
    for number in range(1, tables):
        book.record(Change(number, book.add(table()), FIRST_CUT_US * number))
    book.write_live()
    return book


def listed_texts(rows: DataFrame, names: Sequence[str]) -> list[str]:
    found = rows.select(functions.concat_ws("\x1f", *names).alias("text")).distinct().collect()
    return sorted(row["text"] for row in found)


def both_ways(spark: SparkSession, rows: DataFrame, cells: Sequence[Column], start: str | None) -> DataFrame:
    """By all keys, the salts of both."""
    call = salt_call(spark)
    assert call is not None
    for number, (names, cell) in enumerate(zip(KEYS, cells, strict=True)):
        keys = tuple(map(functions.col, names))
        before = () if start is None else (functions.struct(start, start),)
        begin = None if start is None else functions.col(start)
        columns = (*before, *keys, functions.col("yes"))
        rows = by_call(call, rows, Salting(f"call_{number}", columns, keys, cell, begin))
        rows = by_terms(rows, Salting(f"terms_{number}", columns, keys, cell, begin))
    return rows.select(*rows.columns[-2 * len(KEYS) :])


CASES = ((1, 1, "begins"), (3, 8, "begins"), (200, 3, "local"), (65_534, 2, "begins"), (7, 1, None))


@pytest.mark.parametrize(("partitions", "tables", "start"), CASES)
def test_salts_are_the_same_both_ways_whatever_the_keys_windows_and_tables(
    spark: SparkSession, tmp_path: Path, partitions: int, tables: int, start: str | None
) -> None:
    rows = drawn_rows(spark, Random(tables)).cache()
    book = book_of(tmp_path, rows, partitions, tables)
    cells = [table_cell(spark, book, LIVE, operator) for operator in range(len(KEYS))]
    salted = both_ways(spark, rows, cells, start)
    found = salted.collect()
    for number in range(len(KEYS)):
        assert [row[f"call_{number}"] for row in found] == [row[f"terms_{number}"] for row in found]
        fields = (salted.schema[f"{way}_{number}"] for way in ("call", "terms"))
        assert [(field.dataType.simpleString(), field.nullable) for field in fields] == [("int", True)] * 2
    assert len({row["call_0"] for row in found}) > 10
    rows.unpersist()


@pytest.fixture
def own_loader(spark: SparkSession) -> Iterator[None]:
    """The thread of Java that serves this one finds no class but Java's own, as no loader of Spark's takes a jar."""
    jvm: Any = spark.sparkContext._jvm
    thread = jvm.java.lang.Thread.currentThread()
    before = thread.getContextClassLoader()
    thread.setContextClassLoader(jvm.java.lang.ClassLoader.getPlatformClassLoader())
    yield
    thread.setContextClassLoader(before)


@pytest.mark.usefixtures("own_loader")
def test_where_the_driver_takes_no_jar_there_are_no_calls_and_that_is_said_once(
    spark: SparkSession, caplog: pytest.LogCaptureFixture
) -> None:
    def anew(spark: SparkSession) -> SaltCall:  # others' tests have the class by now
        return SaltCall(spark)

    with caplog.at_level(logging.WARNING, "penstock.spark"):
        assert [calls_of(spark, anew, "salts are slow") for _ in range(2)] == [None, None]
    assert caplog.text.count("salts are slow") == 1


@pytest.mark.parametrize("made", [SaltCall, DrawCall])
def test_a_call_that_spark_cannot_build_is_found_out_before_a_query_depends_on_it(
    spark: SparkSession, made: type, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def anew(session: SparkSession) -> Any:
        return made(session)

    monkeypatch.setattr(own_class, "_KNOWN_ARGUMENTS", 9)  # as on a Spark with one that is not known here
    assert calls_of(spark, anew, "calls are slow") is None
    assert "calls are slow" in caplog.text
