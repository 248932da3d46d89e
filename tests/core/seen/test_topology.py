"""Topologies: order, rates and the errors of bad ones."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.seen.topology import Topology
from penstock.errors import ConfigError
from tests.core.random_dags import split_evenly, topologies

DIAMOND = Topology({"spout": ["A"], "A": ["B", "C"], "B": ["D"], "C": ["D"]})


def test_operators_stand_in_topological_order() -> None:
    assert DIAMOND.operators == ("spout", "A", "B", "C", "D")
    assert (DIAMOND.sources, DIAMOND.sinks) == (("spout",), ("D",))
    assert (DIAMOND.parents("D"), DIAMOND.children("A")) == (("B", "C"), ("B", "C"))


def test_one_operator_alone_is_source_and_sink() -> None:
    alone = Topology({"only": []})
    assert (alone.sources, alone.sinks, alone.rates(5.0)) == (("only",), ("only",), {"only": 5.0})


@pytest.mark.parametrize(
    ("rate", "selectivity", "expected"),
    [
        (100.0, {}, {"spout": 100.0, "A": 100.0, "B": 100.0, "C": 100.0, "D": 200.0}),  # duplicates, then interleaves
        (100.0, {("A", "B"): 0.8}, {"spout": 100.0, "A": 100.0, "B": 80.0, "C": 100.0, "D": 180.0}),
        (10.0, {("A", "B"): 0.5, ("A", "C"): 0.5}, {"spout": 10.0, "A": 10.0, "B": 5.0, "C": 5.0, "D": 10.0}),
        (10.0, {("spout", "A"): 3.0, ("B", "D"): 0.0}, {"spout": 10.0, "A": 30.0, "B": 30.0, "C": 30.0, "D": 30.0}),
        ({"spout": 7.0}, {}, {"spout": 7.0, "A": 7.0, "B": 7.0, "C": 7.0, "D": 14.0}),
        ({}, {}, dict.fromkeys(("spout", "A", "B", "C", "D"), 0.0)),
    ],
)
def test_rates_follow_the_edges(rate: Any, selectivity: Any, expected: dict[str, float]) -> None:
    assert DIAMOND.rates(rate, selectivity) == expected


def test_sources_may_have_rates_of_their_own() -> None:
    join = Topology({"left": ["join"], "right": ["join"]})
    assert join.rates({"left": 3.0, "right": 4.0})["join"] == 7.0
    assert join.rates(5.0)["join"] == 10.0  # a number is the rate of every source


@pytest.mark.parametrize(
    ("children", "message"),
    [
        ({}, "topology: {} cannot be used; write each operator with the list"),
        (["a", "b"], "topology: ['a', 'b'] cannot be used; write each operator with the list"),
        ({"a": ["b"], "b": ["a"]}, "remove an edge of this cycle"),
        ({"a": ["a"]}, "topology: 'a -> a' cannot be used; remove an edge of this cycle"),
        ({"a": ["b"], "b": ["c"], "c": ["b"]}, "remove an edge of this cycle"),
        ({"a": "bc"}, "topology['a']: 'bc' cannot be used; write a list of operator names"),
        ({"a": None}, "topology['a']: missing; write a list of operator names"),
        ({"a": ["b", "b"]}, "topology['a']: 'b' cannot be used; name each child once"),
        ({"a": [1]}, "topology['a']: 1 cannot be used; name operators with non-empty text"),
        ({"": ["a"]}, "topology['']: '' cannot be used; name operators with non-empty text"),
    ],
)
def test_a_bad_topology_is_refused(children: Any, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Topology(children)
    assert message in str(caught.value)


def test_a_cycle_is_shown_in_the_direction_of_its_edges() -> None:
    with pytest.raises(ConfigError) as caught:
        Topology({"a": ["b"], "b": ["c"], "c": ["a"]})
    assert caught.value.value in ("a -> b -> c -> a", "b -> c -> a -> b", "c -> a -> b -> c")


@pytest.mark.parametrize(
    ("rate", "selectivity", "message"),
    [
        (-1.0, {}, "rate: -1.0 cannot be used; write rows per second, zero or more"),
        (math.nan, {}, "rate: nan"),
        (math.inf, {}, "rate: inf"),
        ("100", {}, "rate: '100'"),
        ({"A": 1.0}, {}, "rate['A']: 'A' cannot be used; name a source: spout"),
        ({"spout": -1.0}, {}, "rate['spout']: -1.0"),
        (1.0, {("A", "D"): 0.5}, "selectivity[('A', 'D')]: ('A', 'D') cannot be used; name an edge of the topology"),
        (1.0, {("A", "B"): -0.5}, "selectivity[('A', 'B')]: -0.5"),
        (1.0, {("A", "B"): math.nan}, "selectivity[('A', 'B')]: nan"),
    ],
)
def test_a_bad_rate_or_selectivity_is_refused(rate: Any, selectivity: Any, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        DIAMOND.rates(rate, selectivity)
    assert message in str(caught.value)


@given(topologies(), st.floats(0.0, 1e6))
def test_what_is_split_sums_up_to_what_the_sources_took_in(topology: Topology, rate: float) -> None:
    rates = topology.rates(rate, split_evenly(topology))
    taken_in = sum(rates[source] for source in topology.sources)
    assert sum(rates[sink] for sink in topology.sinks) == pytest.approx(taken_in)


@given(topologies(), st.floats(0.0, 1e6), st.floats(0.0, 10.0))
def test_rates_grow_in_proportion(topology: Topology, rate: float, factor: float) -> None:
    small, large = topology.rates(rate), topology.rates(rate * factor)
    assert large == pytest.approx({operator: value * factor for operator, value in small.items()})


@given(topologies())
def test_every_parent_stands_before_its_children(topology: Topology) -> None:
    place = {operator: index for index, operator in enumerate(topology.operators)}
    assert all(place[parent] < place[child] for parent, child in topology.edges)
    assert sorted(place) == sorted({*topology.sources, *(child for _, child in topology.edges)})
