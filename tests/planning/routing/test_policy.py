"""Routing beside a sharing policy: off, advised, done; through the same loop, with a reason in a sentence."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from penstock.actuation.order import order
from penstock.core.cycle import Cycle
from penstock.core.levers import Table
from penstock.core.plan import Outcome, Plan, Reason, Step, StepOutcome
from penstock.core.ports import Policy, PolicyMemory
from penstock.core.run import RunInfo
from penstock.core.seen.figures import Snapshot
from penstock.core.seen.pairs import PairCounts
from penstock.core.seen.routes import RouteFigures
from penstock.errors import ConfigError
from penstock.loop import Loop
from penstock.planning.registry import policy_named
from penstock.planning.routing.policy import considered
from penstock.planning.routing.route import route, route_links
from penstock.planning.routing_settings import CostSettings, RoutingSettings
from penstock.store.memory import MemoryStore
from penstock.store.open import open_store
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
    return policy.decide(seen, policy.start())[0]


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
    assert "trends of tweets unchanged: local share" in plan.note


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


def judging(policy: Policy, memory: PolicyMemory, told: RouteFigures) -> tuple[int, PolicyMemory]:
    """How many decisions this route brings, and what is remembered of it."""
    plan, memory = policy.decide(replace(view(0.0, [job("tweets", 10.0)]), routes=(told,)), memory)
    return len(plan.decisions), memory


def test_a_window_is_judged_once_however_often_it_is_told() -> None:
    policy, memory = policy_named("static", routing=RoutingSettings("advise")), None
    first, second = (figures(grouped(1), window=number) for number in (7, 8))
    found = []
    for told in (first, first, second, second):
        decisions, memory = judging(policy, memory or policy.start(), told)
        found.append(decisions)
    assert found == [1, 0, 1, 0]


def test_a_controller_that_comes_back_does_not_judge_the_same_window_again(tmp_path: Path) -> None:
    policy, told = policy_named("penstock", routing=RoutingSettings("act")), figures(grouped(1), window=7)
    for rerouted in (1, 0):
        with closing(open_store(tmp_path / "runs.sqlite")) as store:
            store.begin(RunInfo("run", "run", policy.name, "fake"))
            engine = OneRoute(told)
            loop = Loop(engine, policy, store)
            loop.run_cycle(loop.start(), 10.0 - rerouted)
            assert len(engine.steps) == rerouted


def test_a_memory_of_windows_comes_back_from_a_store_as_what_it_was(tmp_path: Path) -> None:
    policy = policy_named("henge", routing=RoutingSettings("advise"))
    _, memory = judging(policy, policy.start(), figures(grouped(1), window=7))
    with closing(open_store(tmp_path / "runs.sqlite")) as store:
        store.begin(RunInfo("run", "run", policy.name, "fake"))
        store.append(Cycle(0.0, policy.name, view(0.0, []), Plan(), Outcome(), memory))
        assert store.last_memory(policy.name, type(policy.start())) == memory
    assert memory.judged == {("tweets", "trends"): 7}


def test_a_route_that_is_left_alone_has_its_last_window_judged_once_it_is_not() -> None:
    off, acting = (policy_named("static", routing=RoutingSettings(mode)) for mode in ("off", "act"))
    _, memory = judging(off, off.start(), figures(grouped(1), window=7))
    assert judging(acting, memory, figures(grouped(1), window=7))[0] == 1


def test_routes_are_judged_in_the_order_of_their_names() -> None:
    routes = [replace(figures(grouped(1)), route=name) for name in ("b", "a")]
    moves = [move for step in order(planned("act", routes)) for move in step.moves]
    assert [move.route for move in moves if isinstance(move, Table)] == ["a", "b"]


def test_an_unlisted_key_is_where_the_engine_says_and_moves_from_there() -> None:
    pairs = PairCounts.exact({("a", "x"): 50, ("b", "y"): 50})
    told = figures(pairs, servers=2, unlisted={"region": {"a": 0, "b": 1}, "hashtag": {"x": 1, "y": 0}})
    reroute, estimate = considered(told)
    assert (estimate.local_now, reroute.after.locality, reroute.keys) == (0.0, 1.0, 2)
    at_home, estimate = considered(replace(told, unlisted={**told.unlisted, "hashtag": {"x": 0, "y": 1}}))
    assert (estimate.local_now, at_home.keys) == (1.0, 0)


def test_only_operators_whose_state_moves_are_counted_and_weighed() -> None:
    told = figures(grouped(1), key_bytes=100.0, row_bytes=1.0)
    both, whole = considered(told)
    one, half = considered(replace(told, carried=("region",)))
    none, free = considered(replace(told, carried=()))
    assert both.keys > one.keys > none.keys == 0
    assert whole.payback_s > half.payback_s > free.payback_s == 0.0


def test_an_unknown_mode_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"routing: 'on' cannot be used; choose one of off, advise, act"):
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
    loop = Loop(engine, policy_named("static", routing=RoutingSettings(mode)), store)
    loop.run_cycle(loop.start(), 10.0)
    assert len(engine.steps) == steps


def test_a_table_that_is_kept_moves_fewer_keys_and_lists_all() -> None:
    old, new = grouped(1), grouped(1) + grouped(2)
    served = figures(new, table=route_links({LINK: old}, 6))
    (anew, _), (kept, estimate) = (considered(served, RoutingSettings("act", keep=keep)) for keep in (False, True))
    assert kept.keys < anew.keys
    assert estimate.keys == kept.keys
    assert set(kept.after.keys["region"]) == set(new.left())


def test_a_server_that_carried_too_much_of_late_is_to_get_less() -> None:
    pairs, even = grouped(1), (1000.0,) * 6  # of 6,000 rows
    told = figures(pairs, table=route_links({LINK: pairs}, 6), got=dict.fromkeys(LINK, even))
    for carried, most in ((even, 1030.0), ((2000.0, *(800.0,) * 5), 530.0)):  # half of the excess is given back
        reroute, _ = considered(replace(told, got={**told.got, "region": carried}), RoutingSettings("act", keep=True))
        rows = pairs.left()
        assert sum(rows[key] for key, server in reroute.after.keys["region"].items() if server == 0) <= most + 1
