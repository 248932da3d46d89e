"""The next table from the one in force."""

from hypothesis import given
from hypothesis import strategies as st

from penstock.core.seen.pairs import PairCounts
from penstock.planning.routing.graph import graph_of
from penstock.planning.routing.judging import judge, loads, placed
from penstock.planning.routing.renew import renewed
from penstock.planning.routing.route import route
from tests.planning.routing.cases import few_pairs, grouped, light

LINK = ("left", "right")


def test_an_even_table_of_the_same_pairs_moves_nothing() -> None:
    pairs = light(1)
    table = renewed({LINK: pairs}, route(pairs, 4))  # moved to where nothing gains any more
    assert renewed({LINK: pairs}, table).moved_from(table) == ()


def test_a_new_key_joins_its_partner_and_no_other_key_moves() -> None:
    table = renewed({LINK: grouped(1)}, route(grouped(1), 3))
    more = grouped(1) + PairCounts.exact({("l0.0", "new"): 5})
    after = renewed({LINK: more}, table, imbalance=1.1)
    assert after.right["new"] == after.left["l0.0"] == table.left["l0.0"]
    assert {move.key for move in after.moved_from(table)} == {"new"}


def test_a_server_that_carried_more_is_to_get_as_much_less() -> None:
    pairs = light(2)
    table = route(pairs, 4)
    uneven = {"left": [130.0, 90.0, 90.0, 90.0], "right": [100.0] * 4}  # 7.5 % of all rows too many on the first
    after = renewed({LINK: pairs}, table, uneven, back=3.0)
    graph = graph_of(pairs)
    left, right = loads(graph, placed(after, graph), 4) / pairs.rows
    assert left[0] < 0.5 / 4 < 0.9 / 4 < min(left[1:])  # 1 / 4 - 3 * 7.5 %, but 0.3 / 4 at the least
    assert max(right) < 1.04 / 4


@given(pairs=few_pairs, old=few_pairs, servers=st.integers(1, 6))
def test_every_key_has_a_server_and_the_table_says_how_it_does(
    pairs: PairCounts, old: PairCounts, servers: int
) -> None:
    table = renewed({LINK: pairs}, route(old, servers))
    assert (set(table.left), set(table.right)) == (set(pairs.left()), set(pairs.right()))
    found = judge(table, graph_of(pairs))
    assert (found.locality, found.imbalance) == (table.locality, table.imbalance)
