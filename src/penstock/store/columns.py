"""Tables and columns that came later: added to an older database, absent where one is only read."""

from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import NoSuchTableError
from sqlalchemy.schema import CreateColumn

from penstock.store import desk_tables


def add_missing(connection: sa.Connection) -> None:
    """Make the tables and columns that are not there. They may be null, so older penstocks go on writing beside us."""
    for table in desk_tables.metadata.sorted_tables:
        there = _names(connection, table)
        if not there:
            table.create(connection)
            continue
        for column in table.columns:
            if column.name not in there:
                told = CreateColumn(column).compile(dialect=connection.dialect)
                connection.execute(sa.text(f"ALTER TABLE {table.name} ADD COLUMN {told}"))


def is_there(connection: sa.Connection, table: sa.Table) -> bool:
    """Whether an earlier penstock that wrote the store knew the table."""
    return bool(_names(connection, table))


def columns_of(connection: sa.Connection, table: sa.Table) -> list[sa.ColumnElement[Any]]:
    """The table's columns, to be selected: null stands for those that an older database lacks."""
    there = _names(connection, table)
    if not there:
        return list(table.columns)  # the database itself says best what is wrong with it
    return [column if column.name in there else sa.null().label(column.name) for column in table.columns]


def _names(connection: sa.Connection, table: sa.Table) -> set[str]:
    """Of the table's columns; none where there is no such table."""
    if connection.dialect.name == "sqlite":  # one question, and no errors to catch
        return {name for _, name, *_ in connection.exec_driver_sql(f"PRAGMA main.table_info({table.name})")}
    try:
        return {column["name"] for column in sa.inspect(connection).get_columns(table.name)}
    except NoSuchTableError:
        return set()
