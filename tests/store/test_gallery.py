"""A run as a screen needs it: thinned, with its outages, and its newest cycle whole."""

import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from penstock.errors import ConfigError
from penstock.store import tables
from penstock.store.gallery import Gallery
from penstock.store.open import open_store
from penstock.store.sql import SqlStore
from penstock.store.thinning import Stretch
from tests.recorded import ERRORS, RUN, SHORTFALL, a_cycle, a_foretelling_cycle, a_job, a_view, an_acting_cycle


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
