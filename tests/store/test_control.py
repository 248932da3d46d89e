"""The controller's side of the desk while the database is down: what holds goes on to hold, turns are not repeated."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from penstock.core.asked.orders import Act, Answer, Request, Wish
from penstock.store.codec import decode, encode
from penstock.store.control import DeskControl
from penstock.store.open import open_store
from tests.recorded import RUN, a_decision


def test_the_desk_tells_what_waits_without_all_that_ever_lay_there(tmp_path: Path) -> None:
    with closing(open_store(tmp_path / "runs.sqlite")) as store:
        store.begin(RUN)
        desk = store.desk
        first, second = (desk.ask(RUN.id, Request(act, "ann", 5.0)) for act in (Act.PAUSE, Act.RESUME))
        desk.take([first], 10.0)
        assert [filed.number for filed in desk.waiting(RUN.id)] == [second]
        for at_s in (1.0, 2.0):
            desk.propose(RUN.id, a_decision(at_s))
        desk.settle(1, Answer.REFUSED, "ann", 10.0)
        assert [proposal.number for proposal in desk.open_proposals(RUN.id)] == [2]


def test_what_was_asked_and_settled_long_ago_is_not_read_again_in_each_round(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(open_store(tmp_path / "runs.sqlite")) as store:
        store.begin(RUN)
        for number, answer in enumerate([Answer.REFUSED, Answer.DONE, Answer.EXPIRED] * 10, 1):
            store.desk.propose(RUN.id, a_decision(float(number)))
            store.desk.settle(number, answer, "ann", float(number))
        store.desk.propose(RUN.id, a_decision(1000.0, job="visits"))
        store.desk.propose(RUN.id, a_decision(1000.0, job="fraud"))
        store.desk.settle(32, Answer.REFUSED, "ann", 1000.0)
        read: list[str] = []

        def counted(text: str, kind: type[Any]) -> Any:
            read.append(text)
            return decode(text, kind)

        monkeypatch.setattr("penstock.store.desk.decode", counted)
        assert DeskControl(store.desk, RUN.id).orders(1100.0).held == {"visits", "fraud"}
        assert set(read) == {encode(a_decision(1000.0, job=job)) for job in ("visits", "fraud")}


def test_while_nobody_can_be_heard_the_last_orders_hold_but_no_lever_is_turned_again_nor_a_job_started(
    tmp_path: Path,
) -> None:
    path = tmp_path / "runs.sqlite"
    turn = Request(Act.TURN, "ann", 6.0, turn=Wish("bound", "ads", 500))
    with closing(open_store(path)) as store:
        store.begin(RUN)
        store.desk.ask(RUN.id, Request(Act.DRY_RUN, "ann", 5.0))
        store.desk.ask(RUN.id, turn)
        store.desk.ask(RUN.id, Request(Act.START, "ann", 7.0, job="ads"))
        control = DeskControl(store.desk, RUN.id)
        first = control.orders(10.0)
        assert (first.dry_run, first.turns, first.starts) == (True, (turn,), ("ads",))
        with closing(sqlite3.connect(path)) as raw, raw:
            raw.execute("DROP TABLE penstock_requests")
        second = control.orders(20.0)
        assert (second.dry_run, second.turns, second.starts) == (True, (), ())


def test_what_was_handed_before_an_outage_and_is_not_noted_yet_is_not_handed_again_after_it(
    tmp_path: Path,
) -> None:
    path = tmp_path / "runs.sqlite"
    with closing(open_store(path)) as store:
        store.begin(RUN)
        store.desk.ask(RUN.id, Request(Act.TURN, "ann", 6.0, turn=Wish("bound", "ads", 500)))
        store.desk.ask(RUN.id, Request(Act.START, "ann", 7.0, job="ads"))
        control = DeskControl(store.desk, RUN.id)
        assert len(control.orders(10.0).turns) == 1
        with closing(sqlite3.connect(path)) as raw, raw:
            raw.execute("ALTER TABLE penstock_requests RENAME TO away")
        control.turned(11.0)
        control.orders(30.0)
        with closing(sqlite3.connect(path)) as raw, raw:
            raw.execute("ALTER TABLE away RENAME TO penstock_requests")
        after = control.orders(50.0)
        assert (after.turns, after.starts, store.desk.waiting(RUN.id)) == ((), (), ())


@pytest.mark.parametrize(
    ("meanwhile", "handed", "answer"),
    [
        ("SELECT 1", 0, Answer.DONE),
        ("UPDATE away SET who = 'bob'", 1, Answer.APPROVED),  # as in another file, whose numbers begin anew
    ],
)
def test_what_was_done_on_approval_while_the_store_was_away_is_noted_when_it_is_back_and_not_handed_again(
    meanwhile: str, handed: int, answer: Answer, tmp_path: Path
) -> None:
    path = tmp_path / "runs.sqlite"
    with closing(open_store(path)) as store:
        store.begin(RUN)
        store.desk.propose(RUN.id, a_decision(1.0))
        store.desk.settle(1, Answer.APPROVED, "ann", 2.0)
        control = DeskControl(store.desk, RUN.id)
        (proposal,) = control.orders(10.0).approved
        with closing(sqlite3.connect(path)) as raw, raw:
            raw.execute("ALTER TABLE penstock_proposals RENAME TO away")
        control.settle(proposal, Answer.DONE, 11.0)
        assert control.orders(30.0).approved == ()
        with closing(sqlite3.connect(path)) as raw, raw:
            raw.execute(meanwhile)
            raw.execute("ALTER TABLE away RENAME TO penstock_proposals")
        assert len(control.orders(50.0).approved) == handed
        assert [one.answer for one in store.desk.proposals(RUN.id)] == [answer]


def test_a_job_that_was_to_be_started_when_the_driver_died_is_started_by_the_next_one(tmp_path: Path) -> None:
    with closing(open_store(tmp_path / "runs.sqlite")) as store:
        store.begin(RUN)
        store.desk.ask(RUN.id, Request(Act.START, "ann", 7.0, job="ads"))
        assert DeskControl(store.desk, RUN.id).orders(10.0).starts == ("ads",)
        following = DeskControl(store.desk, RUN.id)
        assert following.orders(20.0).starts == ("ads",)
        following.turned(21.0)
        assert DeskControl(store.desk, RUN.id).orders(30.0).starts == ()
