"""The database behind a store: SQLite at a path, or PostgreSQL by a URL; its errors become ours."""

import os
import re
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DataError, IntegrityError, SQLAlchemyError

from penstock.errors import TRIED_AGAIN, ConfigError, shown, told
from penstock.extras import missing_told
from penstock.store import desk_tables, tables
from penstock.store.archive import RefusedError, StoreError, UnreadableError
from penstock.store.columns import add_columns
from penstock.store.migrations import migrate, newest

BUSY_S = 2  # how long to wait for another writer; a round is 10 s, and governing waits meanwhile
CONNECT_S = 3
_STUMBLES = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError, zlib.error)
_SCHEMA_LOCK = 7_305_428_671  # an arbitrary number that two controllers creating the same tables agree on


class Database:
    """Connections to one database. Nothing is opened before it is used."""

    def __init__(self, target: str, create: bool = True, patient: bool = True) -> None:
        """With `patient` False no answer is waited for longer than 3 s, as where governing waits meanwhile."""
        self._url = _url(target)
        self._create = create
        self._ready = False
        self._engine = _engine(self._url, writes=create)
        if not patient and not self._is_sqlite:
            sa.event.listen(self._engine, "do_connect", _connect_impatiently)
        self._writer = self._engine.execution_options(penstock_writes=True)
        options = {} if self._is_sqlite else {"isolation_level": "REPEATABLE READ"}
        self._reader = self._engine.execution_options(**options)

    @property
    def place(self) -> str:
        """Where it is, fit to be shown: without a password."""
        return str(self._url.database) if self._is_sqlite else without_password(self._url)

    @property
    def target(self) -> str:
        """What another process opens it by: with its password, and not to be shown."""
        return str(self._url.database) if self._is_sqlite else self._url.render_as_string(hide_password=False)

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """One transaction: all of it, or nothing."""
        with self._translated():
            self._prepare()
            with self._writer.begin() as connection:
                yield connection

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """One consistent sight of the data, whoever writes meanwhile.

        What stumbles over the data while it looks at them ends in an UnreadableError.
        """
        with self._translated():
            self._prepare()
            with self._reader.begin() as connection:
                try:
                    yield connection
                except _STUMBLES as error:
                    raise UnreadableError(f"store {self.place}: a row cannot be read: {told(error)}") from error

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    @property
    def _is_sqlite(self) -> bool:
        return self._url.get_backend_name() == "sqlite"

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except (IntegrityError, DataError) as error:
            raise RefusedError(f"store {self.place}: {self._words_of(error)}") from None
        except (SQLAlchemyError, OSError, UnicodeError) as error:  # names in a damaged file are told as they are
            words = self._words_of(error)
            failed = StoreError(f"store {self.place}: {words}")
            failed.remedy = _remedy(words, self._is_sqlite)
            raise failed from None

    def _words_of(self, error: Exception) -> str:
        """The driver's own first line; SQLAlchemy's would add the statement and its parameters."""
        words = str(getattr(error, "orig", None) or error).strip().splitlines()
        text = words[0] if words else type(error).__name__
        return text.replace(self._url.password, "***") if self._url.password else text

    def _prepare(self) -> None:
        if self._ready:
            return
        if self._is_sqlite:
            self._prepare_file(Path(str(self._url.database)))
        # Who only reads must not wait for its turn to write.
        with (self._writer if self._create else self._reader).begin() as connection:
            self._check_schema(connection)
        self._ready = True

    def _prepare_file(self, path: Path) -> None:
        if self._create:
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.exists():
                _make_whole(path)
        elif not path.is_file():
            raise ConfigError("store", str(path), "no runs are recorded there; give the path that the run showed")

    def _check_schema(self, connection: sa.Connection) -> None:
        if self._create and not self._is_sqlite:
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_SCHEMA_LOCK)))
        if sa.inspect(connection).has_table(tables.schema.name):
            found = connection.execute(sa.select(tables.schema.c.version)).scalar_one()
            if not isinstance(found, int):  # SQLite keeps words there, too
                written = "another program changed it: give one that penstock recorded into"
                raise ConfigError("store", self.place, f"its schema has version {shown(found)}; {written}")
            self._check_version(found)
            if self._create:  # tables and columns that came later are made beside those that are there
                migrate(connection, found)
                desk_tables.metadata.create_all(connection)
                add_columns(connection)
        elif self._create:
            _create_schema(connection)
        else:
            raise ConfigError("store", self.place, "it is a database, but no runs of penstock are in it")

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
    "unable to open": "see that the file is there and may be read" + TRIED_AGAIN,
    "readonly": "see that whoever runs this may write to the file and to its folder",
    "disk is full": "free space on its disk" + TRIED_AGAIN,
    "disk I/O error": "see whether its disk is well" + TRIED_AGAIN,
    "malformed": "the file is damaged: copy what is left with `sqlite3 FILE .recover`, or give another with --store",
    "can't decode": "the file is damaged: copy what is left with `sqlite3 FILE .recover`, or give another with --store",
    "not a database": "give a file that penstock recorded into",
    "no such table": "another program changed the file: give one that penstock recorded into, with --store",
}
_OF_A_SERVER = "see that PostgreSQL runs and that this machine reaches it" + TRIED_AGAIN


def _remedy(words: str, is_sqlite: bool) -> str:
    """What to do about what the database said."""
    if not is_sqlite:
        return _OF_A_SERVER
    return next((remedy for said, remedy in _REMEDIES.items() if said in words), _REMEDIES["unable to open"])


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


def _make_whole(path: Path) -> None:
    """A new file with its tables, under another name until it has them.

    Who looks meanwhile sees no file or all of it: a look at one that is being made would hold a lock that whoever makes
    it cannot wait for.
    """
    try:
        # What people asked for, errors of tenants, names of hosts: its owner's alone, as SQLite's files beside it.
        file, fresh = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError:
        return  # SQLite says in its own words why it cannot be
    os.close(file)
    engine = _engine(URL.create("sqlite", database=fresh), writes=True)
    try:
        with engine.begin() as connection:
            _create_schema(connection)
        engine.dispose()  # which writes what SQLite keeps beside the file into it
        _put_in_place(fresh, path)
    finally:
        engine.dispose()
        Path(fresh).unlink(missing_ok=True)


def _put_in_place(fresh: str, path: Path) -> None:
    try:
        os.link(fresh, path)
    except FileExistsError:
        pass  # another made it meanwhile
    except OSError:  # a file system without links
        os.rename(fresh, path)


def _create_schema(connection: sa.Connection) -> None:
    desk_tables.metadata.create_all(connection)
    connection.execute(tables.schema.insert().values(version=newest()))


def _engine(url: URL, writes: bool) -> sa.Engine:
    if url.get_backend_name() == "postgresql":
        # tcp_user_timeout is in milliseconds: a link that went dead must not hold up governing for minutes.
        limits = {"connect_timeout": CONNECT_S, "tcp_user_timeout": 10_000, "options": f"-c lock_timeout={BUSY_S}s"}
        missing = {name: value for name, value in limits.items() if name not in url.query}
        with missing_told():
            engine = sa.create_engine(url, pool_pre_ping=True, connect_args=missing, hide_parameters=True)
        sa.event.listen(engine, "connect", _set_up_postgresql)
        return engine
    engine = sa.create_engine(url, connect_args={"timeout": BUSY_S}, hide_parameters=True)
    sa.event.listen(engine, "connect", _set_up_writer if writes else _set_up_sqlite)
    sa.event.listen(engine, "begin", _begin_sqlite)
    return engine


def _connect_impatiently(dialect: object, record: object, given: Any, named: Any) -> Any:
    from penstock.store.impatient import ImpatientConnection  # psycopg, which SQLite does without

    return ImpatientConnection.connect(*given, **named)


def _set_up_postgresql(connection: Any, record: object) -> None:
    from penstock.store.ending_cursor import EndingCursor  # psycopg, which SQLite does without

    connection.server_cursor_factory = EndingCursor


def _set_up_sqlite(connection: Any, record: object) -> None:
    connection.isolation_level = None  # transactions begin where we say so, see _begin_sqlite
    # With NORMAL a crash of the process loses nothing; only a power cut may lose the last rounds, and then the Spark
    # application that they tell of is gone too.
    for pragma in ("synchronous=NORMAL", "foreign_keys=ON", "journal_size_limit=8388608"):
        connection.execute(f"PRAGMA {pragma}")


def _set_up_writer(connection: Any, record: object) -> None:
    # WAL lets reports read while a run writes. The file keeps it: who reads need not ask for it, and must not, for
    # SQLite lets nobody wait for a lock while it is asked.
    connection.execute("PRAGMA journal_mode=WAL")
    _set_up_sqlite(connection, record)


def _begin_sqlite(connection: sa.Connection) -> None:
    # A writer takes its turn at once: a transaction that turns from reading to writing could be refused.
    writes = connection.get_execution_options().get("penstock_writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
