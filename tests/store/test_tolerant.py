"""Governing goes on when the database does not."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
import sqlalchemy as sa

from penstock.core.asked.price import Price
from penstock.core.levers import Slots
from penstock.core.plan import Decision, Reason
from penstock.local.postgres import PostgresServer
from penstock.store.codec import MOST_IN_A_CELL
from penstock.store.open import open_store
from penstock.store.sql import SqlStore
from penstock.store.tolerant import Tolerant
from tests.recorded import RUN, Noted, a_cycle, a_job, a_view
from tests.store.away import AwayStore


@pytest.fixture
def full_disk() -> Iterator[list[int]]:
    """A limit in pages that every connection gets; SQLite then fails as it does when the disk is full."""
    pages = [1_000_000]

    def limit(connection: sa.Connection) -> None:
        if connection.dialect.name == "sqlite":
            connection.exec_driver_sql(f"PRAGMA max_page_count={pages[0]}")

    sa.event.listen(sa.Engine, "begin", limit)
    yield pages
    sa.event.remove(sa.Engine, "begin", limit)


def tolerant(path: Path) -> tuple[SqlStore, Tolerant, list[str]]:
    warnings: list[str] = []
    store = open_store(path)
    return store, Tolerant(store, retry_s=60.0, warn=warnings.append), warnings


def append(store: Tolerant, start: int, stop: int) -> None:
    for number in range(start, stop):
        store.append(a_cycle(number * 10.0))


def test_a_disk_that_fills_up_stops_nothing_and_is_said_once(tmp_path: Path, full_disk: list[int]) -> None:
    _, store, warnings = tolerant(tmp_path / "runs.sqlite")
    with closing(store):
        store.begin(RUN)
        append(store, 0, 2)
        full_disk[0] = 1  # SQLite keeps the pages it has, and gets no more
        append(store, 2, 100)
        assert store.down
        assert store.last_memory("henge", Noted) == Noted(990, {("ads", "map"): 3})
        (warning,) = warnings
    assert "database or disk is full" in warning
    assert "Free space" in warning


def test_when_there_is_room_again_what_was_missed_is_written(tmp_path: Path, full_disk: list[int]) -> None:
    inner, store, _ = tolerant(tmp_path / "runs.sqlite")
    with closing(store):
        store.begin(RUN)
        full_disk[0] = 1
        append(store, 0, 60)
        store.reprice(Price(0.05))
        full_disk[0] = 1_000_000
        append(store, 60, 80)
        assert not store.down
        assert inner.read_run(RUN.id).at_s == tuple(number * 10.0 for number in range(80))
        assert inner.read_run(RUN.id).info.price == Price(0.05)


def test_a_disk_that_is_full_from_the_start_is_tried_again(tmp_path: Path, full_disk: list[int]) -> None:
    full_disk[0] = 1
    inner, store, warnings = tolerant(tmp_path / "runs.sqlite")
    with closing(store):
        assert store.begin(RUN) == RUN
        append(store, 0, 5)
        full_disk[0] = 1_000_000
        append(store, 5, 20)
        assert (store.down, len(warnings)) == (False, 1)
        assert len(inner.read_run(RUN.id).at_s) == 20


def test_a_file_that_is_no_database_stops_nothing(tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite"
    path.write_text("these are not the pages you are looking for " * 100)
    _, store, warnings = tolerant(path)
    with closing(store):
        store.begin(RUN)
        append(store, 0, 3)
        assert len(store.read_run(RUN.id).at_s) == 3
    assert "not a database" in warnings[0]


def test_a_server_that_is_not_there_stops_nothing_and_no_password_is_told(postgres: PostgresServer) -> None:
    warnings: list[str] = []
    store = Tolerant(open_store(PostgresServer(postgres.port, "wrong-Wort").url()), warn=warnings.append)
    with closing(store):
        store.begin(RUN)
        append(store, 0, 3)
        assert store.down
    assert "wrong-Wort" not in warnings[0]
    assert "penstock:***@127.0.0.1" in warnings[0]


def test_rounds_of_a_run_that_was_taken_for_a_new_one_do_not_stand_among_those_of_before() -> None:
    database = AwayStore()
    database.begin(replace(RUN, started_at_s=1000.0))
    database.append(a_cycle(500.0))
    database.away = True
    store = Tolerant(database, warn=list[str]().append)
    store.begin(replace(RUN, started_at_s=1510.0))
    append(store, 0, 2)
    database.away = False
    append(store, 2, 4)
    assert database.read_run(RUN.id).at_s == (500.0,)
    assert (store.down, store.known_until_s, store.run) == (False, 500.0, database.read_run(RUN.id).info)
    store.append(a_cycle(550.0))
    assert database.read_run(RUN.id).at_s == (500.0, 550.0)


def test_a_cycle_that_the_database_refuses_is_left_out_and_the_next_is_written(postgres_url: str) -> None:
    warnings: list[str] = []
    inner = open_store(postgres_url)
    store = Tolerant(inner, warn=warnings.append)
    with closing(store):
        store.begin(RUN)
        store.append(a_cycle(10.0, a_view(10.0, [a_job("ads", threads=2**40)])))  # beyond the column's range
        store.append(a_cycle(20.0))
        assert not store.down
        assert inner.read_run(RUN.id).at_s == (20.0,)
    assert "cycle at 10 s is left out" in warnings[0]


def test_a_round_with_a_cell_too_large_to_be_read_again_is_left_out_and_the_others_are_told(tmp_path: Path) -> None:
    inner, store, warnings = tolerant(tmp_path / "runs.sqlite")
    cycle = a_cycle(20.0)
    large = Decision(Reason.ASKED, (Slots("x" * MOST_IN_A_CELL, 1, 2),), "", 20.0, 0.0)
    with closing(store):
        store.begin(RUN)
        store.append(a_cycle(10.0))
        store.append(replace(cycle, plan=replace(cycle.plan, decisions=(large,))))
        store.append(a_cycle(30.0))
        assert not store.down
        assert [view.at_s for view in inner.views(RUN.id)] == [10.0, 30.0]
    (warning,) = warnings
    assert "divide its jobs over several applications" in warning
    assert "the cycle at 20 s is left out" in warning


def test_a_cycle_that_no_database_can_have_is_left_out_and_keeps_none_that_come_after_it(tmp_path: Path) -> None:
    inner, store, warnings = tolerant(tmp_path / "runs.sqlite")
    with closing(store):
        store.begin(RUN)
        store.append(a_cycle(10.0, a_view(10.0, [a_job("ads", threads=2**70)])))  # more than SQLite's numbers hold
        store.append(a_cycle(20.0))
        assert inner.read_run(RUN.id).at_s == (20.0,)
    (warning,) = warnings
    assert "OverflowError" in warning
    assert "the cycle at 10 s is left out" in warning


@dataclass(frozen=True, slots=True)
class Foreign:
    """The memory of a package's policy, which holds what no store has a word for."""

    model: object = field(default_factory=object)


def test_a_policys_memory_that_has_no_words_is_left_out_of_its_round_alone(tmp_path: Path) -> None:
    inner, store, _ = tolerant(tmp_path / "runs.sqlite")
    with closing(store):
        store.begin(RUN)
        store.append(replace(a_cycle(10.0), memory=Foreign()))
        assert inner.read_run(RUN.id).at_s == (10.0,)
        told = str(inner.read_run(RUN.id).errors)
    assert "the policy's memory is not recorded: a stored value holds a object" in told
