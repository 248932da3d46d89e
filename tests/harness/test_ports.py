"""A port of one's own is free, and nobody else's for as long as the run lasts."""

import socket

from tests.harness.ports import own_port


def test_no_two_are_given_the_same_port() -> None:
    assert len({own_port() for _ in range(20)}) == 20


def test_a_port_that_somebody_listens_at_is_passed_over() -> None:
    first = own_port()
    with socket.create_server(("127.0.0.1", first + 1)):
        assert own_port() != first + 1
