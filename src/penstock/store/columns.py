"""Columns that came later: added to the tables of an older database, absent where one is only read."""

from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import NoSuchTableError
from sqlalchemy.schema import CreateColumn

from penstock.store import desk_tables


def add_columns(connection: sa.Connection) -> None:
    """Give every table the columns that it lacks. They may all be null, so older penstocks go on writing beside us."""
    inspector = sa.inspect(connection)
    for table in desk_tables.metadata.sorted_tables:
        there = {column["name"] for column in inspector.get_columns(table.name)}
        for column in table.columns:
            if column.name not in there:
                told = CreateColumn(column).compile(dialect=connection.dialect)
                connection.execute(sa.text(f"ALTER TABLE {table.name} ADD COLUMN {told}"))


def columns_of(connection: sa.Connection, table: sa.Table) -> list[sa.ColumnElement[Any]]:
    """The table's columns, to be selected: null stands for those that an older database lacks."""
    try:
        there = {column["name"] for column in sa.inspect(connection).get_columns(table.name)}
    except NoSuchTableError:
        return list(table.columns)  # the database itself says best what is wrong with it
    return [column if column.name in there else sa.null().label(column.name) for column in table.columns]
