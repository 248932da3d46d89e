"""Executors move between applications: view in, plan out."""

from dataclasses import replace

from penstock.actuation.order import order
from penstock.core.levers import Executors
from penstock.core.plan import Plan
from penstock.core.view import View
from penstock.planning.approval import held_still
from penstock.planning.executors.policy import ExecutorsPolicy
from penstock.planning.limits import within_limits
from penstock.planning.registry import policy_named
from tests.planning.executors.many import application, fleet

POOR = application("fraud", 1, ((1, 0.0), (2, 20.0), (3, 40.0)))
RICH = application("clicks", 3, ((1, 9.0), (2, 9.9), (3, 10.0)))


def decided(seen: View) -> Plan:
    plan, _ = ExecutorsPolicy().decide(seen, ExecutorsPolicy().start())
    return within_limits(plan, seen)


def test_executors_go_from_who_can_spare_them_to_who_needs_them_and_why_is_said() -> None:
    (decision,) = decided(fleet([RICH, POOR])).decisions
    assert decision.moves == (Executors(3, 1, "clicks"), Executors(1, 3, "fraud"))
    assert decision.why == (
        "2 executors from clicks to fraud: clicks keeps 9.0 of 10.0, fraud comes from 0.0 to 40.0 of 40.0"
    )
    assert decision.expected_utility == 20.0  # 10 of both now, 39 more are foretold, and more than all is not possible


def test_the_giver_comes_before_the_taker_in_the_order_of_steps() -> None:
    steps = order(decided(fleet([POOR, RICH])))
    assert [step.job for step in steps] == ["clicks", "fraud"]


def test_what_gains_too_little_is_not_moved() -> None:
    seen = fleet([RICH, application("fraud", 1, ((1, 9.9), (3, 10.0)))])
    plan = decided(seen)
    assert not plan.decisions
    assert "below target; no other division of executors would give more" in plan.note


def test_where_less_is_left_than_is_held_executors_go_though_nobody_gains() -> None:
    seen = fleet([replace(RICH, now=3), replace(POOR, now=3)], cores=4)
    (decision,) = decided(seen).decisions
    assert decision.moves == (Executors(3, 1, "clicks"),)
    assert decision.why == "2 executors of clicks have no room any more: clicks keeps 9.0 of 10.0"
    (decision,) = decided(fleet([replace(RICH, now=3), replace(POOR, now=3)], cores=2)).decisions
    assert [move.after for move in decision.moves] == [1, 1]  # the least of both, whatever that costs
    assert not decided(fleet([replace(RICH, now=1), replace(POOR, now=1)], cores=1)).decisions


def test_who_was_moved_is_left_as_it_is_until_that_has_shown() -> None:
    policy = ExecutorsPolicy()
    plan, memory = policy.decide(fleet([RICH, POOR]), policy.start())
    now_rich = replace(POOR, worth=((1, 40.0),), now=3)
    plan, memory = policy.decide(fleet([replace(RICH, now=1, worth=((1, 0.0), (3, 90.0))), now_rich], at_s=10), memory)
    assert (plan.decisions, plan.note) == ((), "waiting until the last moves have shown")
    plan, memory = policy.decide(fleet([replace(RICH, now=1, worth=((1, 0.0), (3, 90.0))), now_rich], at_s=40), memory)
    assert [move.after for move in plan.decisions[0].moves] == [3, 1]


def test_what_was_promised_counts_as_given() -> None:
    promised = replace(POOR, asked=3)
    assert not decided(fleet([replace(RICH, now=3, asked=1), promised])).decisions


def test_who_is_held_gives_nothing_and_gets_nothing() -> None:
    seen = held_still(fleet([RICH, POOR]), {"clicks"})
    assert not decided(seen).decisions


def test_a_cluster_that_does_not_say_its_cores_is_left_alone() -> None:
    plan = decided(replace(fleet([RICH, POOR]), machines=()))
    assert (plan.decisions, plan.note) == ((), "the cluster does not say how many cores it has")


def test_the_default_policy_divides_the_executors_of_many_applications() -> None:
    policy = policy_named("penstock")
    plan, memory = policy.decide(fleet([RICH, POOR]), policy.start())
    assert [move.after for move in plan.decisions[0].moves] == [1, 3]
    plan, _ = policy.decide(fleet([replace(RICH, now=1), replace(POOR, now=3)], at_s=10), memory)
    assert not plan.decisions
