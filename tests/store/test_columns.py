"""Columns that came later: an older database is brought up to date by who writes, and read as it is by who reads."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa

from penstock.core.asked.orders import Act, Request, Wish
from penstock.core.run import Note
from penstock.core.seen.states import State
from penstock.store import desk_tables
from penstock.store.gallery import Gallery
from penstock.store.open import open_store
from penstock.store.thinning import Stretch
from tests.recorded import (
    ERRORS,
    FORETOLD,
    RUN,
    SHORTFALL,
    a_cycle,
    a_foretelling_cycle,
    a_job,
    a_judging_cycle,
    a_view,
    an_acting_cycle,
)

LATER = (
    ("penstock_runs", "slot_hour_price"),
    ("penstock_runs", "currency"),
    ("penstock_cycles", "error"),
    ("penstock_cycles", "shortfall"),
    ("penstock_cycles", "prediction_errors"),
    ("penstock_cycles", "possible_utility"),
    ("penstock_cycles", "writer_epoch"),
    ("penstock_writers", "epoch"),
    ("penstock_job_figures", "state"),
    ("penstock_job_figures", "trouble_id"),
    ("penstock_decisions", "foretold"),
    ("penstock_step_outcomes", "undone"),
    ("penstock_verdicts", "effect"),
    ("penstock_verdicts", "place"),
    ("penstock_verdicts", "again"),
    ("penstock_requests", "turn"),
)
PAUSE = Request(Act.PAUSE, "ann", 5.0)
TURN = Request(Act.TURN, "ann", 6.0, turn=Wish("bound", "ads", 500))


@pytest.fixture(params=["sqlite", "postgresql"])
def older(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A store with a run, as a penstock wrote it that did not know the later columns."""
    target = request.getfixturevalue("postgres_url") if request.param == "postgresql" else str(tmp_path / "runs.sqlite")
    with closing(open_store(target)) as store:
        store.begin(RUN)
        for cycle in (an_acting_cycle(10.0, error="no free slot"), a_judging_cycle(70.0, 10.0)):
            store.append(cycle)
        with store.database.writing() as connection:
            for table, column in LATER:
                connection.execute(sa.text(f"ALTER TABLE {table} DROP COLUMN {column}"))
    return target


@pytest.mark.parametrize("create", [False, True], ids=["read", "written"])
def test_a_trouble_that_an_older_penstock_told_in_words_goes_on_whatever_they_count(older: str, create: bool) -> None:
    told = [
        "not running: no topic; tried once, next in 1 s",
        "not running: no topic; tried 7 times, next in 64 s",
        "not running: no topic; tried 8 times, next in 2 min",
        "not running: no host; tried 9 times, next in 2 min",
    ]
    with closing(open_store(older)) as store:
        store.begin(RUN)
        for number, words in enumerate(told):
            job = a_job("ads")
            ill = replace(job, figures=replace(job.figures, trouble=words))
            store.append(a_cycle(100.0 + 10.0 * number, a_view(100.0 + 10.0 * number, [ill])))
        with store.database.writing() as connection:
            connection.execute(sa.text("ALTER TABLE penstock_job_figures DROP COLUMN trouble_id"))
    with closing(open_store(older, create=create)) as store:
        assert store.read_run(RUN.id).job("ads").troubles == (Note(100.0, told[2]), Note(130.0, told[3]))


def test_an_older_store_is_read_as_it_is(older: str) -> None:
    with closing(open_store(older, create=False)) as store:
        run = store.read_run(RUN.id)
        gallery = Gallery(store.database, RUN.id)
        newest, totals, jobs = gallery.newest(), gallery.totals(Stretch()), gallery.jobs(Stretch())
        assert (run.info, gallery.info) == (RUN, RUN)
        assert list(store.views(RUN.id)) == [a_view(10.0), a_view(70.0)]
    (record,) = run.decisions
    assert (record.errors, record.outcomes[0].undone) == (("ads: no free slot",), None)
    assert (record.verdict and record.verdict.effect, run.errors) == (None, ())
    assert (record.decision.foretold, run.shortfalls, run.prediction_errors) == ((), (), ())
    assert (totals.values["possible_utility"], jobs["ads"].values["unseen"]) == ((70.0, 70.0), (0.0, 0.0))
    assert [change.state for change in run.job("ads").states] == [State.MISSING]
    assert newest is not None
    assert (newest.note, newest.shortfall, newest.errors) == ("waiting", "", {})


def test_who_writes_to_an_older_store_gives_it_the_columns_that_it_lacks(older: str) -> None:
    with closing(open_store(older)) as store:
        store.begin(RUN)
        store.append(replace(a_cycle(80.0), error="observing failed: no answer"))
        assert [note.text for note in store.read_run(RUN.id).errors] == ["observing failed: no answer"]


def test_who_writes_to_an_older_store_keeps_predictions_in_it(older: str) -> None:
    with closing(open_store(older)) as store:
        store.begin(RUN)
        store.append(a_foretelling_cycle(80.0))
        run = store.read_run(RUN.id)
    assert [record.decision.foretold for record in run.decisions] == [(), FORETOLD]
    assert (run.prediction_errors, run.shortfalls) == (ERRORS, (Note(80.0, SHORTFALL),))


def test_an_older_store_can_be_asked_for_what_it_knows(older: str) -> None:
    with closing(open_store(older, create=False)) as store:
        store.desk.ask(RUN.id, PAUSE)
        assert [filed.request for filed in store.desk.filed(RUN.id)] == [PAUSE]


def test_an_older_store_can_be_asked_for_levers_once_a_controller_writes_to_it(older: str) -> None:
    with closing(open_store(older)) as store:
        store.desk.ask(RUN.id, TURN)
        assert [filed.request for filed in store.desk.filed(RUN.id)] == [TURN]


def test_every_column_that_came_later_may_be_absent() -> None:
    tables = desk_tables.metadata.tables
    assert [name for name, column in LATER if not tables[name].columns[column].nullable] == []
