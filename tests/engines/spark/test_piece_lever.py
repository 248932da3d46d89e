"""The lever of rows a task: turned while the query runs, gone with its run, refused in words where there is none."""

from collections.abc import Iterator

import pytest

from penstock.core.levers import Disturbs, Move, Piece, Shows
from penstock.engines.spark.engine import SparkEngine
from penstock.engines.spark.jobs.job import Job
from tests.engines.spark.helpers import of
from tests.engines.spark.rigs import FakeRig, Opened, turned


@pytest.fixture
def rig() -> Iterator[Opened]:
    opened = Opened(FakeRig())
    yield opened
    opened.close()


def cuttable(rig: Opened, *names: str) -> SparkEngine:
    """An engine of a job `a` that has ended a batch; tasks of these can be cut."""
    fake = rig.rig
    assert isinstance(fake, FakeRig)
    fake.fake.cuttable.update(names)
    engine = rig.engine(Job("a", fake.quick))
    rig.observed(engine, "a", lambda figures: figures.batches)
    return engine


def stands_at(rig: Opened, engine: SparkEngine) -> float | None:
    dial = rig.observed(engine, "a", lambda figures: figures.batches).lever("piece")
    assert dial is not None
    assert (dial.disturbs, dial.shows, dial.by_people) == (Disturbs.NOTHING, Shows.NEXT_BATCH, False)
    return dial.now


def test_it_is_turned_while_the_query_runs_and_back(rig: Opened) -> None:
    engine, run = cuttable(rig, "a"), rig.run_id("a")
    assert stands_at(rig, engine) is None
    assert turned(engine, Piece("a", None, 200)).error is None
    assert stands_at(rig, engine) == 200
    assert turned(engine, Piece("a", 200, None)).error is None
    assert (stands_at(rig, engine), rig.run_id("a")) == (None, run)


def test_a_run_that_follows_reads_as_its_options_say(rig: Opened) -> None:
    engine, run = cuttable(rig, "a"), rig.run_id("a")
    assert turned(engine, Piece("a", None, 200)).error is None
    fake = rig.rig
    assert isinstance(fake, FakeRig)
    fake.fake.query("a").fail("java.io.IOException: no space left")
    # Whether its sources can be told is known with its first batch: figures of the run before are there until then.
    rig.observed(engine, "a", lambda figures: rig.running("a") not in (None, run) and figures.lever("piece"))
    assert stands_at(rig, engine) is None


@pytest.mark.parametrize(
    ("move", "why"),
    [
        (Piece("a", None, 200), "only tasks of a running query that reads Kafka alone are cut"),
        (Piece("b", None, 200), "there is no job"),
    ],
)
def test_what_cannot_be_cut_is_refused(rig: Opened, move: Move, why: str) -> None:
    engine = cuttable(rig)
    assert of(engine.observe(0.0), "a").lever("piece") is None
    assert why in (turned(engine, move).error or "")


def test_a_task_of_no_rows_is_refused(rig: Opened) -> None:
    assert "ask for at least 1" in (turned(cuttable(rig, "a"), Piece("a", None, 0)).error or "")
