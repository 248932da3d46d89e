"""The database behind a store: SQLite at a path, or PostgreSQL by a URL; its errors become ours."""

import os
import re
import shutil
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.sqlite import dialect
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DataError, IntegrityError, SQLAlchemyError

from penstock.errors import TRIED_AGAIN, ConfigError, shown, told
from penstock.extras import missing_told
from penstock.store import desk_tables, tables
from penstock.store.archive import RefusedError, StoreError, UnreadableError
from penstock.store.columns import add_missing, is_there
from penstock.store.migrations import migrate, newest
from penstock.store.sqlite_file import (
    BUSY_S,
    check_ordinary,
    identity,
    make_whole,
    may_be_sqlite,
    sqlite_engine,
    waits_beside,
)

CONNECT_S = 3
_STUMBLES = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError, zlib.error)
_SCHEMA_LOCK = 7_305_428_671  # an arbitrary number that two controllers creating the same tables agree on


class Database:
    """Connections to one database. Nothing is opened before it is used.

    PostgreSQL that stands still is a StoreError after three seconds, for whoever writes and for whoever reads.
    """

    def __init__(self, target: str, create: bool = True) -> None:
        self._url = _url(target)
        self._create = create
        self._ready = False
        self.file: tuple[int, int] | None = None  # which one is open: another may take its place
        self._engine = _engine(self._url, writes=create)
        self._writer = self._engine.execution_options(penstock_writes=True)
        options = {} if self.is_file else {"isolation_level": "REPEATABLE READ"}
        self._reader = self._engine.execution_options(**options)

    @property
    def place(self) -> str:
        """Where it is, fit to be shown: without a password."""
        return str(self._url.database) if self.is_file else without_password(self._url)

    @property
    def target(self) -> str:
        """What another process opens it by: with its password, and not to be shown."""
        return str(self._url.database) if self.is_file else self._url.render_as_string(hide_password=False)

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """One transaction: all of it, or nothing."""
        with self._translated():
            self._prepare()
            with self._writer.begin() as connection:
                yield connection

    @contextmanager
    def reading(self, run: str | None = None) -> Iterator[sa.Connection]:
        """One consistent sight of the data, whoever writes meanwhile.

        What stumbles over the data while it looks at them ends in an UnreadableError, with the run that is looked at.
        """
        with self._translated():
            self._prepare()
            with self._reader.begin() as connection:
                try:
                    yield connection
                except _STUMBLES as error:
                    of = "" if run is None else f", run {shown(run)}"
                    unreadable = UnreadableError(f"store {self.place}{of}: a row cannot be read: {told(error)}")
                    unreadable.remedy = "another program wrote it: mend or delete that row; other runs can be read"
                    raise unreadable from error

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    @property
    def is_file(self) -> bool:
        """Whether it is SQLite's, and no server's."""
        return self._url.get_backend_name() == "sqlite"

    @property
    def _path(self) -> Path:
        return Path(str(self._url.database))

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except (IntegrityError, DataError) as error:
            raise RefusedError(f"store {self.place}: {self._words_of(error)}") from None
        except (SQLAlchemyError, OSError, UnicodeError) as error:  # names in a damaged file are told as they are
            words = self._words_of(error)
            failed = StoreError(f"store {self.place}: {words}")
            failed.remedy = _remedy_of_file(words, self._path, self._create) if self.is_file else _OF_A_SERVER
            raise failed from None

    def _words_of(self, error: Exception) -> str:
        """The driver's own first line; SQLAlchemy's would add the statement and its parameters."""
        said = getattr(error, "strerror", None) or getattr(error, "orig", None) or error  # without a path once more
        words = str(said).strip().splitlines()
        text = words[0] if words else type(error).__name__
        return text.replace(self._url.password, "***") if self._url.password else text

    def _prepare(self) -> None:
        if self.is_file and self.file != identity(self._path):  # SQLite itself goes on with one that was deleted
            self._engine.dispose()
            self._ready = False
        if self._ready:
            return
        if not (self.is_file and self._prepare_file(self._path)):
            # Who only reads must not wait for its turn to write.
            with (self._writer if self._create else self._reader).begin() as connection:
                self._check_schema(connection)
        self._ready = True

    def _prepare_file(self, path: Path) -> bool:
        """Whether it is a new one, of which there is nothing to check."""
        made = False
        if self._create:
            check_ordinary(path)
            path.parent.mkdir(parents=True, exist_ok=True)
            made = not path.exists() and make_whole(path, _fill)
        elif not path.is_file():
            raise ConfigError("store", str(path), "no runs are recorded there; give the path that the run showed")
        elif not may_be_sqlite(path):
            raise ConfigError("store", str(path), f"it is no database: {_REMEDIES['not a database']}")
        self.file = identity(path)
        return made

    def _check_schema(self, connection: sa.Connection) -> None:
        if self._create and not self.is_file:
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_SCHEMA_LOCK)))
        if self.is_file:
            self._check_tables(connection)
        if is_there(connection, tables.schema):
            found = connection.execute(sa.select(tables.schema.c.version)).scalar_one()
            if not isinstance(found, int):  # SQLite keeps words there, too
                written = "another program changed it: give one that penstock recorded into"
                raise ConfigError("store", self.place, f"its schema has version {shown(found)}; {written}")
            self._check_version(found)
            if self._create:  # tables and columns that came later are made beside those that are there
                migrate(connection, found)
                add_missing(connection)
        elif self._create:
            _create_schema(connection)
        else:
            raise ConfigError("store", self.place, "it is a database, but no runs of penstock are in it")

    def _check_tables(self, connection: sa.Connection) -> None:
        """A view in the place of a table of ours may have rows without end: no look at it would come back."""
        kept = sa.text("SELECT name FROM sqlite_schema WHERE type = 'view' AND lower(name) LIKE 'penstock%' LIMIT 1")
        found = connection.execute(kept).scalar_one_or_none()
        if found is not None:
            written = f"another program made a view of its {shown(found)}: give one that penstock recorded into"
            raise ConfigError("store", self.place, written)

    def _check_version(self, found: int) -> None:
        """A later one is refused by all, an older one by who only reads: that cannot bring it up to date."""
        if found == newest() or (self._create and found < newest()):
            return
        what = f"its schema has version {found}, this penstock has version {newest()}; "
        later = "use the penstock that wrote it, or give another path"
        earlier = "let a run be recorded in it once, as by `penstock run --store`, which brings it up to date"
        raise ConfigError("store", self.place, what + (later if found > newest() else earlier))


_REMEDIES = {  # by what SQLite says
    "is locked": "end the other program that holds the file (`fuser FILE` names it)" + TRIED_AGAIN,
    "unable to open": "check that the file exists and is readable" + TRIED_AGAIN,
    "Permission denied": "make its folder readable, and the file readable and writable, for this user",
    "readonly": "make the file and its folder writable for this user",
    "disk is full": "free space on its disk" + TRIED_AGAIN,
    "disk I/O error": "see whether its disk is well" + TRIED_AGAIN,
    "malformed": "the file is damaged: copy what is left with `sqlite3 FILE .recover`, or give another with --store",
    "can't decode": "the file is damaged: copy what is left with `sqlite3 FILE .recover`, or give another with --store",
    "not a database": "give a file that penstock recorded into",
    "no such table": "another program changed the file: give one that penstock recorded into, with --store",
}
_OF_A_SERVER = "see that PostgreSQL runs and that this machine reaches it" + TRIED_AGAIN


def _remedy_of_file(words: str, path: Path, writes: bool) -> str:
    """What to do about what SQLite said of a file, which says the same of many things."""
    if "unable to open" in words and path.exists():
        return _remedy_of_access(path, writes)
    if "disk I/O error" in words and _is_full(path.parent):
        words = "disk is full"
    return next((remedy for said, remedy in _REMEDIES.items() if said in words), _REMEDIES["unable to open"])


def _remedy_of_access(path: Path, writes: bool) -> str:
    if not os.access(path, os.R_OK):
        return "make the file readable for this user"
    if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK):
        return f"see that {path.name}-wal and {path.name}-shm beside it are readable and writable files"
    if writes:
        return _REMEDIES["readonly"]
    if waits_beside(path):
        return f"its last rounds are in {path.name}-wal: copy both to a folder that may be written to, and read them"
    return _REMEDIES["unable to open"]


def _is_full(folder: Path) -> bool:
    try:
        return shutil.disk_usage(folder).free == 0
    except OSError:
        return False


def without_password(target: str | URL) -> str:
    """The URL as it may be shown.

    >>> without_password("postgresql://ann:s3cret@host/runs?password=x")
    'postgresql://ann:***@host/runs?password=***'
    """
    text = target if isinstance(target, str) else target.render_as_string(hide_password=True)
    text = re.sub(r"(://[^:/@]*):.*@", r"\1:***@", text)
    return re.sub(r"((?:^|[?&])(?:ssl)?password=)[^&]*", r"\1***", text)


def _url(target: str) -> URL:
    if "://" not in target:
        return URL.create("sqlite", database=str(Path(target).expanduser().absolute()))
    remedy = "write a path, or postgresql://user@host/database"
    try:
        url = make_url(target)
    except (ArgumentError, ValueError):
        raise ConfigError("store", without_password(target), remedy) from None
    if url.drivername in ("postgres", "postgresql"):
        url = url.set(drivername="postgresql+psycopg")
    if url.get_backend_name() not in ("sqlite", "postgresql"):
        raise ConfigError("store", without_password(target), remedy)
    if url.get_backend_name() == "sqlite" and not url.database:
        raise ConfigError(
            "store", without_password(target), "write the path of the file, such as sqlite:///runs.sqlite"
        )
    return url


def _create_schema(connection: sa.Connection) -> None:
    desk_tables.metadata.create_all(connection)
    _say_version(connection)


def _fill(connection: sa.Connection) -> None:
    """All tables in a new file, where none can be yet."""
    for statement in _statements():
        connection.exec_driver_sql(statement)
    _say_version(connection)


@cache
def _statements() -> tuple[str, ...]:
    """What makes the tables in SQLite. To put it into words takes longer than to do it: that is done once."""
    said: list[str] = []
    told = sa.create_mock_engine("sqlite://", lambda made, *_: said.append(str(made.compile(dialect=dialect()))))
    desk_tables.metadata.create_all(told, checkfirst=False)
    return tuple(said)


def _say_version(connection: sa.Connection) -> None:
    connection.execute(tables.schema.insert().values(version=newest()))


def _engine(url: URL, writes: bool) -> sa.Engine:
    if url.get_backend_name() == "postgresql":
        # tcp_user_timeout is in milliseconds: a link that went dead must not hold up governing for minutes.
        limits = {"connect_timeout": CONNECT_S, "tcp_user_timeout": 10_000, "options": f"-c lock_timeout={BUSY_S}s"}
        missing = {name: value for name, value in limits.items() if name not in url.query}
        with missing_told():
            engine = sa.create_engine(url, pool_pre_ping=True, connect_args=missing, hide_parameters=True)
        from penstock.postgres_answers import impatient  # psycopg, which SQLite does without

        impatient(engine)
        sa.event.listen(engine, "connect", _set_up_postgresql)
        return engine
    return sqlite_engine(url, writes)


def _set_up_postgresql(connection: Any, record: object) -> None:
    from penstock.store.ending_cursor import EndingCursor  # psycopg, which SQLite does without

    connection.server_cursor_factory = EndingCursor
