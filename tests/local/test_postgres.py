"""A server's port is its own from before it starts."""

import socket

import pytest

from penstock.local.postgres import held_port


def test_a_held_port_is_refused_to_others_and_a_server_that_reuses_addresses_listens_at_it() -> None:
    with held_port() as port, socket.socket() as stranger, socket.socket() as server:
        with pytest.raises(OSError, match="in use"):
            stranger.bind(("127.0.0.1", port))
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.bind(("127.0.0.1", port))
        server.listen()
        socket.create_connection(("127.0.0.1", port)).close()
