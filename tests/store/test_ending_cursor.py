"""A PostgreSQL cursor is closed once somebody has closed it."""

from contextlib import closing
from typing import Any

import psycopg
import pytest
from sqlalchemy.engine import make_url

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


def test_the_store_has_such_cursors(postgres_url: str) -> None:
    with closing(Database(postgres_url)) as database, database.reading() as connection:
        found: Any = connection.connection.dbapi_connection
        assert found.server_cursor_factory is EndingCursor
