"""Routing beside a sharing policy: off, advised, done; through the same loop, with a reason in a sentence."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest

from penstock.actuation.order import order
from penstock.core.figures import Snapshot
from penstock.core.levers import Table
from penstock.core.pairs import PairCounts
from penstock.core.plan import Outcome, Plan, Reason, Step, StepOutcome
from penstock.core.routes import RouteFigures
from penstock.errors import ConfigError
from penstock.loop import Governor
from penstock.planning.registry import policy_named
from penstock.planning.routing.estimate import CostSettings
from penstock.planning.routing.policy import RoutingSettings, considered
from penstock.planning.routing.route import route
from penstock.store.memory import MemoryStore
from tests.builders import job, view
from tests.planning.routing.cases import grouped

LINK = ("region", "hashtag")


def figures(pairs: PairCounts, **more: object) -> RouteFigures:
    """A route over six servers that is hashed so far, 10,000 rows a second."""
    ordinary = RouteFigures("tweets", "trends", 6, 600.0, {LINK: pairs}, {LINK: pairs}, 10_000.0)
    return replace(ordinary, **more)  # type: ignore[arg-type]


def planned(mode: str, routes: Sequence[RouteFigures], **settings: object) -> Plan:
    """What the static policy does with these routes beside it."""
    policy = policy_named("static", routing=RoutingSettings(mode, **settings))  # type: ignore[arg-type]
    seen = replace(view(0.0, [job("tweets", 10.0)]), routes=tuple(routes))
    plan, memory = policy.decide(seen, policy.start())
    assert memory == policy.start()
    return plan


def test_routes_are_left_alone_unless_asked_for() -> None:
    assert RoutingSettings().mode == "off"
    assert planned("off", [figures(grouped(1))]) == planned("off", [])


def test_advice_says_what_would_be_done_and_does_nothing() -> None:
    plan = planned("advise", [figures(grouped(1))])
    (decision,) = plan.decisions
    assert decision.reason == Reason.ADVISED
    assert decision.why.startswith("trends of tweets: local share 0.")
    assert "on the last 10 min; moves " in decision.why
    assert order(plan) == ()


def test_acting_gives_one_step_with_the_new_table() -> None:
    plan = planned("act", [figures(grouped(1))])
    (step,) = order(plan)
    assert step.job == "tweets"
    (move,) = step.moves
    assert isinstance(move, Table)
    assert move.after.version == 1
    assert move.after.locality > 0.7
    assert plan.decisions[0].jobs == ("tweets",)


def test_a_route_with_nothing_to_gain_stays_and_the_note_says_so() -> None:
    pairs = grouped(1)
    table = route(pairs, 6)
    named = replace(table, keys={"region": table.left, "hashtag": table.right})
    plan = planned("act", [figures(pairs, table=named, table_age_s=600.0)])
    assert plan.decisions == ()
    assert "trends of tweets stays: local share" in plan.note


def test_a_move_that_does_not_pay_back_in_time_is_noted_with_its_figures() -> None:
    plan = planned("act", [figures(grouped(1))], cost=CostSettings(payback_s=1.0))
    assert plan.decisions == ()
    assert "would pay back in" in plan.note


def test_no_more_keys_move_than_allowed() -> None:
    reroute, _ = considered(figures(grouped(1)), RoutingSettings("act", most_keys=30))
    assert 0 < reroute.keys <= 30


def test_a_key_that_faded_from_the_statistics_keeps_its_place() -> None:
    table = route(grouped(1), 6)
    named = replace(table, keys={"region": {**table.left, "faded": 4}, "hashtag": table.right})
    reroute, _ = considered(figures(grouped(2), table=named))
    assert reroute.after.keys["region"]["faded"] == 4


def test_routes_are_judged_in_the_order_of_their_names() -> None:
    routes = [replace(figures(grouped(1)), route=name) for name in ("b", "a")]
    moves = [move for step in order(planned("act", routes)) for move in step.moves]
    assert [move.route for move in moves if isinstance(move, Table)] == ["a", "b"]


def test_an_unknown_mode_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"routing: 'on' will not do; choose one of off, advise, act"):
        RoutingSettings("on")


@dataclass
class OneRoute:
    """An engine whose only news is a route whose window ended, and which keeps the steps that it is given."""

    told: RouteFigures
    steps: list[Step] = field(default_factory=list)

    def observe(self, now: float) -> Snapshot:
        """The route."""
        return Snapshot(now, (), (), routes=(self.told,))

    def apply(self, steps: Sequence[Step]) -> Outcome:
        """All well."""
        self.steps += steps
        return Outcome(tuple(StepOutcome(step) for step in steps))


@pytest.mark.parametrize(("mode", "steps"), [("off", 0), ("advise", 0), ("act", 1)])
def test_through_the_loop_a_route_is_changed_only_when_asked_to_act(mode: str, steps: int) -> None:
    engine, store = OneRoute(figures(grouped(1))), MemoryStore()
    governor = Governor(engine, policy_named("static", routing=RoutingSettings(mode)), store)
    governor.run_cycle({}, governor.start(), 10.0)
    assert len(engine.steps) == steps
