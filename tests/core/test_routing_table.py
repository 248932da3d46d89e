"""Routing tables say where a key lives, and two of them what moves; epochs never change once published."""

import pytest

from penstock.core.pairs import Key
from penstock.core.routing_table import Epochs, Move, RoutingTable
from penstock.errors import ConfigError
from penstock.store.codec import decode, encode

TABLE = RoutingTable(3, {"left": {"Asia": 0, 7: 2}, "right": {("x", 1): 1}}, salts={"left": {"Asia": 5}})


def test_a_key_that_is_not_listed_goes_where_the_engine_hashes_it() -> None:
    def hashed(key: Key) -> int:
        return 2

    assert TABLE.place("left", "Asia", hashed) == 0
    assert TABLE.place("left", "Europe", hashed) == 2
    assert TABLE.place("no such operator", "Asia", hashed) == 2


def test_keys_without_a_salt_are_plainly_hashed() -> None:
    assert TABLE.salt("left", "Asia") == 5
    assert TABLE.salt("left", "Europe") == TABLE.salt("right", "Asia") == 0
    assert TABLE.salted({"left": {"Asia": 9}}).salt("left", "Asia") == 9


def test_left_and_right_are_the_first_two_operators_whatever_their_names() -> None:
    chain = RoutingTable(2, {"a": {1: 0}, "b": {2: 1}, "c": {3: 0}})
    assert (chain.left, chain.right, chain.operators) == ({1: 0}, {2: 1}, ("a", "b", "c"))
    assert RoutingTable(2).left == {}


def test_a_server_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"keys\.left\['Asia'\]: 3 will not do; a server is 0 to 2"):
        RoutingTable(3, {"left": {"Asia": 3}})


def test_two_tables_tell_every_key_that_moves_comes_or_goes() -> None:
    new = RoutingTable(3, {"left": {"Asia": 1, "Europe": 0}, "right": {("x", 1): 1}})
    assert new.moved_from(TABLE) == (
        Move("left", "Asia", 0, 1),
        Move("left", 7, 2, None),
        Move("left", "Europe", None, 0),
    )
    assert TABLE.moved_from(TABLE) == ()


def test_a_stored_table_reads_back_the_same_with_text_number_and_composite_keys() -> None:
    epochs = Epochs().published(TABLE, 10.0)
    assert decode(encode(epochs), Epochs) == epochs


def test_before_the_first_epoch_there_is_no_table() -> None:
    assert Epochs().at(0.0) is None
    assert Epochs().newest is None
    assert Epochs().published(TABLE, 10.0).at(9.9) is None


def test_an_epoch_that_does_not_begin_after_the_last_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"from_s: 10\.0 will not do; a new epoch begins after 10"):
        Epochs().published(TABLE, 10.0).published(TABLE, 10.0)
