"""A store's file that is deleted, replaced, or may only be read: whoever has it open says so and goes on."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from penstock.core.asked.orders import Act, Request
from penstock.errors import ConfigError, TakenOverError
from penstock.store.archive import FileGoneError, StoreError
from penstock.store.control import RETRY_S, DeskControl
from penstock.store.open import open_store
from penstock.store.sql import SqlStore
from penstock.store.tolerant import Tolerant
from tests.cli.calling import penstock
from tests.recorded import RUN, a_cycle

LATER_S = 10.0 + max(RETRY_S, 60.0)


def test_who_writes_into_a_file_that_was_deleted_says_so(path: Path, store: SqlStore) -> None:
    store.append(a_cycle(10.0))
    path.unlink()
    with pytest.raises(FileGoneError, match=r"runs\.sqlite: the file was deleted or replaced while run demo-1 was"):
        store.append(a_cycle(20.0))


def test_a_run_whose_file_was_deleted_is_recorded_on_in_a_new_one(path: Path, store: SqlStore) -> None:
    warned: list[str] = []
    tolerant = Tolerant(store, warn=warned.append)
    tolerant.begin(RUN)
    tolerant.append(a_cycle(10.0))
    path.unlink()
    for at_s in (20.0, LATER_S, LATER_S + 70.0):
        tolerant.append(a_cycle(at_s))
    with closing(open_store(path, create=False)) as reader:
        assert reader.read_run(RUN.id).at_s == (20.0, LATER_S, LATER_S + 70.0)
    assert [("deleted or replaced" in line, "governing continues" in line) for line in warned] == [(True, True)]


def test_a_run_goes_on_in_the_file_that_took_the_place_of_its_own(path: Path, store: SqlStore) -> None:
    store.append(a_cycle(10.0))
    with closing(open_store(path.with_name("other"))) as other:
        other.begin(replace(RUN, id="another"))
    for beside in ("runs.sqlite-wal", "runs.sqlite-shm"):
        path.with_name(beside).unlink()
    path.with_name("other").replace(path)
    with pytest.raises(FileGoneError):
        store.append(a_cycle(20.0))
    store.begin(RUN)
    store.append(a_cycle(30.0))
    assert {run.id for run in store.runs()} == {"another", RUN.id}


def test_who_finds_its_run_taken_up_by_another_in_the_new_file_ends(path: Path, store: SqlStore) -> None:
    store.append(a_cycle(10.0))
    path.unlink()
    with closing(open_store(path)) as other:
        for _ in range(2):
            other.begin(RUN)
        with pytest.raises(TakenOverError, match="another driver has taken up run demo-1"):
            store.begin(RUN)


def test_acts_are_heard_from_a_new_file_too_whose_numbers_begin_anew(path: Path, store: SqlStore) -> None:
    control = DeskControl(store.own_desk, RUN.id)
    for who in ("ann", "bob"):
        store.desk.ask(RUN.id, Request(Act.PAUSE, who, 2.0))
    assert control.orders(10.0).paused_by == "bob"
    path.unlink()
    assert control.orders(20.0).paused_by == "bob"
    store.begin(RUN)
    store.desk.ask(RUN.id, Request(Act.RESUME, "ann", 5.0))
    assert control.orders(LATER_S + RETRY_S).paused_by is None


def test_who_reads_looks_at_the_file_that_is_there_now(path: Path, store: SqlStore) -> None:
    with closing(open_store(path, create=False)) as reader:
        assert len(reader.runs()) == 1
        path.unlink()
        with pytest.raises(ConfigError, match="no runs are recorded there"):
            reader.runs()
        with closing(open_store(path)) as other:
            other.begin(replace(RUN, id="another"))
            assert [run.id for run in reader.runs()] == ["another"]


def test_a_new_file_has_nothing_of_one_that_was_deleted_without_what_lay_beside_it(tmp_path: Path) -> None:
    old, new = tmp_path / "old.sqlite", tmp_path / "new.sqlite"
    with closing(open_store(old)) as writer:
        writer.begin(replace(RUN, id="old"))
        left = old.with_name("old.sqlite-wal").read_bytes()
    assert left
    new.with_name("new.sqlite-wal").write_bytes(left)
    with closing(open_store(new)) as store:
        store.begin(RUN)
        assert [run.id for run in store.runs()] == [RUN.id]


@pytest.fixture
def nothing_beside(path: Path) -> Path:
    """A whole store, beside which SQLite can write nothing."""
    with closing(open_store(path)) as store:
        store.begin(RUN)
        store.append(a_cycle(10.0))
    path.with_name("runs.sqlite-shm").symlink_to("no/such/folder")
    return path


@pytest.mark.parametrize("command", [("report", "last"), ("explain", "last"), ("top", "--once"), ("control", "show")])
def test_where_nothing_may_be_written_a_store_is_read_all_the_same(
    nothing_beside: Path, command: tuple[str, ...]
) -> None:
    called = penstock(*command, "--store", str(nothing_beside))
    assert (called.returncode, called.stderr) == (0, "")


def test_who_reads_a_store_as_it_lies_sees_what_another_writes_meanwhile(nothing_beside: Path) -> None:
    with closing(open_store(nothing_beside, create=False)) as reader:
        assert reader.read_run(RUN.id).at_s == (10.0,)
        nothing_beside.with_name("runs.sqlite-shm").unlink()
        with closing(open_store(nothing_beside)) as writer:
            writer.begin(RUN)
            writer.append(a_cycle(20.0))
            assert reader.read_run(RUN.id).at_s == (10.0, 20.0)


def test_rounds_that_wait_beside_a_store_are_not_passed_over(path: Path, store: SqlStore) -> None:
    copy = path.with_name("copy.sqlite")
    store.append(a_cycle(10.0))
    for end in ("", "-wal"):
        copy.with_name(copy.name + end).write_bytes(path.with_name(path.name + end).read_bytes())
    copy.with_name("copy.sqlite-shm").symlink_to("no/such/folder")
    called = penstock("report", "last", "--store", str(copy))
    assert (called.returncode, called.stdout) == (75, "")
    assert "see that copy.sqlite-wal and copy.sqlite-shm beside it are readable" in called.stderr


def test_who_cannot_write_beside_a_store_is_told_so(nothing_beside: Path) -> None:
    with closing(open_store(nothing_beside)) as store, pytest.raises(StoreError, match="unable to open"):
        store.begin(RUN)


ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT"
VIEWS = {
    "penstock_runs": "x AS number, 'r' AS id, 'r' AS name, 'p' AS policy, 'e' AS engine, 'm' AS master FROM n",
    "penstock_schema": "1 AS version FROM n",
    "Penstock_Cycles": "x AS id, 1 AS run, 10.0 * x AS at_s FROM n",
}


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("command", [("report", "last"), ("top", "--once"), ("control", "pause")])
def test_a_view_without_end_in_the_place_of_a_table_is_refused_in_one_line(
    path: Path, store: SqlStore, name: str, command: tuple[str, ...]
) -> None:
    store.close()
    with closing(sqlite3.connect(path)) as raw:
        raw.execute(f"DROP TABLE {name}")
        raw.execute(f"CREATE VIEW {name} AS {ENDLESS} {VIEWS[name]}")
    called = penstock(*command, "--store", str(path))
    assert called.returncode == 2
    assert called.stderr == (
        f"penstock: store: '{path}' cannot be used; another program made a view of its '{name}': "
        "give one that penstock recorded into\n"
    )
