"""Paths and URLs, good and bad."""

import os
import re
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa

from penstock.errors import ConfigError
from penstock.local.postgres import PostgresServer
from penstock.store import desk_tables
from penstock.store.open import check_writable, default_path, open_store
from tests.recorded import RUN, a_cycle


def test_the_default_lies_in_the_home_of_the_user() -> None:
    assert default_path({"HOME": "/home/ann"}) == Path("/home/ann/.local/state/penstock/runs.sqlite")


def test_folders_on_the_way_are_made(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "runs.sqlite"
    with closing(open_store(path)) as store:
        store.begin(RUN)
        assert (store.place, path.is_file()) == (str(path), True)


def test_what_is_recorded_is_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite"
    with closing(open_store(path)) as store:
        store.begin(RUN)
        store.append(a_cycle(10.0))
        modes = {found.name: stat.S_IMODE(found.stat().st_mode) for found in tmp_path.iterdir()}
    assert {"runs.sqlite", "runs.sqlite-wal"} <= set(modes)
    assert set(modes.values()) == {0o600}


@pytest.fixture
def while_it_is_made() -> Iterator[list[Callable[[], None]]]:
    """What is done when a store's tables are made and its version is about to be written, once each."""
    to_do: list[Callable[[], None]] = []

    def asked(connection: object, cursor: object, statement: str, *_: object) -> None:
        if to_do and statement.startswith("INSERT INTO penstock_schema"):
            to_do.pop()()

    sa.event.listen(sa.Engine, "before_cursor_execute", asked)
    yield to_do
    sa.event.remove(sa.Engine, "before_cursor_execute", asked)
    assert to_do == []


def test_a_new_file_has_the_tables_of_one_that_was_there_and_is_filled(tmp_path: Path) -> None:
    (tmp_path / "there.sqlite").touch()
    for name in ("new.sqlite", "there.sqlite"):
        with closing(open_store(tmp_path / name)) as store:
            store.begin(RUN)
    new, there = (made_of(tmp_path / name) for name in ("new.sqlite", "there.sqlite"))
    assert new == there
    assert {line.split()[2] for line in new if line.startswith("CREATE TABLE")} == set(desk_tables.metadata.tables)


def made_of(path: Path) -> list[str]:
    """A file's tables, their indexes and the version, as what would make them."""
    with closing(sqlite3.connect(path)) as file:
        return [line for line in file.iterdump() if line.startswith("CREATE") or "penstock_schema" in line]


def test_what_a_store_made_itself_it_does_not_look_through(tmp_path: Path) -> None:
    asked: list[str] = []

    def note(connection: object, cursor: object, statement: str, *_: object) -> None:
        asked.append(statement)

    with closing(open_store(tmp_path / "runs.sqlite")) as store:
        sa.event.listen(sa.Engine, "before_cursor_execute", note)
        try:
            store.begin(RUN)
        finally:
            sa.event.remove(sa.Engine, "before_cursor_execute", note)
    assert not [statement for statement in asked if "table_info" in statement]


def test_who_looks_while_a_file_is_made_finds_none_and_is_in_nobodys_way(
    tmp_path: Path, while_it_is_made: list[Callable[[], None]]
) -> None:
    path = tmp_path / "runs.sqlite"

    def look() -> None:
        with (
            closing(open_store(path, create=False)) as reader,
            pytest.raises(ConfigError, match="no runs are recorded"),
        ):
            reader.runs()

    while_it_is_made.append(look)
    with closing(open_store(path)) as store:
        store.begin(RUN)
        assert [run.id for run in store.runs()] == [RUN.id]
    assert [found.name for found in tmp_path.iterdir()] == ["runs.sqlite"]


def test_who_makes_a_file_that_another_made_meanwhile_goes_on_with_that(
    tmp_path: Path, while_it_is_made: list[Callable[[], None]]
) -> None:
    path = tmp_path / "runs.sqlite"

    def begin_another() -> None:
        with closing(open_store(path)) as other:
            other.begin(replace(RUN, id="another"))

    while_it_is_made.append(begin_another)
    with closing(open_store(path)) as store:
        store.begin(RUN)
        assert {run.id for run in store.runs()} == {"another", RUN.id}
    assert [found.name for found in tmp_path.iterdir()] == ["runs.sqlite"]


def test_who_only_reads_leaves_the_file_as_it_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite"
    with closing(open_store(path)) as store:
        store.begin(RUN)
    with closing(sqlite3.connect(path)) as file:
        file.execute("PRAGMA journal_mode=DELETE")
    with closing(open_store(path, create=False)) as reader:
        assert len(reader.runs()) == 1
    with closing(sqlite3.connect(path)) as file:
        assert file.execute("PRAGMA journal_mode").fetchone() == ("delete",)


def test_a_file_that_its_owner_opened_to_others_stays_so(tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite"
    path.touch(0o640)
    path.chmod(0o640)
    with closing(open_store(path)) as store:
        store.begin(RUN)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.parametrize(
    ("target", "shown"),
    [
        ("mysql://ann:s3cret@host/runs", "mysql://ann:***@host/runs"),
        ("postgresql://ann:s3cret@ho@st:x/runs", "postgresql://ann:***@st:x/runs"),
        ("sqlite://", "sqlite://"),
    ],
)
def test_a_url_that_will_not_do_is_shown_without_its_password(target: str, shown: str) -> None:
    with pytest.raises(ConfigError) as caught:
        open_store(target)
    assert shown in str(caught.value)
    assert "s3cret" not in str(caught.value)


def test_what_is_shown_of_postgresql_has_no_password(postgres: PostgresServer, postgres_url: str) -> None:
    with closing(open_store(postgres_url)) as store:
        assert postgres.password not in store.place
        assert "penstock:***@" in store.place


def test_reading_makes_no_new_file(tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite"
    with closing(open_store(path, create=False)) as store, pytest.raises(ConfigError, match="no runs are recorded"):
        store.runs()
    assert not path.exists()


def test_a_database_of_somebody_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE shopping (item TEXT)")
    with closing(open_store(path, create=False)) as store, pytest.raises(ConfigError, match="no runs of penstock"):
        store.runs()


def test_a_schema_of_another_version_is_refused_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite"
    with closing(open_store(path)) as store:
        store.begin(RUN)
    with closing(sqlite3.connect(path)) as raw, raw:
        raw.execute("UPDATE penstock_schema SET version = 99")
    with closing(open_store(path)) as store, pytest.raises(ConfigError, match="has version 99"):
        store.begin(RUN)


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_run_is_read_while_another_writes_it(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    target = request.getfixturevalue("postgres_url") if kind == "postgresql" else str(tmp_path / "runs.sqlite")
    with closing(open_store(target)) as writer, closing(open_store(target, create=False)) as reader:
        writer.begin(RUN)
        for at_s in (10.0, 20.0):
            writer.append(a_cycle(at_s))
        views = reader.views(RUN.id)
        assert next(views).at_s == 10.0  # the reader stays in its transaction
        writer.append(a_cycle(30.0))
        assert [view.at_s for view in views] == [20.0]  # one consistent sight
        assert reader.read_run(RUN.id).at_s == (10.0, 20.0, 30.0)


@pytest.mark.parametrize("scheme", ["", "sqlite:///"])
@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir])
def test_what_is_no_file_is_refused_by_what_it_is_and_nobody_waits_for_it(
    make: Callable[[Path], None], scheme: str, tmp_path: Path
) -> None:
    path = tmp_path / "there"
    make(path)
    kind = "a folder" if path.is_dir() else "a named pipe"
    refused = f"{re.escape(str(path))}.*; it is {kind}; give the path of a file"
    with pytest.raises(ConfigError, match=rf"--store: .*{refused}"):
        check_writable(f"{scheme}{path}", "--store")
    with closing(open_store(f"{scheme}{path}")) as store, pytest.raises(ConfigError, match=refused):
        store.runs()
    with pytest.raises(ConfigError, match="it is a device; give the path of a file"):
        check_writable("/dev/null", "--store")
