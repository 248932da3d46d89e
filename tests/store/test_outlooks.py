"""Outlooks are kept with their cycles; runs from before there were any are still read."""

import zlib
from contextlib import closing
from math import inf
from pathlib import Path

import sqlalchemy as sa

from penstock.core.known.outlook import JobOutlook
from penstock.core.plan import Plan
from penstock.store import tables
from penstock.store.gallery import Gallery
from penstock.store.open import open_store
from penstock.store.sql import SqlStore
from tests.recorded import FORECAST, RUN, a_cycle, a_view


def looked_at(store: SqlStore, *outlooks: JobOutlook) -> Gallery:
    """A run whose policy looks at something now and then."""
    store.begin(RUN)
    for outlook in outlooks:
        store.append(a_cycle(outlook.at_s, plan=Plan(outlooks=(outlook,))))
        store.append(a_cycle(outlook.at_s + 5.0))
    return Gallery(store.database, RUN.id)


def test_the_newest_outlook_of_each_job_is_told_until_it_is_over(tmp_path: Path) -> None:
    old, new = (JobOutlook("ads", at_s, at_s + 100.0, FORECAST, ((4, 171.0), (5, inf))) for at_s in (10.0, 20.0))
    other = JobOutlook("fraud", 30.0, 33.0)
    with closing(open_store(tmp_path / "runs.sqlite")) as store:
        gallery = looked_at(store, old, new, other)
        told = [found.outlooks for at_s in (15.0, 30.0, 35.0) if (found := gallery.newest(at_s)) is not None]
    assert told == [{"ads": old}, {"ads": new, "fraud": other}, {"ads": new}]


def test_a_cycle_that_was_announced_keeps_one_outlook(tmp_path: Path) -> None:
    cycle = a_cycle(10.0, plan=Plan(outlooks=(JobOutlook("ads", 10.0, 20.0),)))
    with closing(open_store(tmp_path / "runs.sqlite")) as store:
        store.begin(RUN)
        store.announce(cycle)
        store.append(cycle)
        with store.database.reading() as connection:
            assert connection.execute(sa.select(sa.func.count()).select_from(tables.outlooks)).scalar_one() == 1


def test_a_run_from_before_there_were_outlooks_is_still_read(tmp_path: Path) -> None:
    with closing(open_store(tmp_path / "runs.sqlite")) as store:
        looked_at(store, JobOutlook("ads", 10.0, 100.0))
        with store.database.writing() as connection:
            _as_it_was_before(connection)
    with closing(open_store(tmp_path / "runs.sqlite", create=False)) as store:
        assert list(store.views(RUN.id)) == [a_view(10.0), a_view(15.0)]
        newest = Gallery(store.database, RUN.id).newest()
    assert newest is not None
    assert (newest.view, newest.outlooks) == (a_view(15.0), {})


def _as_it_was_before(connection: sa.Connection) -> None:
    """No table of outlooks, and room in each job's figures for what nobody filled."""
    tables.outlooks.drop(connection)
    cycles = tables.cycles
    for number, body in connection.execute(sa.select(cycles.c.id, cycles.c.snapshot)).all():
        text = zlib.decompress(body).decode()
        before = text.replace('"keys":', '"forecast":null,"recovery_s":null,"keys":')
        assert before != text
        connection.execute(cycles.update().where(cycles.c.id == number).values(snapshot=zlib.compress(before.encode())))


def test_a_run_is_told_with_the_recoveries_that_were_known_when_each_cycle_was_judged(tmp_path: Path) -> None:
    outlook = JobOutlook("ads", 10.0, 20.0, None, ((4, 171.0), (5, inf)))
    with closing(open_store(tmp_path / "runs.sqlite")) as store:
        looked_at(store, outlook)
        store.append(a_cycle(20.0))
        store.append(a_cycle(25.0))
        run = store.read_run(RUN.id)
    assert list(run.job("ads").recovery_s) == [None, 171.0, 171.0, None]  # it is over after 20 s
    assert list(run.job("fraud").recovery_s) == []
