"""The table that the lookup task asks, in a PostgreSQL of its own."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import psycopg

from penstock.errors import ConfigError
from penstock.local.postgres import running_postgres
from penstock.workloads.tasks.table_get import COLUMNS, TABLE

_COLUMN_CHARS = 10  # with 20 columns records of about 200 bytes
_SETTINGS = {"max_connections": 256, "shared_buffers": "128MB"}


@dataclass(frozen=True, slots=True)
class TableService:
    """A running server and how many records its table holds."""

    url: str
    rows: int


@contextmanager
def table_service(rows: int = 2_000_000) -> Iterator[TableService]:
    """A server on a free port with the table filled, until the end of the block."""
    if rows < 1:
        raise ConfigError("rows", rows, "the table needs at least 1 record")
    with running_postgres(secrets.token_hex(16), _SETTINGS) as server:
        _fill(server.url(), rows)
        yield TableService(server.url(), rows)


def _fill(url: str, rows: int) -> None:
    names = [f"c{number}" for number in range(1, COLUMNS)]
    columns = ", ".join(f"{name} text" for name in names)
    values = ", ".join(
        f"lpad((id * {number} % 1000000007)::text, {_COLUMN_CHARS}, 'x')" for number in range(1, COLUMNS)
    )
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE UNLOGGED TABLE {TABLE} (id bigint, {columns})".encode())
        connection.execute(
            f"INSERT INTO {TABLE} SELECT id, {values} FROM generate_series(0::bigint, {rows - 1}) AS id".encode()
        )
        connection.execute(f"ALTER TABLE {TABLE} ADD PRIMARY KEY (id)".encode())
        connection.execute(f"ANALYZE {TABLE}".encode())
