"""Spark's calls into this process (listeners, functions of foreachBatch) find somebody for as long as it lives.

One thread of py4j's takes them. It ends for good at its first error, as where no descriptor is left for a moment, and
its socket stays open: queries that are started then wait for an answer without end. Here it goes on listening.
"""

import logging
import os
import time
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from py4j.java_gateway import server_connection_error, server_stopped

from penstock.engines.spark.told.said_once import SaidOnce
from penstock.errors import GoverningEndsError, told
from penstock.threads import BesideThread

_AGAIN_AFTER_S = 1.0
_HOLDS_S = 10.0  # who has listened for so long listens again
_GIVES_UP_AFTER_S = 300.0  # a new driver has all that this one lacks

_log = logging.getLogger("penstock.spark")


def check_callbacks(gateway: Any) -> None:
    """Have the gateway's server for such calls go on, if it has one; an error that ends governing where it cannot."""
    server = getattr(gateway, "__dict__", {}).get("_callback_server")  # anything else it would look for in the JVM
    if server is None:
        return
    if server not in _KEPT:
        _KEPT[server] = KeptServer(server)
    _KEPT[server].check()


class KeptServer:
    """A server of py4j's that is begun again, by the thread that would have ended."""

    def __init__(
        self,
        server: Any,
        clock: Callable[[], float] = time.monotonic,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._server = server
        self._clock = clock
        self._pause = pause
        self._said = SaidOnce()
        self._why = "it ended before"
        self._goes_on = False
        self._lost: str | None = None
        server_connection_error.connect(self._failed, server)
        server_stopped.connect(self._stopped, server)
        if self._wanted() and not server.thread.is_alive():
            BesideThread(self._stopped, "penstock-callbacks").start()

    def check(self) -> None:
        """An error that ends governing once it could not be begun again for long."""
        if self._lost is not None:
            raise GoverningEndsError(self._lost)

    def _failed(self, error: BaseException, **of_the_signal: object) -> None:
        self._why = told(error)
        self._said.warn("callbacks", "Spark's calls into this process are not taken; they will be again", self._why)

    def _stopped(self, **of_the_signal: object) -> None:
        """In the server's thread; each of its runs that ends sends this, those that are begun here as well."""
        if self._goes_on:
            return
        self._goes_on = True
        try:
            self._go_on()
        finally:
            self._goes_on = False

    def _go_on(self) -> None:
        since_s = self._clock()
        while self._wanted():
            if self._clock() - since_s > _GIVES_UP_AFTER_S:
                self._lost = f"Spark's calls into this process find nobody: {self._why}"
                return
            if self._has_room() and self._listened_s() > _HOLDS_S:
                since_s = self._clock()
                self._said.well("callbacks")
            elif self._wanted():
                self._pause(_AGAIN_AFTER_S)

    def _listened_s(self) -> float:
        begun_s = self._clock()
        self._server.run()
        return self._clock() - begun_s

    def _wanted(self) -> bool:
        """Whether nobody has shut it down."""
        return self._server.server_socket is not None and not self._server.is_shutdown

    def _has_room(self) -> bool:
        """Whether a descriptor is left for the next who calls; else it would end at once, with a traceback."""
        try:
            os.close(os.dup(self._server.server_socket.fileno()))
        except (OSError, AttributeError):  # the latter where it is shut down just now
            return False
        return True


_KEPT: "WeakKeyDictionary[Any, KeptServer]" = WeakKeyDictionary()
