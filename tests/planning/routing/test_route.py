"""Routing: every key assigned once, servers balanced, correlated keys together, few keys moved."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.known.routing_table import RoutingTable
from penstock.core.seen.pairs import PairCounts
from penstock.errors import ConfigError
from penstock.local.cutting_process import cut
from penstock.planning.routing.graph import graph_of, graph_of_links
from penstock.planning.routing.judging import judge, judge_part
from penstock.planning.routing.methods import METHODS
from penstock.planning.routing.partition import metis_partition
from penstock.planning.routing.relabel import relabelled
from penstock.planning.routing.route import route, route_links
from tests.planning.routing.cases import few_pairs, grouped, keys_of, light

TAGS = {
    ("Asia", "#java"): 3463,
    ("Asia", "#ruby"): 3011,
    ("Oceania", "#java"): 1201,
    ("Oceania", "#python"): 3108,
}


@pytest.mark.parametrize("method", METHODS)
@given(pairs=few_pairs, servers=st.integers(1, 9))
@settings(deadline=None, max_examples=25)
def test_every_key_is_assigned_exactly_one_server_that_exists(method: str, pairs: PairCounts, servers: int) -> None:
    table = route(pairs, servers, method=method)
    assert keys_of(table) == {"left": set(pairs.left()), "right": set(pairs.right())}
    assert all(0 <= server < servers for keys in table.keys.values() for server in keys.values())


@pytest.mark.parametrize("method", ["metis", "greedy"])
@given(seed=st.integers(0, 10_000), servers=st.integers(2, 6))
@settings(deadline=None, max_examples=8)
def test_no_server_gets_more_than_the_bound_where_keys_are_light_enough(method: str, seed: int, servers: int) -> None:
    pairs = light(seed)
    assert max(pairs.left().values()) <= 0.03 * pairs.rows / servers  # what makes it feasible for certain
    assert route(pairs, servers, method=method).imbalance <= 1.03 + 1e-6


@pytest.mark.parametrize("racks", [None, (3, 3)])
def test_a_table_is_the_same_wherever_metis_computes(
    racks: tuple[int, ...] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    aside = [route(grouped(seed), 6, racks=racks) for seed in range(3)]
    monkeypatch.setattr("penstock.planning.routing.metis.cut_aside", cut)
    assert [route(grouped(seed), 6, racks=racks) for seed in range(3)] == aside


@given(seed=st.integers(0, 10_000))
@settings(deadline=None, max_examples=8)
def test_correlated_keys_are_kept_together_far_better_than_hashing_does(seed: int) -> None:
    pairs = grouped(seed)
    hashed, greedy, metis = (route(pairs, 6, method=method).locality for method in ("hash", "greedy", "metis"))
    assert metis > hashed + 0.4
    assert metis >= greedy > hashed


@pytest.mark.parametrize("method", METHODS)
@given(pairs=few_pairs)
@settings(deadline=None, max_examples=20)
def test_what_a_table_says_of_itself_is_what_judging_it_says(method: str, pairs: PairCounts) -> None:
    table = route(pairs, 3, method=method)
    judged = judge(table, graph_of(pairs))
    assert (table.locality, table.imbalance) == (judged.locality, judged.imbalance)


@given(seed=st.integers(0, 10_000))
@settings(deadline=None, max_examples=10)
def test_servers_named_after_the_table_before_never_move_more_keys(seed: int) -> None:
    before = route(grouped(seed, rows=1500), 4)
    newer = grouped(seed + 1, rows=1500)
    graph = graph_of(newer)
    part, lived = metis_partition(graph, 4, 1.03), graph.part(before.keys)
    renamed = relabelled(part, lived, 4)
    assert ((renamed != lived) & (lived >= 0)).sum() <= ((part != lived) & (lived >= 0)).sum()
    assert judge_part(graph, renamed, 4).locality == judge_part(graph, part, 4).locality


@given(seed=st.integers(0, 10_000))
@settings(deadline=None, max_examples=5)
def test_a_table_that_follows_another_is_at_least_as_local_and_moves_fewer_keys(seed: int) -> None:
    before = route(grouped(seed, rows=1500), 4)
    newer = grouped(seed + 1, rows=1500)
    fresh, following = route(newer, 4), route(newer, 4, before=before)
    assert following.locality >= fresh.locality - 0.01
    assert len(following.moved_from(before)) <= len(fresh.moved_from(before))


def test_the_same_pairs_in_another_order_give_the_same_table() -> None:
    pairs = grouped(3)
    turned = PairCounts.exact(dict(reversed(list(pairs.pairs.items()))))
    assert route(pairs, 6) == route(turned, 6)


def test_hashing_is_told_like_any_other_table() -> None:
    table = route(TAGS, servers=6, method="hash")
    assert set(table.left) == {"Asia", "Oceania"}
    assert table.imbalance >= 1.0


def test_the_heaviest_pair_shares_a_server() -> None:
    table = route(pairs=TAGS, servers=2, imbalance=1.03)
    assert table.left["Asia"] == table.right["#java"]
    assert table.left["Oceania"] == table.right["#python"] != table.left["Asia"]


def test_a_chain_of_three_operators_keeps_rows_on_one_server_all_the_way() -> None:
    hop = PairCounts.exact({(n, n): 10 for n in range(12)})
    table = route_links({("a", "b"): hop, ("b", "c"): hop}, 4)
    assert table.locality == 1.0
    assert table.imbalance == pytest.approx(1.0)
    assert table.keys["a"] == table.keys["b"] == table.keys["c"]


def test_a_diamond_of_operators_is_routed_as_one_graph() -> None:
    hop = PairCounts.exact({(n, n): 10 for n in range(12)})
    links = {("a", "b"): hop, ("a", "c"): hop, ("b", "d"): hop, ("c", "d"): hop}
    assert graph_of_links(links).operators == ("a", "b", "c", "d")
    assert route_links(links, 3).locality == 1.0


def test_operators_that_feed_each_other_in_a_circle_are_refused() -> None:
    hop = PairCounts.exact({(1, 1): 10})
    with pytest.raises(ConfigError, match=r"links: \['a', 'b'\] cannot be used; operators must not feed themselves"):
        route_links({("a", "b"): hop, ("b", "a"): hop}, 2)


@given(seed=st.integers(0, 1000))
@settings(deadline=None, max_examples=6)
def test_racks_keep_rows_in_their_rack_where_balance_does_not_let_them_stay_on_their_server(seed: int) -> None:
    pairs = grouped(seed, groups=4)  # two groups for each rack, larger than a server
    graph = graph_of(pairs)
    flat = judge(route(pairs, 8), graph, racks=[4, 4])
    table = route(pairs, 8, racks=[4, 4])
    racked = judge(table, graph, racks=[4, 4])
    assert racked.rack_locality is not None
    assert flat.rack_locality is not None
    # A row that stays in its rack is worth half of one that stays on its server: the sum of both shares is what counts.
    assert racked.locality + racked.rack_locality >= flat.locality + flat.rack_locality - 0.02
    assert table.imbalance <= 1.03 + 1e-6


def test_keys_are_named_within_racks_so_that_most_stay() -> None:
    pairs = grouped(5, groups=4)
    before = route(pairs, 6, racks=[3, 3])
    assert route(pairs, 6, racks=[3, 3], before=before).moved_from(before) == ()


def test_no_pairs_make_an_empty_table() -> None:
    assert route({}, servers=3).keys == {"left": {}, "right": {}}
    assert route({}, servers=3) == RoutingTable(3, {"left": {}, "right": {}})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"servers": 0}, r"servers: 0 cannot be used; write a whole number"),
        ({"servers": 2.5}, r"servers: 2\.5 cannot be used"),
        ({"servers": 2, "imbalance": 0.9}, r"imbalance: 0\.9 cannot be used; write 1 \(perfectly even\) or more"),
        ({"servers": 2, "method": "metiss"}, r"method: 'metiss' cannot be used; choose one of metis, greedy, hash"),
        (
            {"servers": 3, "racks": [2, 2]},
            r"racks: \[2, 2\] cannot be used; write how many servers each rack has, 3 in",
        ),
    ],
)
def test_arguments_that_make_no_sense_are_refused(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        route(TAGS, **arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize("imbalance", [1e7, 1e300, 1.7e308])
def test_an_imbalance_beyond_all_measure_bounds_nothing(imbalance: float) -> None:
    assert route(TAGS, 2, imbalance).imbalance >= 1.0
