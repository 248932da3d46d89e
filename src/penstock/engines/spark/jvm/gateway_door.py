"""The JVM takes new connections of this process for as long as it lives; `callbacks.py` has the other direction.

One thread of py4j's accepts them. It ends for good at its first error, as where no descriptor is left for a moment, and
its socket stays open. Each thread has a connection of its own: rounds go on, and whoever starts a query waits for an
answer without end. Here somebody accepts again, those who wait first.
"""

import logging
import socket
import time
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

_EVERY_S = 5.0
_ANSWERS_WITHIN_S = 2.0

_log = logging.getLogger("penstock.spark")


def check_door(gateway: Any) -> None:
    """See now and then whether the JVM takes a new connection, and have it do so again where it does not."""
    if gateway not in _DOORS:
        _DOORS[gateway] = GatewayDoor()
    _DOORS[gateway].check(gateway)


class GatewayDoor:
    """One JVM's, and when it was tried last."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._next_s = clock()

    def check(self, gateway: Any) -> None:
        """Try it where that is due; whose thread has a connection already is heard all the same.

        A JVM that was only slow has a second thread that accepts from then on, and is none the worse for it.
        """
        if self._clock() < self._next_s:
            return
        if not _opens(gateway.gateway_parameters):
            gateway.jvm.java.lang.Thread(gateway.java_gateway_server, "penstock-gateway").start()
            _log.warning("Spark's JVM took no new connections of this process; they are taken again")
        self._next_s = self._clock() + _EVERY_S


def _opens(where: Any) -> bool:
    """Whether somebody answers who says the password; also where this process itself lacks a descriptor to ask."""
    try:
        with socket.create_connection((where.address, where.port), _ANSWERS_WITHIN_S) as asked:
            asked.settimeout(_ANSWERS_WITHIN_S)
            asked.sendall(f"A\n{where.auth_token}\ne\n".encode())
            return bool(asked.recv(1))
    except (TimeoutError, ConnectionError):
        return False
    except OSError:
        return True


_DOORS: "WeakKeyDictionary[Any, GatewayDoor]" = WeakKeyDictionary()
