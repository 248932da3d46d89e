"""The order of deeds: first what frees, then what takes."""

from hypothesis import given
from hypothesis import strategies as st

from penstock.actuation.order import order
from penstock.core.known.routing_table import RoutingTable
from penstock.core.levers import Executors, Move, Slots, Table, Tasks
from penstock.core.plan import Decision, Plan, Reason, Step


def plan(*decisions: tuple[Move, ...]) -> Plan:
    return Plan(tuple(Decision(Reason.RESCALED, changes, "why", 0.0, 1.0) for changes in decisions))


SHRINK, GROW = Slots("z", 5, 2), Slots("a", 2, 5)


def test_what_frees_slots_goes_before_what_takes_them() -> None:
    assert order(plan((GROW,), (SHRINK,))) == (Step("z", (SHRINK,)), Step("a", (GROW,)))


def test_names_break_ties() -> None:
    changes = tuple(Slots(name, 1, 2) for name in "cab")
    assert [step.job for step in order(plan(changes))] == ["a", "b", "c"]


def test_all_changes_to_one_job_are_one_step_in_the_order_they_were_decided() -> None:
    first, second = Tasks("a", "parse", 3, 1), Tasks("a", "count", 1, 2)
    assert order(plan((first,), (second,))) == (Step("a", (first, second)),)


def test_a_change_that_changes_nothing_is_left_out() -> None:
    assert order(plan((Slots("a", 2, 2),))) == ()
    assert order(Plan()) == ()


def test_executors_come_before_the_shares_that_need_them_and_keys_move_last() -> None:
    keys = Table("a", "tweets", None, RoutingTable(2), 5)
    steps = order(plan((keys, GROW, Executors(2, 3))))
    assert [step.moves for step in steps] == [(Executors(2, 3),), (GROW,), (keys,)]
    assert order(plan((Executors(3, 2),), (SHRINK,)))[-1].moves == (Executors(3, 2),)


changes = st.builds(Tasks, st.sampled_from("abc"), st.sampled_from("xy"), st.integers(1, 9), st.integers(1, 9))


@given(st.lists(st.lists(changes, max_size=4).map(tuple), max_size=4))
def test_every_real_change_is_in_exactly_one_step_and_frees_come_first(decisions: list[tuple[Move, ...]]) -> None:
    steps = order(plan(*decisions))
    wanted = [change for decided in decisions for change in decided if change.before != change.after]
    assert sorted(map(repr, wanted)) == sorted(repr(change) for step in steps for change in step.moves)
    takes = [sum(move.after - move.before for move in step.moves if isinstance(move, Tasks)) > 0 for step in steps]
    assert takes == sorted(takes)
    assert len({step.job for step in steps}) == len(steps)
