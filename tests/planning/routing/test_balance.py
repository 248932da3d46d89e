"""Balancing keeps every operator within its caps, exchanges only gain, and matching is the best there is."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.seen.pairs import PairCounts
from penstock.planning.routing.balance import balanced, best_match, caps_of, polished
from penstock.planning.routing.graph import graph_of
from penstock.planning.routing.judging import judge_part, loads
from tests.planning.routing.cases import few_pairs


@given(pairs=few_pairs, servers=st.integers(2, 5), seed=st.integers(0, 100))
@settings(deadline=None, max_examples=40)
def test_from_any_start_every_operator_ends_within_its_caps_and_exchanges_never_lose(
    pairs: PairCounts, servers: int, seed: int
) -> None:
    graph = graph_of(pairs)
    caps = caps_of(graph, servers, 1.03)
    start = np.random.default_rng(seed).integers(0, servers, len(graph.keys))
    even = balanced(graph, start, caps)
    better = polished(graph, even, caps)
    assert (loads(graph, even, servers) <= caps + 1e-6).all()
    assert (loads(graph, better, servers) <= caps + 1e-6).all()
    assert judge_part(graph, better, servers).locality >= judge_part(graph, even, servers).locality - 1e-9


def test_two_keys_on_full_servers_find_each_other_by_an_exchange() -> None:
    graph = graph_of(PairCounts.exact({("a", "x"): 10, ("b", "y"): 10}))
    crossed = np.array([0, 1, 1, 0])  # a and y, b and x
    caps = caps_of(graph, 2, 1.0)
    assert judge_part(graph, balanced(graph, crossed, caps), 2).locality == 0.0  # no single key has room
    assert judge_part(graph, polished(graph, crossed, caps), 2).locality == 1.0


def test_a_key_too_heavy_for_the_bound_widens_it_for_all_operators_by_no_more_than_it_needs() -> None:
    graph = graph_of(PairCounts.exact({("heavy", "x"): 60, ("a", "y"): 20, ("b", "z"): 20}))
    assert caps_of(graph, 2, 1.03).max() == pytest.approx(60.0)  # 1.2 times the mean of 50
    assert caps_of(graph, 2, 1.03).min() == pytest.approx(60.0)


@given(st.integers(1, 5), st.integers(0, 1000))
def test_matching_is_as_good_as_trying_all(size: int, seed: int) -> None:
    worth = np.random.default_rng(seed).integers(0, 20, (size, size)).astype(float)
    best = max(sum(worth[row, column] for row, column in enumerate(order)) for order in permutations(range(size)))
    match = best_match(worth)
    assert sorted(match.tolist()) == list(range(size))
    assert worth[np.arange(size), match].sum() == best
