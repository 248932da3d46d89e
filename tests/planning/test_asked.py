"""What people ask of levers: their decisions go first, held to the limits, and say what did not come of them."""

from dataclasses import replace

import pytest

from penstock.core.asked.orders import Act, Request, Wish
from penstock.core.levers import WHOLE, BatchBound, Dial, Executors, Move, Slots
from penstock.core.plan import Decision, Plan, Reason
from penstock.core.seen.view import View
from penstock.errors import ConfigError
from penstock.planning.asked import asked_for, check, watching, with_asked
from tests.builders import job, operator, view


def seen(max_threads: int | None = None) -> View:
    """Two jobs with slots and bounds, in an application that holds two of four executors."""
    jobs = [
        job(name, 0.0, operators=[operator("*", 3, max_threads=6)], levers=(Dial("bound", name, None, 1),))
        for name in ("ads", "fraud")
    ]
    return replace(view(10.0, jobs, max_threads=max_threads), levers=(Dial("executors", WHOLE, 2, 1, 4),))


def asks(wish: Wish, who: str = "ann") -> Request:
    return Request(Act.TURN, who, 5.0, turn=wish)


def moves(plan: Plan) -> list[Move]:
    return [move for decision in plan.decisions for move in decision.moves]


def own(*wanted: Move, reason: Reason = Reason.RESCALED) -> Plan:
    return Plan((Decision(reason, wanted, "because", 10.0, 0.0),))


def test_a_wish_is_a_decision_that_says_who_asked() -> None:
    (decision,) = asked_for([asks(Wish("bound", "ads", 500))], seen()).decisions
    assert (decision.reason, decision.why, decision.at_s) == (Reason.ASKED, "asked by ann", 10.0)
    assert decision.moves == (BatchBound("ads", None, 500),)


def test_of_two_wishes_for_one_lever_the_later_counts() -> None:
    asked = asked_for([asks(Wish("bound", "ads", 500)), asks(Wish("bound", "ads", 70), "bob")], seen())
    assert moves(asked) == [BatchBound("ads", None, 70)]


def test_a_wish_for_a_lever_that_is_not_there_is_a_note() -> None:
    asked = asked_for([asks(Wish("partitions", "ads", 8))], seen())
    assert asked.decisions == ()
    assert asked.note == (
        "ads: partitions 8, asked by ann, is not done: kind: 'partitions' cannot be used; ads has slots, bound"
    )


def test_a_person_goes_first_and_the_policy_does_not_undo_it() -> None:
    asked = asked_for([asks(Wish("slots", "ads", 5))], seen())
    theirs = replace(own(Slots("ads", 3, 1), Slots("fraud", 3, 5)), note="hm")
    both = with_asked(asked, theirs, seen())
    assert (moves(both), both.note) == ([Slots("ads", 3, 5)], "hm")  # its decision goes whole: half of it is another
    assert moves(with_asked(asked, own(Slots("fraud", 3, 4)), seen())) == [Slots("ads", 3, 5), Slots("fraud", 3, 4)]


def test_the_policy_gets_what_the_person_leaves() -> None:
    asked = asked_for([asks(Wish("slots", "ads", 5))], seen(max_threads=9))
    # 9 - 6 are free; 2 go to ads, so 1 is left for fraud.
    both = with_asked(asked, own(Slots("fraud", 3, 6)), seen(max_threads=9))
    assert moves(both) == [Slots("ads", 3, 5), Slots("fraud", 3, 4)]


def test_a_wish_is_held_to_the_limits_and_the_note_says_so() -> None:
    for value, done, note in (
        (9, [Slots("ads", 3, 6)], "ads: weight 3 -> 9, asked by ann: the limits allow weight 3 -> 6"),
        (3, [], "ads: weight 3 -> 3, asked by ann: it already has this value"),
    ):
        plan = with_asked(asked_for([asks(Wish("slots", "ads", value))], seen()), Plan(), seen())
        assert (moves(plan), plan.note) == (done, note)
    full = seen(max_threads=6)
    plan = with_asked(asked_for([asks(Wish("slots", "ads", 4))], full), Plan(), full)
    assert plan.note == "ads: weight 3 -> 4, asked by ann, is not done: the limits allow nothing of it"


def test_a_policy_does_not_get_round_approval_by_saying_that_a_person_asked() -> None:
    both = with_asked(Plan(), own(Slots("ads", 3, 4), reason=Reason.ASKED), seen())
    assert [decision.reason for decision in both.decisions] == [Reason.RECONFIGURED]


def test_who_only_watches_says_what_is_not_done() -> None:
    plan = watching("paused by bob", [asks(Wish("executors", WHOLE, 4))])
    assert (plan.decisions, plan.note) == ((), "paused by bob; executors 4, asked by ann, is not done")


@pytest.mark.parametrize(
    "wish",
    [
        Wish("bound", "ads", 500),
        Wish("bound", "ads", None),
        Wish("slots", "ads", 6),
        Wish("slots", "ads", 3),
        Wish("executors", WHOLE, 4),
    ],
)
def test_what_a_lever_can_be_turned_to_is_right(wish: Wish) -> None:
    check(wish, seen())


@pytest.mark.parametrize(
    ("wish", "message"),
    [
        (Wish("slots", "adz", 3), "job: 'adz' cannot be used; name one of ads, fraud"),
        (Wish("partitions", "ads", 3), "kind: 'partitions' cannot be used; ads has slots, bound"),
        (Wish("memory", WHOLE, 1024), "kind: 'memory' cannot be used; the application has executors"),
        (Wish("slots", "ads", 7), "value: 7 cannot be used; slots of ads can be 1 to 6"),
        (Wish("slots", "ads", 0), "value: 0 cannot be used; slots of ads can be 1 to 6"),
        (Wish("slots", "ads", None), "value: missing; slots of ads can be 1 to 6"),
        (Wish("bound", "ads", 0), "value: 0 cannot be used; bound of ads can be 1 row or more, or none"),
        (Wish("bound", "ads", 2.5), "value: 2.5 cannot be used; write a whole number"),
        (Wish("executors", WHOLE, 5), "value: 5 cannot be used; executors of the application can be 1 to 4"),
        (Wish("slots", "ads", 5), "value: 5 cannot be used; what is free allows 4"),
    ],
)
def test_what_it_cannot_is_said_with_what_would_be_right(wish: Wish, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        check(wish, seen(max_threads=7 if wish == Wish("slots", "ads", 5) else None))
    assert str(caught.value) == message


def test_an_operator_that_is_not_there_is_said_with_those_that_are() -> None:
    here = view(0.0, [job("ads", 0.0, operators=[operator("map"), operator("sink")])])
    check(Wish("tasks", "ads", 5, "map"), here)
    with pytest.raises(ConfigError, match=r"operator: 'mop' cannot be used; tasks of ads are those of map, sink"):
        check(Wish("tasks", "ads", 5, "mop"), here)


def test_an_application_without_levers_says_so() -> None:
    with pytest.raises(ConfigError, match="the application has nothing to turn"):
        check(Wish("executors", WHOLE, 3), view(0.0, [job("ads", 0.0)]))
    assert moves(asked_for([asks(Wish("executors", WHOLE, 3))], seen())) == [Executors(2, 3)]
