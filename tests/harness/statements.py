"""A statement is put into words once for all stores of SQLite's, which each test has some of its own.

SQLAlchemy keeps the words of a statement as long as an engine lives, by the engine's dialect: that is long in a program
that opens one store, and a third of the time of a test that opens eight. Here dialects of one kind are alike, as they
are: all speak to the one SQLite that Python brings. What is kept is found by the statement's structure as ever.
"""

import sqlalchemy as sa
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.util import LRUCache

_KEPT: LRUCache[object, object] = LRUCache(2_000)


def pytest_configure() -> None:
    SQLiteDialect_pysqlite.__eq__ = _alike  # type: ignore[method-assign]
    SQLiteDialect_pysqlite.__hash__ = _kind  # type: ignore[method-assign, assignment]
    sa.event.listen(sa.Engine, "engine_connect", _share)


def _alike(one: object, other: object) -> bool:
    return type(one) is type(other)


def _kind(one: object) -> int:
    return hash(type(one))


def _share(connection: sa.Connection) -> None:
    if isinstance(connection.dialect, SQLiteDialect_pysqlite):
        connection.execution_options(compiled_cache=_KEPT)
