"""SQLite's file: how it is opened for one writer beside many readers, and where nothing may be written beside it.

Who reads a file that is kept for many has to write beside it (`-shm`). Where that cannot be, on a medium that is only
read or on a full disk, and no rounds wait in `-wal`, it is read as it lies there, until somebody changes it.
"""

import fcntl
import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import URL
from sqlalchemy.exc import DisconnectionError

from penstock.errors import ConfigError

SQLITE = b"SQLite format 3\0"  # what each of its files begins with
BUSY_S = 2  # how long to wait for another writer; a round is 10 s, and governing waits meanwhile
_NOTHING_BESIDE_IT = {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL}
_READ_AS_IT_LAY = "penstock_read_as_it_lay"


def sqlite_engine(url: URL, writes: bool) -> sa.Engine:
    """Connections to one file."""
    engine = sa.create_engine(url, connect_args={"timeout": BUSY_S}, hide_parameters=True)
    if writes:
        sa.event.listen(engine, "connect", _set_up_writer)
    else:
        sa.event.listen(engine, "do_connect", _connect_to_read)
        sa.event.listen(engine, "connect", _set_up)
        sa.event.listen(engine, "checkout", _refuse_what_changed)
    sa.event.listen(engine, "begin", _begin)
    return engine


def identity(path: Path) -> tuple[int, int] | None:
    """Which file lies there, None where there is none: another one may take a path over."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def check_ordinary(path: Path, field: str = "store") -> None:
    """A ConfigError where something else than a file lies there: a pipe would be waited for without end."""
    if path.exists() and not path.is_file():
        raise ConfigError(
            field, str(path), f"it is {_kind(path)}; give the path of a file, or of one that is to be made"
        )


def _kind(path: Path) -> str:
    if path.is_fifo():
        return "a named pipe"
    if path.is_socket():
        return "a socket"
    return "a folder" if path.is_dir() else "a device"


def may_be_sqlite(path: Path) -> bool:
    """Whether it is SQLite's by what it begins with; an empty one may become so."""
    with path.open("rb") as file:
        return file.read(len(SQLITE)) in (b"", SQLITE)


def waits_beside(path: Path) -> bool:
    """Whether rounds wait in the file beside it that are to be written into it."""
    with suppress(OSError):
        return _beside(path, "-wal").stat().st_size > 0
    return False


def make_whole(path: Path, fill: Callable[[sa.Connection], None]) -> bool:
    """A new file with its tables, under another name until it has them; whether it is the one that lies there now.

    Who looks meanwhile sees no file or all of it: a look at one that is being made would hold a lock that whoever makes
    it cannot wait for.
    """
    try:
        # What people asked for, errors of tenants, names of hosts: its owner's alone, as SQLite's files beside it.
        file, fresh = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError:
        return False  # SQLite says in its own words why it cannot be
    os.close(file)
    engine = sqlite_engine(URL.create("sqlite", database=fresh), writes=True)
    try:
        with engine.begin() as connection:
            fill(connection)
        engine.dispose()  # which writes what SQLite keeps beside the file into it
        return _put_in_place(fresh, path)
    finally:
        engine.dispose()
        Path(fresh).unlink(missing_ok=True)


def _put_in_place(fresh: str, path: Path) -> bool:
    with alone_in(path.parent) as alone:
        if path.exists():
            return False  # another made it meanwhile
        if alone:  # what a file left that was deleted without it would be written into the new one
            for end in ("-wal", "-shm"):
                _beside(path, end).unlink(missing_ok=True)
        try:
            os.link(fresh, path)
        except FileExistsError:
            return False
        except OSError:  # a file system without links
            os.rename(fresh, path)
    return True


@contextmanager
def alone_in(folder: Path) -> Iterator[bool]:
    """Whether no other penstock puts a file into the folder meanwhile; not every file system can tell."""
    held = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(held, fcntl.LOCK_EX)
        except OSError:
            yield False
        else:
            yield True
    finally:
        os.close(held)


def _beside(path: Path, end: str) -> Path:
    return path.with_name(path.name + end)


def _connect_to_read(dialect: object, record: Any, given: Any, named: Any) -> sqlite3.Connection:
    """Never a new file: one that is gone meanwhile is told of."""
    path = Path(given[0])
    record.info.pop(_READ_AS_IT_LAY, None)
    connection: sqlite3.Connection = sqlite3.connect(f"{path.as_uri()}?mode=rw", uri=True, **named)
    try:
        connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone()
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode & 0xFF not in _NOTHING_BESIDE_IT or waits_beside(path):
            return connection  # whoever asks it something is told why
        connection.close()
        record.info[_READ_AS_IT_LAY] = path, _as_it_lies(path)
        connection = sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True, **named)
    return connection


def _refuse_what_changed(connection: object, record: Any, proxy: object) -> None:
    """SQLite does not look again at a file that it was told nobody changes."""
    read = record.info.get(_READ_AS_IT_LAY)
    if read is not None and read[1] != _as_it_lies(read[0]):
        raise DisconnectionError("the file was changed meanwhile")


def _as_it_lies(path: Path) -> tuple[object, ...]:
    with suppress(OSError):
        found = path.stat()
        return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, waits_beside(path)
    return ()


def _set_up(connection: Any, record: object) -> None:
    connection.isolation_level = None  # transactions begin where we say so, see _begin
    # With NORMAL a crash of the process loses nothing; only a power cut may lose the last rounds, and then the Spark
    # application that they tell of is gone too.
    for pragma in ("synchronous=NORMAL", "foreign_keys=ON", "journal_size_limit=8388608"):
        connection.execute(f"PRAGMA {pragma}")


def _set_up_writer(connection: Any, record: object) -> None:
    # WAL lets reports read while a run writes. The file keeps it: who reads need not ask for it, and must not, for
    # SQLite lets nobody wait for a lock while it is asked.
    connection.execute("PRAGMA journal_mode=WAL")
    _set_up(connection, record)


def _begin(connection: sa.Connection) -> None:
    # A writer takes its turn at once: a transaction that turns from reading to writing could be refused.
    writes = connection.get_execution_options().get("penstock_writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
