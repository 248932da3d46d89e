"""One driver writes a run: who has begun it last. The one before is told so before it acts again."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa

from penstock.core.orders import Act, Request
from penstock.errors import TakenOverError
from penstock.store.archive import Archive
from penstock.store.control import DeskControl
from penstock.store.open import open_store
from tests.faulty import Faults, FaultyStore, Ticking, World
from tests.recorded import RUN, URGENT, a_cycle

INTENTS = {"ads": URGENT, "fraud": URGENT}


@pytest.mark.parametrize("reopen", ["sqlite", "postgresql", "tolerant"], indirect=True)
def test_a_driver_whose_run_another_one_has_begun_writes_nothing_more(reopen: Callable[[], Archive]) -> None:
    first, second = reopen(), reopen()
    first.begin(RUN)
    first.append(a_cycle(10.0))
    second.begin(RUN)
    for write in (first.announce, first.append):
        with pytest.raises(TakenOverError, match=f"another driver has taken up run {RUN.id}"):
            write(a_cycle(20.0))
    second.append(a_cycle(20.0))
    assert [view.at_s for view in second.views(RUN.id)] == [10.0, 20.0]


@pytest.mark.parametrize("reopen", ["sqlite", "postgresql", "tolerant"], indirect=True)
def test_who_begins_a_run_again_goes_on_with_it(reopen: Callable[[], Archive]) -> None:
    store = reopen()
    for at_s in (10.0, 20.0):
        store.begin(RUN)
        store.append(a_cycle(at_s))


def test_a_driver_that_was_taken_over_while_it_slept_does_nothing_more_to_its_jobs(tmp_path: Path) -> None:
    world, clock = World(Faults()), Ticking()
    with closing(open_store(tmp_path / "runs.sqlite")) as ours, closing(open_store(tmp_path / "runs.sqlite")) as theirs:
        ours.begin(RUN)
        world.store = FaultyStore(world.faults, ours)  # type: ignore[arg-type]

        def after(now: float) -> None:
            if now == 30.0:
                theirs.begin(RUN)

        with pytest.raises(TakenOverError):
            world.governed(INTENTS, clock, after)
    assert world.engine.done == [(10.0, "ads"), (20.0, "ads"), (30.0, "ads")]


def test_what_is_asked_of_a_run_is_heard_by_the_driver_that_has_it(tmp_path: Path) -> None:
    with (
        closing(open_store(tmp_path / "runs.sqlite")) as first,
        closing(open_store(tmp_path / "runs.sqlite")) as second,
    ):
        heard = [DeskControl(store.desk, RUN.id, check_ours=store.check_ours) for store in (first, second)]
        for store in (first, second):
            store.begin(RUN)
        first.desk.ask(RUN.id, Request(Act.PAUSE, "ann", 5.0))
        with pytest.raises(TakenOverError):
            heard[0].orders(10.0)
        assert [found.taken_at_s for found in second.desk.filed(RUN.id, 0)] == [None]
        assert heard[1].orders(10.0).paused_by == "ann"


def test_a_store_that_was_written_by_an_older_penstock_is_begun_and_written(tmp_path: Path) -> None:
    with closing(open_store(tmp_path / "runs.sqlite")) as store:
        store.begin(RUN)
        with store.database.writing() as connection:
            connection.execute(sa.text("DROP TABLE penstock_writers"))
    with closing(open_store(tmp_path / "runs.sqlite")) as store:
        store.begin(RUN)
        store.append(a_cycle(10.0))
        assert store.last_at_s == 10.0
