"""The way to coordinators whose connections end: what stands between, or a program that dies, ends them in some way."""

import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress

import pytest

from penstock.engines.applications.link import Link
from penstock.errors import OutageError

pytestmark = pytest.mark.sockets

AT_ONCE = struct.pack("ii", 1, 0)  # whoever is connected hears that the connection was reset


def test_connections_that_end_without_an_answer_are_told_alike_however_they_end() -> None:
    with ending() as port, closing(Link([f"http://127.0.0.1:{port}"], "ours")) as link:
        said = [failed(link) for _ in range(4)]
    assert set(said) == {f"no coordinator answers: 127.0.0.1:{port}: the connection was ended without an answer"}


def failed(link: Link) -> str:
    with pytest.raises(OutageError) as found:
        link.say(b"a report")
    return str(found.value)


@contextmanager
def ending() -> Iterator[int]:
    """Every other connection is reset, the others are closed."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=_end_all, args=(listening,))
        thread.start()
        try:
            yield listening.getsockname()[1]
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            thread.join()


def _end_all(listening: socket.socket) -> None:
    resets = False
    with suppress(OSError):
        while True:
            here, _ = listening.accept()
            here.recv(65536)
            if resets:
                here.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, AT_ONCE)
            here.close()
            resets = not resets
