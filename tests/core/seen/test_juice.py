"""Juice: the paper's examples to the last digit, and the laws of equations 5 and 6."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.seen.juice import juice
from penstock.core.seen.topology import Edge, Topology
from penstock.errors import ConfigError
from tests.core.random_dags import topologies

FORK = Topology({"spout": ["A"], "A": ["B", "C"], "B": ["D"], "C": ["D"]})
FORK_SENT = {("spout", "A"): 10_000, ("A", "B"): 8_000, ("A", "C"): 8_000, ("B", "D"): 8_000, ("C", "D"): 6_000}
FORK_DONE = {**FORK_SENT, ("A", "C"): 6_000}

MERGE = Topology({"spout1": ["A"], "spout2": ["D"], "A": ["B"], "D": ["E"], "E": ["B", "F"], "B": ["C"]})
MERGE_SENT: dict[Edge, float] = {
    ("spout1", "A"): 10_000,
    ("spout2", "D"): 10_000,
    ("A", "B"): 5_000,
    ("D", "E"): 10_000,
    ("E", "B"): 2_500,
    ("E", "F"): 2_500,
    ("B", "C"): 7_500,
}
MERGE_DONE: dict[Edge, float] = {**MERGE_SENT, ("spout1", "A"): 5_000, ("D", "E"): 5_000, ("E", "F"): 2_000}

PAIR = Topology({"s": ["left", "right"]})


def test_example_1_of_the_paper() -> None:
    result = juice(FORK, FORK_SENT, FORK_DONE)
    assert result.total == 0.875  # 0.5 by way of B, and 1 x 6/16 = 0.375 by way of C
    assert result.per_operator == {"spout": 1.0, "A": 1.0, "B": 0.5, "C": 0.375, "D": 0.875}


def test_example_2_of_the_paper() -> None:
    result = juice(MERGE, MERGE_SENT, MERGE_DONE)
    assert result.total == 0.475  # (0.75 + 0.2) / 2 sources
    assert [result.per_operator[name] for name in "ADEBFC"] == [0.5, 1.0, 0.5, 0.75, 0.2, 0.75]


def test_a_filter_that_lets_nothing_pass_has_lost_nothing() -> None:
    result = juice(FORK, {("spout", "A"): 100.0}, {("spout", "A"): 100.0})
    assert result.per_operator == {"spout": 1.0, "A": 1.0, "B": 0.5, "C": 0.5, "D": 1.0}


def test_a_queue_that_drains_counts_as_all_of_it() -> None:
    assert juice(PAIR, {("s", "left"): 10, ("s", "right"): 10}, {("s", "left"): 15, ("s", "right"): 10}).total == 1.0


def test_nothing_executed_is_no_juice() -> None:
    assert juice(FORK, FORK_SENT, {}).total == 0.0


def test_a_micro_batch_source_loses_what_it_has_not_taken() -> None:
    result = juice(FORK, FORK_SENT, FORK_DONE, taken={"spout": (50, 100)})
    assert result.total == 0.5 * 0.875
    assert juice(FORK, FORK_SENT, FORK_SENT, taken={"spout": (0, 0)}).total == 1.0
    assert juice(FORK, FORK_SENT, FORK_SENT, taken={"spout": (120, 100)}).total == 1.0


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        (None, 0.75),  # left has 5 of 10 sent to it, right all: (5 + 10) / 20
        ({}, 0.75),
        ({"left": 1.0, "right": 1.0}, 0.75),
        ({"left": 3.0}, 0.625),  # (3 x 0.25 + 1 x 0.5) / (3 x 0.5 + 1 x 0.5)
        ({"left": 0.0}, 1.0),
        ({"right": 0.0}, 0.5),
    ],
)
def test_weights_say_which_sink_counts_more(weights: Any, expected: float) -> None:
    sent = {("s", "left"): 10, ("s", "right"): 10}
    assert juice(PAIR, sent, {**sent, ("s", "left"): 5}, weights).total == expected


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"sent": {("spout", "D"): 1}}, "sent[('spout', 'D')]: ('spout', 'D') cannot be used; name an edge"),
        ({"executed": {("X", "Y"): 1}}, "executed[('X', 'Y')]"),
        ({"sent": {("A", "B"): -1}}, "sent[('A', 'B')]: -1 cannot be used; write a number of zero or more"),
        ({"executed": {("A", "B"): math.nan}}, "executed[('A', 'B')]: nan"),
        ({"weights": {"B": 1.0}}, "weights['B']: 'B' cannot be used; name a sink: D"),
        ({"weights": {"D": -1.0}}, "weights['D']: -1.0"),
        ({"weights": {"D": 0.0}}, "weights: {'D': 0.0} cannot be used; give at least one sink"),
        ({"taken": {"A": (1, 1)}}, "taken['A']: 'A' cannot be used; name a source: spout"),
        ({"taken": {"spout": (-1, 10)}}, "taken['spout']: -1 cannot be used"),
        ({"taken": {"spout": (1, math.inf)}}, "taken['spout']: inf cannot be used"),
    ],
)
def test_bad_counts_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        juice(FORK, **{"sent": FORK_SENT, "executed": FORK_DONE, **arguments})
    assert message in str(caught.value)


@given(st.data(), topologies())
def test_without_loss_juice_is_1(data: st.DataObject, topology: Topology) -> None:
    sent = {edge: data.draw(st.floats(0.0, 1e6)) for edge in topology.edges}
    assert juice(topology, sent, sent).total == pytest.approx(1.0)


@given(st.data(), topologies())
def test_juice_lies_between_0_and_1_and_falls_with_what_is_lost(data: st.DataObject, topology: Topology) -> None:
    sent = {edge: data.draw(st.floats(0.0, 1e6)) for edge in topology.edges}
    some = {edge: count * data.draw(st.floats(0.0, 1.5)) for edge, count in sent.items()}
    fewer = {edge: count * data.draw(st.floats(0.0, 1.0)) for edge, count in some.items()}
    weights = {sink: data.draw(st.floats(0.1, 9.0)) for sink in topology.sinks}
    for chosen in (None, weights):
        more, less = juice(topology, sent, some, chosen).total, juice(topology, sent, fewer, chosen).total
        assert 0.0 <= less <= more + 1e-9
        assert more <= 1.0
