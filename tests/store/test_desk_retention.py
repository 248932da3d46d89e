"""What was asked of a run that goes on is bounded too, and nothing that waits or still holds goes."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from random import Random

import pytest

from penstock.core.asked.intents import Intent, Latency
from penstock.core.asked.orders import HOLDS, Act, Answer, Orders, Request, Wish
from penstock.store.control import REFUSED_FOR_S, DeskControl, folded
from penstock.store.desk_tables import requests
from penstock.store.open import open_store
from penstock.store.retention import Retention
from penstock.store.sql import SqlStore
from tests.recorded import RUN, a_cycle, a_decision

BEGAN_S = RUN.started_at_s or 0.0
OLD_S = 1000.0


@pytest.fixture(params=["sqlite", "postgresql"])
def kept(request: pytest.FixtureRequest, tmp_path: object) -> Iterator[SqlStore]:
    """A store that keeps things for 1,000 s, and three of each kind."""
    target = request.getfixturevalue("postgres_url") if request.param == "postgresql" else f"{tmp_path}/runs.sqlite"
    retention = Retention(max_age_s=OLD_S, every=1, batch=3, max_asked=3)
    with closing(open_store(target, retention)) as store:
        store.begin(RUN)
        yield store


def asked(store: SqlStore, request: Request, at_s: float, taken: bool = True) -> int:
    number = store.desk.ask(RUN.id, replace(request, at_epoch_s=BEGAN_S + at_s))
    if taken:
        store.desk.take([number], at_s)
    return number


def wanting(seconds: int, job: str = "ads") -> Request:
    return Request(Act.INTENT, "ann", 0.0, job=job, intent=Intent(Latency(f"{seconds}s")))


def numbers(store: SqlStore) -> list[int]:
    return [found.number for found in store.desk.filed(RUN.id)]


def orders(store: SqlStore, at_s: float) -> Orders:
    """What a controller that begins then goes by; it notes nothing."""
    told = folded(Orders(), (found.request for found in store.desk.filed(RUN.id)))
    waiting = tuple(found.request for found in store.desk.waiting(RUN.id))
    standing = store.desk.standing_proposals(RUN.id, at_s - REFUSED_FOR_S)
    return replace(told, turns=waiting, approved=standing)


def test_each_act_says_for_how_long_it_holds() -> None:
    assert set(HOLDS) == set(Act)
    neutral, one = Orders(), Intent(Latency("2s"))
    for act, about in HOLDS.items():  # and what changes the orders for good is what holds
        before = folded(
            neutral, [Request(other, "ann", 0.0) for other in Act if HOLDS[other] == about and other != act]
        )
        whole = Request(act, "bob", 0.0, job="ads", intent=one if act is Act.INTENT else None)
        assert (folded(before, [whole]) != before) == (about is not None), act


def test_what_is_settled_and_too_old_goes_and_what_waits_or_holds_stays(kept: SqlStore) -> None:
    pauses = [asked(kept, Request(act, "ann", 0.0), 1.0) for act in (Act.PAUSE, Act.RESUME, Act.PAUSE)]
    dry = asked(kept, Request(Act.DRY_RUN, "ann", 0.0), 2.0)
    intents = [asked(kept, wanting(seconds, job), 3.0) for seconds, job in ((2, "ads"), (3, "ads"), (4, "fraud"))]
    asked(kept, Request(Act.TURN, "ann", 0.0, turn=Wish("bound", "ads", 500)), 4.0)
    waits = asked(kept, Request(Act.START, "ann", 0.0, job="ads"), 5.0, taken=False)
    newest = asked(kept, Request(Act.START, "ann", 0.0, job="ads"), 5.0)
    before = orders(kept, 3000.0)
    kept.append(a_cycle(3000.0))
    assert numbers(kept) == [pauses[-1], dry, *intents[1:], waits, newest]
    assert orders(kept, 3000.0) == before
    assert len(kept.audit(RUN.id)) == 1  # its newest line


def test_proposals_that_are_settled_go_but_not_those_that_stand(kept: SqlStore) -> None:
    answers = (Answer.DONE, Answer.OPEN, Answer.APPROVED, Answer.REFUSED, Answer.EXPIRED, Answer.REFUSED, Answer.DONE)
    for number, answer in enumerate(answers, 1):
        kept.desk.propose(RUN.id, a_decision(float(number)))
        if answer is not Answer.OPEN:
            kept.desk.settle(number, answer, "ann", 2900.0 if number == 6 else 10.0)
    kept.append(a_cycle(3000.0))
    assert [proposal.number for proposal in kept.desk.proposals(RUN.id)] == [2, 3, 6, 7]  # 6 was refused lately


def test_there_are_no_more_than_so_many_that_are_settled(kept: SqlStore) -> None:
    for number in range(10):
        asked(kept, Request(Act.START, "ann", 0.0, job="ads"), 2990.0)
        kept.desk.propose(RUN.id, a_decision(2990.0))
        kept.desk.settle(number + 1, Answer.DONE, "ann", 2990.0)
    kept.append(a_cycle(3000.0))
    assert [len(found) for found in (numbers(kept), kept.desk.proposals(RUN.id), kept.audit(RUN.id))] == [3, 3, 3]


def test_a_row_that_cannot_be_read_overrules_nothing(kept: SqlStore) -> None:
    holds, spoilt = asked(kept, wanting(2), 1.0), asked(kept, wanting(3), 2.0)
    asked(kept, Request(Act.START, "ann", 0.0, job="ads"), 2.0)
    with kept.database.writing() as connection:
        connection.execute(requests.update().where(requests.c.id == spoilt).values(intent="{"))
    kept.append(a_cycle(3000.0))
    assert holds in numbers(kept)


def test_the_number_of_a_request_is_not_given_again(kept: SqlStore) -> None:
    control = DeskControl(kept.desk, RUN.id)
    kept.desk.ask(RUN.id, Request(Act.START, "ann", BEGAN_S, job="ads"))
    control.orders(1.0)
    control.turned(1.0)
    kept.append(a_cycle(3000.0))
    kept.desk.ask(RUN.id, Request(Act.PAUSE, "bob", BEGAN_S + 3000.0))
    assert control.orders(3001.0).paused_by == "bob"


def test_simulated_time_has_no_age_here_either(kept: SqlStore) -> None:
    kept.begin(replace(RUN, id="simulated", started_at_s=None))
    for _ in range(2):
        kept.desk.take([kept.desk.ask("simulated", Request(Act.PAUSE, "ann", 0.0))], 0.0)
    kept.append(a_cycle(50_000.0))
    assert len(kept.desk.filed("simulated")) == 2


@pytest.mark.parametrize("seed", range(20))
def test_whatever_was_asked_the_same_orders_hold_before_and_after(kept: SqlStore, seed: int) -> None:
    dice = Random(seed)
    for number in range(1, 40):
        act, job, at_s = dice.choice(list(Act)), dice.choice(["ads", "fraud"]), number * 70.0
        needs = {
            Act.INTENT: wanting(dice.randint(1, 9), job),
            Act.TURN: Request(act, "ann", 0.0, turn=Wish("bound", job, 500)),
        }
        request = needs.get(act, Request(act, dice.choice(["ann", "bob"]), 0.0, job=job, proposal=number))
        told = asked(kept, request, at_s, taken=dice.random() < 0.8)
        if dice.random() < 0.1:
            with kept.database.writing() as connection:
                connection.execute(requests.update().where(requests.c.id == told).values(intent="{"))
        kept.desk.propose(RUN.id, a_decision(at_s, job=job))
        kept.desk.settle(number, dice.choice(list(Answer)), "ann", at_s)
    count, before = len(numbers(kept)), orders(kept, 3000.0)
    kept.append(a_cycle(3000.0))
    assert orders(kept, 3000.0) == before
    assert len(numbers(kept)) < count


def test_a_long_log_is_shortened_at_each_look(kept: SqlStore) -> None:
    for number in range(5):
        kept.desk.ask(RUN.id, Request(Act.PAUSE, str(number), BEGAN_S + 2990.0))
    kept.append(a_cycle(3000.0))
    assert [entry.who for entry in kept.audit(RUN.id)] == ["2", "3", "4"]
