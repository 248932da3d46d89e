"""A run as a screen needs it: thinned, with its outages, and its newest cycle whole."""

import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from penstock.core.run import EARLIER
from penstock.errors import ConfigError
from penstock.store import read_runs, tables
from penstock.store.gallery import Gallery, Length, lengths
from penstock.store.open import open_store
from penstock.store.sql import SqlStore
from penstock.store.thinning import Stretch
from penstock.web.decision_list import told
from tests.recorded import (
    ERRORS,
    RUN,
    SHORTFALL,
    a_cycle,
    a_foretelling_cycle,
    a_job,
    a_judging_cycle,
    a_view,
    an_acting_cycle,
)


@pytest.fixture(params=["sqlite", "postgresql"])
def sql_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SqlStore]:
    sqlite = request.param == "sqlite"
    with closing(open_store(tmp_path / "runs.sqlite" if sqlite else request.getfixturevalue("postgres_url"))) as store:
        yield store


def gallery(store: SqlStore, *at_s: float) -> Gallery:
    store.begin(RUN)
    for at in at_s:
        ads = a_job("ads", utility=35.0 if at < 100 else 10.0, threads=4 if at < 100 else 8)
        store.append(a_cycle(at, a_view(at, (ads, a_job("fraud", None)))))
    return Gallery(store.database, RUN.id)


TWENTY = tuple(float(10 * number) for number in range(1, 21))


def test_a_short_run_is_told_cycle_by_cycle(sql_store: SqlStore) -> None:
    found = gallery(sql_store, *TWENTY).totals(Stretch())
    assert found.at_s == TWENTY
    assert found.values["utility"] == (35.0,) * 9 + (10.0,) * 11


def test_a_long_one_in_means_over_slices(sql_store: SqlStore) -> None:
    found = gallery(sql_store, *TWENTY).jobs(Stretch(points=10))["ads"]
    assert len(found.at_s) in (10, 11)
    assert (found.values["slots"][0], found.values["slots"][-1]) == (4.0, 8.0)
    assert found.values["share"][0] == 1.0


def test_only_the_stretch_that_is_wanted(sql_store: SqlStore) -> None:
    assert gallery(sql_store, *TWENTY).totals(Stretch(from_s=30.0, to_s=50.0)).at_s == (30.0, 40.0, 50.0)


def test_an_outage_is_a_point_without_figures(sql_store: SqlStore) -> None:
    found = gallery(sql_store, 10.0, 20.0, 30.0, 500.0, 510.0).totals(Stretch())
    assert found.at_s == (10.0, 20.0, 30.0, 40.0, 500.0, 510.0)
    assert found.values["utility"][3] is None


def test_the_newest_cycle_tells_how_far_off_predictions_were_and_that_no_shares_meet_all(sql_store: SqlStore) -> None:
    told = gallery(sql_store, 10.0)
    sql_store.append(a_foretelling_cycle(20.0))
    for at_s, errors, shortfall in ((10.0, {}, ""), (20.0, {error.job: error for error in ERRORS}, SHORTFALL)):
        newest = told.newest(at_s)
        assert newest is not None
        assert (newest.errors, newest.shortfall) == (errors, shortfall)


def test_a_figure_that_is_absent_stays_absent(sql_store: SqlStore) -> None:
    found = gallery(sql_store, *TWENTY).jobs(Stretch())["fraud"]
    assert set(found.values["met"]) == set(found.values["share"]) == {None}


def test_when_an_intent_was_last_met(sql_store: SqlStore) -> None:
    found = gallery(sql_store, *TWENTY)
    assert (found.missed_since("ads"), found.missed_since("fraud")) == (90.0, None)


def test_the_newest_cycle_and_an_earlier_one_are_as_they_were_seen(sql_store: SqlStore) -> None:
    found = gallery(sql_store, *TWENTY)
    newest, earlier = found.newest(), found.newest(at_s=95.0)
    assert newest is not None
    assert earlier is not None
    assert newest.view.job("ads") == a_job("ads", utility=10.0, threads=8)
    assert (newest.view.at_s, earlier.view.at_s, newest.note) == (200.0, 90.0, "all is quiet")


def test_figures_of_another_penstock_are_said_to_be_that(sql_store: SqlStore) -> None:
    found = gallery(sql_store, 10.0)
    with sql_store.database.writing() as connection:
        connection.execute(tables.cycles.update().values(snapshot=zlib.compress(b'{"other": 1}')))
    with pytest.raises(ConfigError, match="recorded by another penstock"):
        found.newest()


def test_a_run_without_cycles_has_nothing_to_show(sql_store: SqlStore) -> None:
    found = gallery(sql_store)
    assert (found.newest(), found.jobs(Stretch()), found.totals(Stretch()).at_s) == (None, {}, ())


def test_machines_and_decisions(sql_store: SqlStore) -> None:
    found = gallery(sql_store, 10.0)
    sql_store.append(an_acting_cycle(20.0))
    assert found.machines(Stretch())["m1"].values["load"] == (6.5, 6.5)
    assert [record.decision.at_s for record in found.decisions()] == [20.0]


def test_of_more_decisions_than_are_told_the_newest_are_read_and_keep_their_numbers(sql_store: SqlStore) -> None:
    sql_store.begin(RUN)
    for at_s in (10.0, 20.0, 30.0):
        acting = an_acting_cycle(at_s)
        sql_store.append(replace(acting, plan=replace(acting.plan, decisions=acting.plan.decisions * 2)))
    sql_store.append(a_judging_cycle(40.0, 30.0))
    sql_store.begin(replace(RUN, id="another"))
    sql_store.append(an_acting_cycle(10.0))
    found = Gallery(sql_store.database, RUN.id)
    every = found.decisions()
    assert [record.decision.at_s for record in every] == [10.0, 10.0, 20.0, 20.0, 30.0, 30.0]
    assert found.decisions(newest=3) == (EARLIER,) * 4 + every[4:]  # of whole cycles
    assert [one is EARLIER for one in found.decisions(newest=1)] == [True] * 5 + [False]
    assert [decision.number for decision in told(found.decisions(newest=3), 70.0)] == [5, 6]


def test_a_report_tells_the_newest_decisions_under_their_numbers(
    sql_store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read_runs, "NEWEST_TOLD", 3)  # of whole cycles: the oldest of so many may be cut
    gallery(sql_store, 10.0)
    for at_s in (20.0, 30.0, 40.0):
        sql_store.append(an_acting_cycle(at_s))
    found = sql_store.read_run(RUN.id)
    assert [(number, record.decision.at_s) for number, record in found.told] == [(2, 30.0), (3, 40.0)]
    assert found.decisions[:1] == (EARLIER,)


def test_what_a_run_has_by_its_cycles_is_read_as_it_lies_and_not_put_in_order_first(tmp_path: Path) -> None:
    path, asked = tmp_path / "runs.sqlite", list[tuple[str, Any]]()

    def ask(*told: Any) -> None:
        asked.append((told[2], told[3]))

    with closing(open_store(path)) as store:
        store.begin(RUN)
        store.append(an_acting_cycle(10.0))
        store.append(a_judging_cycle(20.0, 10.0))
        sa.event.listen(sa.Engine, "before_cursor_execute", ask)
        try:
            store.read_run(RUN.id)
            list(store.views(RUN.id))
            Gallery(store.database, RUN.id).decisions()
        finally:
            sa.event.remove(sa.Engine, "before_cursor_execute", ask)
    by_cycles = [one for one in asked if "penstock_cycles.run" in one[0] and ".cycle_id" in one[0]]
    assert len(by_cycles) > 10
    with closing(sqlite3.connect(path)) as raw:
        for statement, values in by_cycles:
            plan = raw.execute(f"EXPLAIN QUERY PLAN {statement}", values).fetchall()
            assert not [step for *_, step in plan if "TEMP B-TREE" in step], statement


def test_rounds_at_instants_that_are_none_make_no_run_longer(tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite"
    with closing(open_store(path)) as store:
        found = gallery(store, 10.0, 20.0, 30.0, 40.0)
        with closing(sqlite3.connect(path)) as raw, raw:
            for at_s, instant in ((20.0, "'x'"), (30.0, "9e999"), (40.0, "X'FF00'")):
                raw.execute(f"UPDATE penstock_cycles SET at_s = {instant} WHERE at_s = {at_s}")
        assert found.length() == Length(1, 10.0, 10.0)
        assert lengths(store.database) == {RUN.id: Length(1, 10.0, 10.0)}
