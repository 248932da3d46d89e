"""The book of a route: written once, never changed, and read again as it was."""

import json
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.known.routing_table import RoutingTable
from penstock.core.seen.pairs import Key
from penstock.engines.spark.jvm.local_files import LocalFiles
from penstock.engines.spark.jvm.routing.lookup import make_ready
from penstock.engines.spark.routing.book import LIVE, Change, RouteBook
from penstock.engines.spark.routing.checkpoint import committed_batch, query_id
from penstock.engines.spark.routing.damage import DamagedError
from penstock.engines.spark.routing.migration import pending
from penstock.engines.spark.routing.shape import (
    NEVER_US,
    SINCE_EVER_US,
    SLOTS,
    TableSlot,
    packed,
    slot_of,
    table_of,
    unpacked,
)
from penstock.engines.spark.watch.key_texts import key_named, key_text
from penstock.errors import ConfigError, EngineError

OPERATORS = {"left": ["region"], "right": ["hashtag"]}


@pytest.fixture
def book(tmp_path: Path) -> RouteBook:
    made = RouteBook(LocalFiles(tmp_path / "routing"))
    made.open(OPERATORS, 4)
    return made


def table(partition: int) -> RoutingTable:
    return RoutingTable(4, {"left": {"Asia": partition}, "right": {7: partition}})


def test_a_new_book_holds_an_empty_table_that_is_in_force_since_ever(book: RouteBook) -> None:
    assert book.versions() == (0,)
    assert book.changes() == (Change(0, 0, SINCE_EVER_US),)
    assert book.table(0).keys == {"left": {}, "right": {}}


def test_a_table_is_read_again_as_it_was_with_its_keys_as_texts(book: RouteBook) -> None:
    version = book.add(table(3))
    found = book.table(version)
    assert (found.servers, found.keys) == (4, {"left": {"Asia": 3}, "right": {"7": 3}})


def test_a_key_of_several_columns_is_read_again_as_pairs_name_it(book: RouteBook) -> None:
    found = book.table(book.add(RoutingTable(4, {"left": {("Asia", 7): 2}, "right": {"x": 2}})))
    assert found.keys == {"left": {key_named("Asia\x1f7"): 2}, "right": {"x": 2}}


def test_opening_again_changes_nothing(book: RouteBook, tmp_path: Path) -> None:
    book.add(table(1))
    book.record(Change(1, 1, 60_000_000))
    book.write_live()
    files = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    RouteBook(book.files).open(OPERATORS, 9)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == files


def test_a_change_that_was_made_cannot_be_made_otherwise(book: RouteBook) -> None:
    book.record(Change(1, 0, 60_000_000))
    book.record(Change(1, 0, 60_000_000))
    with pytest.raises(EngineError, match="somebody else made change 1"):
        book.record(Change(1, 0, 70_000_000))


def test_other_operators_need_another_name(book: RouteBook) -> None:
    with pytest.raises(ConfigError, match="use a new name"):
        book.open({"left": ["country"]}, 4)
    with pytest.raises(ConfigError, match="left, right"):
        book.add(RoutingTable(4, {"middle": {"Asia": 1}}))


def test_the_live_file_holds_the_last_tables_and_the_oldest_of_them_reaches_back_for_ever(book: RouteBook) -> None:
    for number in range(1, SLOTS + 3):
        book.record(Change(number, book.add(table(number % 4)), number * 1_000_000))
    book.write_live()
    slots = unpacked(book.files.load(LIVE))
    assert [slot.from_us for slot in slots] == [SINCE_EVER_US, *(n * 1_000_000 for n in range(4, SLOTS + 3))]
    assert [slot.operators[0]["Asia"] for slot in slots] == [n % 4 for n in range(3, SLOTS + 3)]


@given(st.dictionaries(st.text(max_size=5) | st.integers(), st.integers(0, 6)))
def test_any_table_survives_its_file(keys: dict[Key, int]) -> None:
    keys = {key: at for key, at in keys.items() if key_text(key).isprintable()}
    (slot,) = unpacked(packed([slot_of(RoutingTable(7, {"left": keys}), ["left"])]))
    found = table_of(slot, ["left"], 1)
    assert found.keys["left"] == {key_named(key_text(key)): at for key, at in keys.items()}
    assert slot.from_us == SINCE_EVER_US < NEVER_US


def checkpoint_at(place: Path, query: str, commits: int) -> LocalFiles:
    checkpoint = LocalFiles(place)
    checkpoint.write("metadata", json.dumps({"id": query}))
    for batch in range(commits):
        checkpoint.write(f"commits/{batch}", "v1\n{}")
    return checkpoint


def book_with_a_move(checkpoint: LocalFiles, change: Change) -> RouteBook:
    made = RouteBook(checkpoint.below("routing"), checkpoint)
    made.open(OPERATORS, 4)
    made.add(table(1))
    made.record(change)
    return made


@pytest.mark.parametrize(("commits", "is_pending"), [(5, True), (6, False), (7, False)])
def test_a_change_is_pending_until_its_batch_is_committed(tmp_path: Path, commits: int, is_pending: bool) -> None:
    checkpoint = checkpoint_at(tmp_path / "c", "q", commits)
    change = Change(1, 1, None, 5, checkpoint.location, "q")
    assert (query_id(checkpoint), committed_batch(checkpoint)) == ("q", commits - 1)
    assert pending(book_with_a_move(checkpoint, change)) == (change if is_pending else None)


def test_a_checkpoint_made_anew_has_nothing_pending(tmp_path: Path) -> None:
    for checkpoint in (checkpoint_at(tmp_path / "c", "another", 0), LocalFiles(tmp_path / "gone")):
        assert pending(book_with_a_move(checkpoint, Change(1, 1, None, 5, checkpoint.location, "q"))) is None


def test_a_checkpoint_that_was_moved_with_its_book_is_itself_what_changes_are_about(tmp_path: Path) -> None:
    before, change = checkpoint_at(tmp_path / "before", "q", 5), Change(1, 1, None, 5, f"file:{tmp_path}/before", "q")
    book_with_a_move(before, change)
    (tmp_path / "before").rename(tmp_path / "after")
    after = LocalFiles(tmp_path / "after")
    assert pending(RouteBook(after.below("routing"), after)) == change


SPOILT = {
    "half a change": ("changes/000001.json", b'{"number": 1, "ver'),
    "a change of another number": ("changes/000001.json", b'{"number": 7, "version": 0}'),
    "a change to no table": ("changes/000001.json", b'{"number": 1, "version": "x"}'),
    "a change with more in it": ("changes/000001.json", b'{"number": 1, "version": 0, "servers": 3}'),
    "a list of changes": ("changes/000001.json", b"[]"),
    "nesting without end": ("changes/000001.json", b"[" * 100_000),
    "a change in no words": ("changes/000001.json", b'{"number": 1, "version": 0, "query_id": "\xff"}'),
    "an id of nothing": ("book.json", b"{}"),
    "an id in no words": ("book.json", b'{"id": "\xff"}'),
    "no operators": ("operators.json", b"[1]"),
    "a table that is none": ("versions/000001.parquet", b"PAR1" + bytes(100)),
    "a table of nothing": ("versions/000001.parquet", b""),
    "no tables": ("versions/000001.parquet", packed([])),
    "a table for one operator": ("versions/000001.parquet", packed([TableSlot(SINCE_EVER_US, 4, ({"Asia": 1},))])),
}


TABLES = {told: (name, data) for told, (name, data) in SPOILT.items() if name.endswith(".parquet")}


@pytest.mark.parametrize(("name", "data"), SPOILT.values(), ids=SPOILT)
def test_a_damaged_file_of_a_book_is_told_by_its_name_with_what_to_do(book: RouteBook, name: str, data: bytes) -> None:
    book.record(Change(1, book.add(table(3)), 60_000_000))
    path = Path(book.home.removeprefix("file:")) / name
    path.unlink()
    path.write_bytes(data)
    with pytest.raises(DamagedError, match=f"{name} is damaged .*; bring it back from a copy of the book"):
        (book.id, book.operators(), book.changes(), book.table(1))


@pytest.mark.parametrize(("name", "data"), TABLES.values(), ids=TABLES)
def test_a_damaged_table_is_told_alike_where_a_query_is_to_read_it(book: RouteBook, name: str, data: bytes) -> None:
    Path(book.home.removeprefix("file:"), name).write_bytes(data)
    spark = cast(Any, SimpleNamespace(sparkContext=SimpleNamespace(applicationId=book.home)))
    with pytest.raises(DamagedError, match=f"{name} is damaged .*; bring it back from a copy of the book"):
        make_ready(spark, book, 1)


@given(st.data())
def test_whatever_is_changed_in_a_table_it_is_a_table_or_damaged(data: st.DataObject) -> None:
    whole = packed([slot_of(table(3), tuple(OPERATORS))])
    start = data.draw(st.integers(0, len(whole) - 1))
    end = data.draw(st.integers(start, min(start + 8, len(whole))))
    changed = whole[:start] + data.draw(st.binary(max_size=8)) + whole[end:]
    with TemporaryDirectory() as place:
        book = RouteBook(LocalFiles(Path(place)))
        book.files.write("operators.json", json.dumps(OPERATORS))
        book.files.write(book.version_file(1), changed)
        with suppress(DamagedError):
            assert book.table(1).servers >= 1


@given(st.integers(min_value=-2, max_value=9))
def test_a_table_with_keys_beyond_its_partitions_is_none(partition: int) -> None:
    slot = TableSlot(SINCE_EVER_US, 4, ({"Asia": partition},))
    if 0 <= partition < 4:
        assert unpacked(packed([slot])) == (slot,)
    else:
        with pytest.raises(ValueError, match="keys beyond the 4 partitions"):
            unpacked(packed([slot]))
