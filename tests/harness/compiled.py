"""SQLAlchemy makes the SQL of a statement once a process, and not anew for each of the tests' thousands of stores.

It keeps what it made for each engine; a test's store is an engine of its own, which lives for milliseconds: two
fifths of the CPU of what reads a store went into making the same SQL again. One store in production makes it once, too.
"""

import sys
from collections.abc import Iterator, MutableMapping
from typing import Any

import pytest


class Compiled(MutableMapping[Any, Any]):
    """Statements as they were made, by the kind of database: stores of one kind take the same words."""

    def __init__(self) -> None:
        self._made: dict[Any, Any] = {}

    def __getitem__(self, key: Any) -> Any:
        return self._made[_of_kind(key)]

    def __setitem__(self, key: Any, statement: Any) -> None:
        self._made[_of_kind(key)] = statement

    def __delitem__(self, key: Any) -> None:
        del self._made[_of_kind(key)]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._made)

    def __len__(self) -> int:
        return len(self._made)


def _of_kind(key: Any) -> tuple[Any, ...]:
    """SQLAlchemy's own begins with an engine's dialect."""
    dialect, *rest = key
    return (type(dialect), dialect.server_version_info, *rest)


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    if "sqlalchemy" not in sys.modules:
        return
    from sqlalchemy import Connection, Engine, event

    compiled = Compiled()

    def shared(connection: Connection) -> None:
        connection.execution_options(compiled_cache=compiled)

    event.listen(Engine, "engine_connect", shared)
