"""A window of a route is written once, and kept as long as a cycle is that saw it."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import sqlalchemy as sa

from penstock.core.seen.routes import RouteFigures
from penstock.store import tables
from penstock.store.database import Database
from penstock.store.open import open_store
from penstock.store.retention import Retention
from penstock.store.sql import SqlStore
from tests.recorded import RUN, a_cycle, a_route, a_view


def append(store: SqlStore, at_s: float, *routes: RouteFigures) -> None:
    store.append(a_cycle(at_s, replace(a_view(at_s), routes=routes)))


def test_a_window_that_is_told_for_an_hour_is_written_once(tmp_path: Path) -> None:
    with closing(open_store(tmp_path / "runs.sqlite")) as store:
        store.begin(RUN)
        for number in range(360):
            append(store, 10.0 * number, a_route(window=1 + number // 180))
        with store.database.reading() as connection:
            assert connection.execute(sa.select(tables.route_windows.c.window)).scalars().all() == [1, 2]


def test_a_window_that_outlives_the_cycle_it_was_first_seen_in_is_kept(tmp_path: Path) -> None:
    few = Retention(max_cycles=3, every=1, batch=5)
    with closing(SqlStore(Database(str(tmp_path / "runs.sqlite")), few)) as store:
        store.begin(RUN)
        for number in range(12):
            append(store, 10.0 * number, a_route())
        newest = list(store.views(RUN.id))[-1]
        with store.database.reading() as connection:
            kept = connection.execute(sa.select(sa.func.count()).select_from(tables.route_windows)).scalar_one()
    assert (newest.routes, kept) == ((a_route(),), 1)


def test_a_window_goes_with_the_last_cycle_that_saw_it(tmp_path: Path) -> None:
    few = Retention(max_cycles=3, every=1, batch=5)
    with closing(SqlStore(Database(str(tmp_path / "runs.sqlite")), few)) as store:
        store.begin(RUN)
        for number in range(12):
            append(store, 10.0 * number, a_route(window=number))
        with store.database.reading() as connection:
            kept = connection.execute(sa.select(tables.route_windows.c.window)).scalars().all()
    assert kept == [9, 10, 11]


def test_a_run_from_before_routes_and_deeds_were_kept_is_still_read(tmp_path: Path) -> None:
    with closing(open_store(tmp_path / "runs.sqlite")) as store:
        store.begin(RUN)
        append(store, 10.0)
        with store.database.writing() as connection:
            for table in (tables.routes, tables.route_windows, tables.deeds):
                table.drop(connection)
    with closing(open_store(tmp_path / "runs.sqlite", create=False)) as store:
        assert list(store.views(RUN.id)) == [a_view(10.0)]
        assert store.read_run(RUN.id).deeds == ()
