"""What a query's look-ups read of a table's file, and which of its tables a window follows."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import Column, SparkSession, functions

from penstock.core.known.routing_table import RoutingTable
from penstock.core.seen.pairs import Key
from penstock.engines.spark.jvm.local_files import LocalFiles
from penstock.engines.spark.jvm.routing.lookup import SlotTables, kept, moment_of, reread, slot_at, table_cell
from penstock.engines.spark.jvm.routing.salting import Salting, with_salt
from penstock.engines.spark.routing.book import LIVE, Change, RouteBook
from penstock.engines.spark.routing.shape import SINCE_EVER_US, SLOTS, TableSlot

OPERATORS = {"left": ["region"], "right": ["hashtag"]}
TEN_S = 10_000_000
SERVERS = 3
NOTHING: SlotTables = (None,) * SLOTS


def table(number: int) -> RoutingTable:
    """It gives the two keys of its own, and one that all tables have, the partition of its number."""
    server = number % SERVERS
    keys: dict[Key, int] = {"all": server, f"only {number}": server}
    return RoutingTable(SERVERS, {"left": keys, "right": {"all": (server + 1) % SERVERS}})


def book_of(place: Path, tables: int) -> RouteBook:
    """The first one from ever on, each further one from ten seconds later."""
    made = RouteBook(LocalFiles(place))
    made.open(OPERATORS, SERVERS, table(0))
    for number in range(1, tables):
        made.record(Change(number, made.add(table(number)), number * TEN_S))
    made.write_live()
    return made


def placed(spark: SparkSession, cell: Column, keys: Sequence[tuple[str | None, int]]) -> list[int]:
    """Where Spark would send rows of these keys whose windows begin at these seconds."""
    rows = spark.createDataFrame(list(keys), "key string, second long").coalesce(1)
    timed = rows.select("key", functions.timestamp_seconds("second").alias("begins"))
    salted = with_salt(
        timed, Salting("salt", _columns("begins", "key"), _columns("key"), cell, functions.col("begins"))
    )
    sent = functions.pmod(functions.hash("begins", "key", "salt"), functions.lit(SERVERS))
    return [row["sent"] for row in salted.select(sent.alias("sent")).collect()]


def hashed(spark: SparkSession, keys: Sequence[tuple[str | None, int]]) -> list[int]:
    """Where it would without a route."""
    rows = spark.createDataFrame(list(keys), "key string, second long").coalesce(1)
    sent = functions.pmod(functions.hash(functions.timestamp_seconds("second"), "key"), functions.lit(SERVERS))
    return [row["sent"] for row in rows.select(sent.alias("sent")).collect()]


def _columns(*names: str) -> tuple[Column, ...]:
    return tuple(functions.col(name) for name in names)


def test_each_operator_follows_its_own_keys_of_the_table_of_its_window(spark: SparkSession, tmp_path: Path) -> None:
    book = book_of(tmp_path, 3)
    keys = [("all", second) for second in (0, 9, 10, 19, 20, 21)]
    assert placed(spark, table_cell(spark, book, LIVE, 0), keys) == [0, 0, 1, 1, 2, 2]
    assert placed(spark, table_cell(spark, book, LIVE, 1), keys) == [1, 1, 2, 2, 0, 0]


def test_a_key_that_its_table_does_not_list_goes_where_spark_hashes_it(spark: SparkSession, tmp_path: Path) -> None:
    cell = table_cell(spark, book_of(tmp_path, 2), LIVE, 0)
    strange = [("only 1", 5), ("only 0", 15), ("nobody", 5), ("nobody", 15), (None, 5), (None, 15)]
    assert placed(spark, cell, strange) == hashed(spark, strange)


def test_a_query_follows_what_is_published_while_older_windows_keep_their_tables(
    spark: SparkSession, tmp_path: Path
) -> None:
    """Through more tables than there are slots; `cell` stands for the plan that was made at the beginning."""
    book = book_of(tmp_path, 1)
    cell = table_cell(spark, book, LIVE, 0)
    for number in range(1, 2 * SLOTS):
        book.record(Change(number, book.add(table(number)), number * TEN_S))
        book.write_live()
        reread(spark, book, LIVE)
        if number not in (1, SLOTS - 1, SLOTS, 2 * SLOTS - 1):  # all slots have been given, and given again
            continue
        open_since = max(0, number - SLOTS + 1)
        wanted = [known % SERVERS for known in range(open_since, number + 1)]
        assert placed(spark, cell, [("all", 10 * known + 5) for known in range(open_since, number + 1)]) == wanted


def test_all_keys_of_a_large_table_are_found(spark: SparkSession, tmp_path: Path) -> None:
    book = RouteBook(LocalFiles(tmp_path))
    listed: dict[Key, int] = {f"key {number}": number * 7 % SERVERS for number in range(20_000)}
    book.open(OPERATORS, SERVERS, RoutingTable(SERVERS, {"left": listed}))
    cell = table_cell(spark, book, LIVE, 0)
    assert placed(spark, cell, [(str(key), 0) for key in listed]) == list(listed.values())


def _slots(starts: Sequence[int]) -> list[TableSlot]:
    """As a file has them: the oldest is there from ever on; what a table says tells which one it is."""
    made = [TableSlot(start, SERVERS, ({"begins": start},)) for start in starts]
    return [replace(made[0], from_us=SINCE_EVER_US), *made[1:]]


@given(st.lists(st.booleans(), max_size=40))
def test_a_table_keeps_its_slot_for_as_long_as_it_is_there(withdrawn: list[bool]) -> None:
    """Tables come one by one, and some are withdrawn as soon as they are there."""
    standing, places = [0], kept(NOTHING, _slots([0]))
    for number, goes_again in enumerate(withdrawn, 1):
        for after in ([*standing, number], standing) if goes_again else ([*standing, number],):
            before, places = _where(places), kept(places, _slots(after[-SLOTS:]))
            now = _where(places)
            assert sorted(now) == after[-SLOTS:]
            assert all(now[table] == before[table] for table in now.keys() & before.keys())
        standing = after


def _where(places: SlotTables) -> dict[int, int]:
    return {_begins(slot): number for number, slot in enumerate(places) if slot is not None}


def _begins(slot: TableSlot | None) -> int:
    assert slot is not None
    return slot.operators[0]["begins"]


def test_a_table_that_is_withdrawn_leaves_the_others_where_they_are() -> None:
    three = kept(NOTHING, _slots([0, 1, 2]))
    assert kept(three, _slots([0, 1])) == (*three[:2], *NOTHING[2:])
    assert kept(three, _slots([0])) == (three[0], *NOTHING[1:])


@pytest.mark.parametrize(
    ("second", "slot"), [(0, 1), (9, 1), (10, 2), (19, 2), (20, 3), (21, 3), (None, 1), (-(10**12), 1), (10**12, 3)]
)
def test_a_window_follows_the_newest_table_that_begins_before_it_does(
    spark: SparkSession, tmp_path: Path, second: int | None, slot: int
) -> None:
    cell = table_cell(spark, book_of(tmp_path, 3), LIVE, 0)
    begins = functions.timestamp_seconds(functions.lit(second).cast("bigint"))
    found = spark.range(1).select(slot_at(cell, moment_of(begins)).alias("slot")).collect()
    assert [row["slot"] for row in found] == [slot]
