"""One driver writes a run: who has begun it last. The one before is told so before it acts again."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa

from penstock.core.asked.orders import Act, Answer, Request, Wish
from penstock.core.asked.price import Price
from penstock.core.cycle import Cycle
from penstock.errors import TakenOverError
from penstock.store import sqlite_file, writing
from penstock.store.archive import Archive, StoreError
from penstock.store.control import DeskControl
from penstock.store.desk import Card, Desk
from penstock.store.open import open_store
from tests.faulty import Faults, FaultyStore, Ticking, World
from tests.recorded import RUN, URGENT, a_cycle, a_decision

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
def test_nor_does_it_take_the_run_back_by_a_price_that_changed(reopen: Callable[[], Archive]) -> None:
    first, second = reopen(), reopen()
    first.begin(RUN)
    second.begin(RUN)

    def another_price() -> None:
        first.reprice(Price(0.05))
        first.append(a_cycle(20.0))  # a store that bears outages writes it with a cycle

    with pytest.raises(TakenOverError, match=f"another driver has taken up run {RUN.id}"):
        another_price()
    second.append(a_cycle(20.0))
    assert second.read_run(RUN.id).info.price == RUN.price


@pytest.mark.parametrize("reopen", ["sqlite", "postgresql", "tolerant"], indirect=True)
def test_who_begins_a_run_again_goes_on_with_it(reopen: Callable[[], Archive]) -> None:
    store = reopen()
    for at_s in (10.0, 20.0):
        store.begin(RUN)
        store.append(a_cycle(at_s))
    assert [view.at_s for view in store.views(RUN.id)] == [10.0, 20.0]


def test_a_driver_that_was_taken_over_while_it_slept_does_nothing_more_to_its_jobs(tmp_path: Path) -> None:
    world, clock = World(Faults()), Ticking()
    with closing(open_store(tmp_path / "runs.sqlite")) as ours, closing(open_store(tmp_path / "runs.sqlite")) as theirs:
        ours.begin(RUN)
        world.store = FaultyStore(world.faults, ours)  # type: ignore[arg-type]

        def after(now: float) -> None:
            if now == 30.0:
                theirs.begin(RUN)

        with pytest.raises(TakenOverError):
            world.governed(clock, after)
    assert world.engine.done == [(10.0, "ads"), (20.0, "ads"), (30.0, "ads")]


@pytest.mark.parametrize("reopen", ["sqlite", "postgresql", "tolerant"], indirect=True)
def test_a_driver_that_was_taken_over_after_it_announced_a_step_does_not_do_it(reopen: Callable[[], Archive]) -> None:
    world, ours, theirs = World(Faults()), reopen(), reopen()
    ours.begin(RUN)

    class Slept(FaultyStore):
        def announce(self, cycle: Cycle) -> None:
            super().announce(cycle)
            if cycle.at_s == 30.0:
                theirs.begin(RUN)

    world.store = Slept(world.faults, ours)  # type: ignore[arg-type]
    with pytest.raises(TakenOverError, match=f"another driver has taken up run {RUN.id}"):
        world.governed(Ticking(), lambda now: None)
    assert world.engine.done == [(10.0, "ads"), (20.0, "ads")]


def test_what_is_asked_of_a_run_is_heard_by_the_driver_that_has_it(tmp_path: Path) -> None:
    with (
        closing(open_store(tmp_path / "runs.sqlite")) as first,
        closing(open_store(tmp_path / "runs.sqlite")) as second,
    ):
        heard = [DeskControl(store.own_desk, RUN.id) for store in (first, second)]
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


@pytest.fixture(params=["sqlite", "postgresql"])
def target(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return request.getfixturevalue("postgres_url") if request.param == "postgresql" else str(tmp_path / "runs.sqlite")


DEEDS: dict[str, Callable[[Desk], None]] = {
    "take": lambda desk: desk.take([1], 10.0),
    "propose": lambda desk: desk.propose(RUN.id, a_decision(10.0)),
    "settle": lambda desk: desk.settle(1, Answer.DONE, None, 10.0),
    "leave a card": lambda desk: desk.leave_card(RUN.id, Card(0.0, 10.0, 5.0)),
}


@pytest.mark.parametrize("deed", DEEDS)
def test_a_controller_that_was_taken_over_does_nothing_more_at_the_desk(target: str, deed: str) -> None:
    with closing(open_store(target)) as first, closing(open_store(target)) as second:
        for store in (first, second):
            store.begin(RUN)
        first.desk.ask(RUN.id, Request(Act.PAUSE, "ann", 5.0))
        second.own_desk.propose(RUN.id, a_decision(5.0))
        with pytest.raises(TakenOverError):
            DEEDS[deed](first.own_desk)
        left = (first.desk.waiting(RUN.id)[0].taken_at_s, first.desk.proposals(RUN.id), first.desk.card(RUN.id))
        assert (left[0], [found.answer for found in left[1]], left[2]) == (None, [Answer.OPEN], None)
        DEEDS[deed](second.own_desk)


def test_nobody_takes_a_run_over_between_the_check_and_what_is_written_under_it(
    target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_file, "BUSY_S", 0.1)
    apart = f"{target}?options=-c%20lock_timeout%3D100" if "://" in target else target
    with closing(open_store(target)) as first, closing(open_store(apart)) as second:
        first.begin(RUN)
        second.runs()  # it is open
        with first.database.writing() as connection:
            first.check_writer(connection)
            with pytest.raises(StoreError, match="lock"):
                second.begin(RUN)
        second.begin(RUN)
        with pytest.raises(TakenOverError), first.database.writing() as connection:
            first.check_writer(connection)


def test_a_driver_that_stands_still_in_the_midst_of_writing_keeps_nobody_from_its_run(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "STOPPED_AT_MOST_MS", 50)
    with closing(open_store(postgres_url)) as first, closing(open_store(postgres_url)) as second:
        first.begin(RUN)

        def stands_still(connection: sa.Connection) -> None:
            first.check_writer(connection)
            second.begin(RUN)  # waits until PostgreSQL has ended the other's transaction
            connection.execute(sa.text("SELECT 1"))

        with pytest.raises(StoreError), first.database.writing() as connection:
            stands_still(connection)


def test_epochs_of_a_run_only_rise_and_each_cycle_tells_under_which_it_was_written(target: str) -> None:
    for at_s in (10.0, 20.0, 30.0):
        with closing(open_store(target)) as store:
            store.begin(RUN)
            store.announce(a_cycle(at_s))
            store.append(a_cycle(at_s))
            with store.database.reading() as connection:
                told = connection.execute(sa.text("SELECT at_s, writer_epoch FROM penstock_cycles ORDER BY id"))
                found = [tuple(row) for row in told]
    assert found == [(10.0, 1), (20.0, 2), (30.0, 3)]


def test_a_lever_that_was_to_be_turned_when_the_driver_died_is_turned_by_the_next_one_and_once(target: str) -> None:
    turn = Request(Act.TURN, "ann", 6.0, turn=Wish("bound", "ads", 500))
    with closing(open_store(target)) as first:
        first.begin(RUN)
        first.desk.ask(RUN.id, turn)
        assert DeskControl(first.own_desk, RUN.id).orders(10.0).turns == (turn,)  # and dies before it is done
    with closing(open_store(target)) as second:
        second.begin(RUN)
        control = DeskControl(second.own_desk, RUN.id)
        assert control.orders(20.0).turns == (turn,)
        control.turned(20.0)
        assert [found.taken_at_s for found in second.desk.filed(RUN.id)] == [20.0]
        assert DeskControl(second.own_desk, RUN.id).orders(30.0).turns == ()
