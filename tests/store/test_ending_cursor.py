"""A PostgreSQL cursor does not outlive its connection, and is closed once somebody has closed it."""

import gc
from contextlib import closing
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa
from sqlalchemy.engine import make_url

from penstock.store.archive import StoreError
from penstock.store.database import Database
from penstock.store.ending_cursor import EndingCursor

pytestmark = pytest.mark.server


def test_one_whose_connection_broke_is_closed_all_the_same(postgres_url: str) -> None:
    plain = make_url(postgres_url).set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg.connect(plain) as connection, psycopg.connect(plain, autocommit=True) as other:
        connection.server_cursor_factory = EndingCursor
        cursor = connection.cursor("rows")
        cursor.execute("SELECT generate_series(1, 1000)")
        assert cursor.fetchmany(2) == [(1,), (2,)]
        other.execute("SELECT pg_terminate_backend(%s, 60000)", [connection.info.backend_pid])
        with pytest.raises(psycopg.OperationalError):
            cursor.close()
        assert cursor.closed


def test_nobody_is_warned_of_one_that_was_left_when_its_connection_broke(postgres_url: str) -> None:
    with closing(Database(postgres_url)) as database, closing(Database(postgres_url)) as other:
        with pytest.raises(StoreError, match="terminating connection"):
            _read_while_the_connection_ends(database, other)
        gc.collect()


def _read_while_the_connection_ends(database: Database, other: Database) -> None:
    with database.reading() as connection:
        backend = connection.scalar(sa.text("SELECT pg_backend_pid()"))
        with other.writing() as ending:
            ending.execute(sa.text("SELECT pg_terminate_backend(:backend, 60000)"), {"backend": backend})
        connection.execute(sa.text("SELECT generate_series(1, 1000)").execution_options(stream_results=True))


def test_one_that_is_left_open_is_warned_of_as_ever(postgres_url: str) -> None:
    plain = make_url(postgres_url).set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg.connect(plain) as connection:
        connection.server_cursor_factory = EndingCursor
        with pytest.warns(ResourceWarning, match="deleted while still open"):
            _leave_one_open(connection)


def _leave_one_open(connection: psycopg.Connection[Any]) -> None:
    connection.cursor("rows").execute("SELECT 1")
    gc.collect()


def test_the_store_has_such_cursors(postgres_url: str) -> None:
    with closing(Database(postgres_url)) as database, database.reading() as connection:
        found: Any = connection.connection.dbapi_connection
        assert found.server_cursor_factory is EndingCursor
