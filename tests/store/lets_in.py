"""A PostgreSQL that lets everybody in and then answers nothing, as where its processes were stopped."""

import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

_LET_IN = (b"R", struct.pack("!i", 0))
_SPEAKS = [(b"S", said) for said in (b"server_version\x0016.0\0", b"client_encoding\0UTF8\0")]
_READY = (b"Z", b"I")


@contextmanager
def letting_in() -> Iterator[str]:
    """Its URL."""
    with ExitStack() as held, socket.create_server(("127.0.0.1", 0)) as door:
        threading.Thread(target=_let_in, args=(door, held), daemon=True).start()
        yield f"postgresql://ann@127.0.0.1:{door.getsockname()[1]}/runs?gssencmode=disable&sslmode=disable"
        door.shutdown(socket.SHUT_RDWR)


def _let_in(door: socket.socket, held: ExitStack) -> None:
    while True:
        try:
            connection = held.enter_context(door.accept()[0])
        except OSError:  # it is over
            return
        connection.recv(1024)  # who asks to come in
        connection.sendall(b"".join(_message(*part) for part in (_LET_IN, *_SPEAKS, _READY)))


def _message(kind: bytes, body: bytes) -> bytes:
    return kind + struct.pack("!i", 4 + len(body)) + body
