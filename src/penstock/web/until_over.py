"""A server that serves until it is told that it is over, and remembers what else ended it."""

import contextlib
import signal
import socket
import threading
from collections.abc import Callable, Iterator

import uvicorn

from penstock.errors import told


class UntilOver(uvicorn.Server):
    """`begun` hears that it listens; `ended` says what ended it, where nobody did."""

    def __init__(self, config: uvicorn.Config, over: threading.Event, begun: Callable[[], None]) -> None:
        super().__init__(config)
        self._over = over
        self._begun = begun
        self.ended = "by itself"

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Ctrl-C and SIGTERM end the serving and nothing else: whoever serves then puts its things away in order.

        A server in a thread of its own leaves them to whoever has the main thread.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, and say so."""
        await super().startup(sockets)
        self._begun()

    async def main_loop(self) -> None:
        """Answer until something ends it: after an error, too, whoever is connected is let go."""
        try:
            await super().main_loop()
        except BaseException as error:  # asyncio has kinds of its own
            self.ended = told(error)

    async def on_tick(self, counter: int) -> bool:
        """Ten times a second: whether it ends."""
        return self._over.is_set() or await super().on_tick(counter)
