"""A checkpoint and its book belong together: with a lost, older or other book nothing starts or is written."""

import shutil
from collections import Counter
from pathlib import Path

import pytest

from penstock.core.known.routing_table import RoutingTable
from penstock.engines.spark.jvm.local_files import LocalFiles
from penstock.engines.spark.routing.book import RouteBook
from penstock.engines.spark.routing.checkpoint_stamp import STAMP, BookError, Stamp, check_tie, stamp_of
from penstock.engines.spark.routing.damage import DamagedError
from tests.engines.spark.routing.running_count import PARTITIONS, RunningCount

KEYS = [f"k{number}" for number in range(8)]


def count_at(place: Path) -> RunningCount:
    """It was re-routed once."""
    made = RunningCount(LocalFiles(place))
    made.feed(KEYS)
    made.run()
    made.reroute(all_to(1))
    return made


def all_to(partition: int) -> RoutingTable:
    return RoutingTable(PARTITIONS, {"left": dict.fromkeys(KEYS, partition)})


def files_of(place: Path) -> list[tuple[Path, int]]:
    return sorted((path, path.stat().st_mtime_ns) for path in place.rglob("*"))


def refused(count: RunningCount, *says: str) -> None:
    """Its start, and that for these reasons; nothing is written."""
    assert isinstance(count.checkpoint, LocalFiles)
    count.feed(KEYS)
    before = files_of(count.checkpoint.root)
    with pytest.raises((BookError, DamagedError)) as error:
        count.run()
    assert files_of(count.checkpoint.root) == before
    for part in says:
        assert part in str(error.value)


def test_a_checkpoint_knows_its_book_and_how_much_of_it_it_depends_on(tmp_path: Path) -> None:
    count = count_at(tmp_path)
    assert stamp_of(count.checkpoint) == Stamp(count.book().id, change=1, version=1)


def test_a_lost_book_is_not_begun_anew(tmp_path: Path) -> None:
    count = count_at(tmp_path)
    book = count.book().id
    (tmp_path / "routing").rename(tmp_path / "kept")
    refused(count, f"written with book {book}, as of change 1", "routing holds no book", "Bring", "new checkpoint")
    (tmp_path / "kept").rename(tmp_path / "routing")
    count.run()
    assert count.told == Counter(count.rows)


def test_an_older_copy_of_the_book_is_refused(tmp_path: Path) -> None:
    count = count_at(tmp_path)
    shutil.copytree(tmp_path / "routing", tmp_path / "copy")
    count.reroute(all_to(2))
    shutil.rmtree(tmp_path / "routing")
    (tmp_path / "copy").rename(tmp_path / "routing")
    refused(count, "as of change 2; ", "as of change 1: an older copy")


def test_the_book_of_another_query_is_refused(tmp_path: Path) -> None:
    count, other = count_at(tmp_path / "one"), count_at(tmp_path / "other")
    shutil.rmtree(tmp_path / "one/routing")
    shutil.copytree(tmp_path / "other/routing", tmp_path / "one/routing")
    refused(count, f"is {other.book().id}, as of change 1: another's", "the checkpoint's own")


@pytest.mark.parametrize("part", ["changes/000000.json", "versions/000001.parquet"])
def test_a_book_of_which_a_part_was_lost_is_refused(tmp_path: Path, part: str) -> None:
    count = count_at(tmp_path)
    (tmp_path / "routing" / part).unlink()
    refused(count, f"without {part}. Bring them back")


def test_a_book_that_another_has_written_on_is_refused(tmp_path: Path) -> None:
    count = count_at(tmp_path)
    shutil.copytree(tmp_path / "routing", tmp_path / "copy")
    count.reroute(all_to(2))
    shutil.rmtree(tmp_path / "routing")
    (tmp_path / "copy").rename(tmp_path / "routing")
    book = count.checkpoint.below("routing")
    book.write("changes/000002.json", book.read("changes/000001.json").replace('"number": 1', '"number": 2'))
    refused(count, "with table 2", "two have written it")


def test_a_checkpoint_that_was_made_without_any_book_is_refused_and_an_older_penstocks_book_named(
    tmp_path: Path,
) -> None:
    count = count_at(tmp_path)
    shutil.rmtree(tmp_path / "routing")
    count.checkpoint.remove(STAMP)
    refused(count, "holds no book of the tables", "use a new checkpoint")
    with pytest.raises(BookError, match="move /home/me/routing/tweets to file:"):
        check_tie(RouteBook(count.checkpoint.below("routing"), count.checkpoint), "/home/me/routing/tweets")


def test_a_checkpoint_and_book_of_a_penstock_without_stamps_go_on_and_are_tied(tmp_path: Path) -> None:
    count = count_at(tmp_path)
    count.checkpoint.remove(STAMP)
    count.checkpoint.remove("routing/book.json")
    count.feed(KEYS)
    count.run()
    assert count.told == Counter(count.rows)
    assert stamp_of(count.checkpoint) == Stamp(count.book().id, change=1, version=1)


def test_a_checkpoint_that_was_begun_anew_takes_any_book(tmp_path: Path) -> None:
    count = count_at(tmp_path)
    for part in ("offsets", "commits", "state", "routing"):
        shutil.rmtree(tmp_path / part)
    count.rows, count.told = [], {}
    count.feed(KEYS)
    count.run()
    assert count.told == Counter(count.rows)


@pytest.mark.parametrize("re_routings", [1, 2])
def test_a_checkpoint_that_is_an_older_copy_than_its_book_goes_on_with_the_table_that_it_had(
    tmp_path: Path, re_routings: int
) -> None:
    count = count_at(tmp_path / "now")
    shutil.copytree(tmp_path / "now", tmp_path / "copy", ignore=shutil.ignore_patterns("routing"))
    told, fed = dict(count.told), len(count.rows)
    for number in range(re_routings):
        count.feed(KEYS)
        count.run()
        count.reroute(all_to(2 * number))
    shutil.copytree(tmp_path / "now/routing", tmp_path / "copy/routing")
    older = RunningCount(LocalFiles(tmp_path / "copy"))
    older.told = told
    older.feed(count.rows[:fed])
    for _ in range(2):
        older.feed(KEYS)
        older.run()
        assert older.told == Counter(older.rows)
    assert [change.number for change in older.book().moves()] == [1]


def test_a_crash_between_a_change_and_its_stamp_leaves_a_book_that_is_ahead_and_will_do(tmp_path: Path) -> None:
    count = count_at(tmp_path)
    stamped = count.checkpoint.read(STAMP)
    count.reroute(all_to(2))
    count.checkpoint.write(STAMP, stamped)
    count.feed(KEYS)
    count.run()
    assert count.told == Counter(count.rows)
    assert stamp_of(count.checkpoint) == Stamp(count.book().id, change=2, version=2)


@pytest.mark.parametrize(
    "stamp",
    [
        b'{"book": "a", "cha',
        b"{}",
        b"[1]",
        b'{"book": "a", "change": "x", "version": 1}',
        b"[" * 100_000,
        b'{"book": "\xff',
    ],
)
def test_a_damaged_stamp_is_refused_by_its_name(tmp_path: Path, stamp: bytes) -> None:
    count = count_at(tmp_path)
    (tmp_path / STAMP).write_bytes(stamp)
    refused(count, f"{STAMP} is damaged", "bring it back from a copy of the checkpoint")
