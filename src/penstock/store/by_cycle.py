"""Rows of a run's cycles in the order in which they lie, and grouped by cycle."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, Generic, TypeVar

import sqlalchemy as sa

from penstock.store import tables
from penstock.store.columns import columns_of, is_there

FoundRow = Mapping[Any, Any]
R = TypeVar("R")


class CycleGroups(Generic[R]):
    """Groups of rows in the order of their cycles, fetched by cycle; a cycle may have none."""

    def __init__(self, groups: Iterator[tuple[int, Iterator[R]]]) -> None:
        self._groups = groups
        self._next = next(groups, None)

    def of(self, cycle_id: int) -> Sequence[R]:
        """Those of the cycle; those of cycles before it, which nobody asked for, are passed over."""
        while self._next is not None and self._next[0] < cycle_id:
            self._next = next(self._groups, None)
        if self._next is None or self._next[0] != cycle_id:
            return ()
        found = tuple(self._next[1])
        self._next = next(self._groups, None)
        return found


def job_rows(connection: sa.Connection, run: int, from_id: int = 0) -> Iterator[FoundRow]:
    """What was judged of the jobs, with their names."""
    figures, intents = tables.job_figures, tables.intents
    joined = figures.join(intents, figures.c.intent_id == intents.c.id)
    wanted = sa.select(*columns_of(connection, figures), intents.c.job).select_from(joined)
    return in_order(connection, wanted, figures, run, from_id).mappings()


def of_cycles(connection: sa.Connection, table: sa.Table, run: int, from_id: int = 0) -> Iterator[FoundRow]:
    """All that the table has of them."""
    return iter(in_order(connection, sa.select(*columns_of(connection, table)), table, run, from_id).mappings())


def in_order(
    connection: sa.Connection, wanted: sa.Select[Any], table: sa.Table, run: int, from_id: int = 0
) -> sa.CursorResult[Any]:
    """The rows of the run's cycles, as the table has them in order already."""
    wanted = wanted.where(*of_run(table, run), table.c.cycle_id >= from_id).order_by(*table.primary_key.columns)
    return connection.execute(wanted, execution_options={"yield_per": 5000})


def of_run(table: sa.Table, run: int) -> tuple[sa.ColumnElement[bool], ...]:
    """That rows of a table of cycles are of the run.

    Each looks up its own cycle, between the first and the last of the run: from the run's cycles on SQLite would put
    all rows in order before it tells the first, of a million decisions for 10 s.
    """
    cycles = tables.cycles.c
    first, last = (
        sa.select(end(cycles.id)).where(cycles.run == run).scalar_subquery() for end in (sa.func.min, sa.func.max)
    )
    return table.c.cycle_id.between(first, last), sa.exists().where(cycles.id == table.c.cycle_id, cycles.run == run)


def grouped(connection: sa.Connection, table: sa.Table, run: int) -> CycleGroups[FoundRow]:
    """The same, by cycle."""
    return CycleGroups(groupby(if_there(connection, table, run), key=itemgetter("cycle_id")))


def if_there(connection: sa.Connection, table: sa.Table, run: int) -> Iterator[FoundRow]:
    """The same; nothing where an earlier penstock that wrote the store did not know the table."""
    return of_cycles(connection, table, run) if is_there(connection, table) else iter(())
