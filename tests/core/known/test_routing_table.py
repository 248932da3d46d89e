"""Routing tables say where a key lives, and two of them what moves."""

import pytest

from penstock.core.known.routing_table import KeyMove, RoutingTable
from penstock.errors import ConfigError
from penstock.store.codec import decode, encode

TABLE = RoutingTable(3, {"left": {"Asia": 0, 7: 2}, "right": {("x", 1): 1}})


def test_a_key_that_is_not_listed_has_no_server() -> None:
    assert TABLE.server("left", "Asia") == 0
    assert TABLE.server("left", "Europe") is TABLE.server("no such operator", "Asia") is None


def test_left_and_right_are_the_first_two_operators_whatever_their_names() -> None:
    chain = RoutingTable(2, {"a": {1: 0}, "b": {2: 1}, "c": {3: 0}})
    assert (chain.left, chain.right, chain.operators) == ({1: 0}, {2: 1}, ("a", "b", "c"))
    assert RoutingTable(2).left == {}


def test_a_server_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"keys\.left\['Asia'\]: 3 cannot be used; a server is 0 to 2"):
        RoutingTable(3, {"left": {"Asia": 3}})


def test_two_tables_tell_every_key_that_moves_comes_or_goes() -> None:
    new = RoutingTable(3, {"left": {"Asia": 1, "Europe": 0}, "right": {("x", 1): 1}})
    assert new.moved_from(TABLE) == (
        KeyMove("left", "Asia", 0, 1),
        KeyMove("left", 7, 2, None),
        KeyMove("left", "Europe", None, 0),
    )
    assert TABLE.moved_from(TABLE) == ()


def test_a_stored_table_reads_back_the_same_with_text_number_and_composite_keys() -> None:
    assert decode(encode(TABLE), RoutingTable) == TABLE
