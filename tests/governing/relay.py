"""A way to a coordinator that a test cuts, mends, and leads to somebody else."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class Relay:
    """Connections to its port go on to another one, while there is one that they may go to."""

    def __init__(self, listening: socket.socket, port: int | None) -> None:
        self.port: int = listening.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._listening = listening
        self._to = port
        self._lock = threading.Lock()
        self._open: list[socket.socket] = []

    def lead_to(self, port: int | None) -> None:
        """From now on there; connections that are open end."""
        with self._lock:
            self._to, ended, self._open = port, self._open, []
        for one in ended:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def cut(self) -> None:
        """Nobody who calls is connected to anybody, until it leads somewhere again."""
        self.lead_to(None)

    def run(self) -> None:
        """Until it no longer listens."""
        with suppress(OSError):
            while True:
                here, _ = self._listening.accept()
                self._connect(here)

    def _connect(self, here: socket.socket) -> None:
        with self._lock:
            try:
                there = None if self._to is None else socket.create_connection(("127.0.0.1", self._to))
            except OSError:  # nobody listens
                there = None
            if there is None:
                here.close()
                return
            self._open += [here, there]
        for source, target in ((here, there), (there, here)):
            threading.Thread(target=_copy, args=(source, target), daemon=True).start()


@contextmanager
def relay_to(port: int | None) -> Iterator[Relay]:
    """One that leads there at first, until the block ends."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        relay = Relay(listening, port)
        thread = threading.Thread(target=relay.run, daemon=True)
        thread.start()
        try:
            yield relay
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            thread.join()
            relay.cut()


def _copy(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
