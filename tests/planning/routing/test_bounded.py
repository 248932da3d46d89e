"""A bound on moves is kept, spent where it gains, and nobody is overloaded by it."""

from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.known.routing_table import RoutingTable
from penstock.planning.routing.bounded import within_moves
from penstock.planning.routing.graph import graph_of
from penstock.planning.routing.judging import judge
from penstock.planning.routing.policy import moving
from penstock.planning.routing.route import route
from tests.planning.routing.cases import grouped

HASHED = RoutingTable(4, {"left": {}, "right": {}})


@given(seed=st.integers(0, 1000), most=st.integers(0, 240))
@settings(deadline=None, max_examples=10)
def test_no_more_keys_move_than_allowed_and_locality_never_falls(seed: int, most: int) -> None:
    pairs = grouped(seed, rows=1500)
    graph = graph_of(pairs)
    wanted = route(pairs, 4)
    bounded = within_moves(graph, HASHED, wanted, most)
    assert len(moving(HASHED, bounded)) <= most
    assert judge(HASHED, graph).locality <= bounded.locality <= wanted.locality + 1e-9
    assert bounded.imbalance <= max(judge(HASHED, graph).imbalance, wanted.imbalance) + 1e-9


@given(seed=st.integers(0, 1000))
@settings(deadline=None, max_examples=5)
def test_half_of_the_moves_bring_more_than_a_third_of_the_gain(seed: int) -> None:
    pairs = grouped(seed, rows=1500)
    graph, wanted = graph_of(pairs), route(pairs, 4)
    half = within_moves(graph, HASHED, wanted, len(moving(HASHED, wanted)) / 2)
    before = judge(HASHED, graph).locality
    assert half.locality - before > (wanted.locality - before) / 3


def test_where_all_may_move_the_wanted_table_is_had_whole() -> None:
    pairs = grouped(1, rows=1500)
    wanted = route(pairs, 4)
    assert within_moves(graph_of(pairs), HASHED, wanted, 10_000).keys == wanted.keys


def test_the_bound_may_be_on_bytes_of_state_and_keys_without_state_move_freely() -> None:
    pairs = grouped(1, rows=1500)
    graph, wanted = graph_of(pairs), route(pairs, 4)
    state = {"left": dict.fromkeys(pairs.left(), 100.0)}  # right keys hold nothing
    bounded = within_moves(graph, HASHED, wanted, 1000.0, state)
    moved = moving(HASHED, bounded)
    assert sum(operator == "left" for operator, _ in moved) <= 10
    assert bounded.locality > judge(HASHED, graph).locality


def test_who_lives_on_a_server_that_is_gone_moves_whatever_the_bound() -> None:
    pairs = grouped(1, rows=1500)
    before = route(pairs, 5)
    bounded = within_moves(graph_of(pairs), before, route(pairs, 4, before=before), 0)
    assert all(server < 4 for keys in bounded.keys.values() for server in keys.values())
    stayed = [key for key, server in before.left.items() if server < 4]
    assert all(bounded.left[key] == before.left[key] for key in stayed)
