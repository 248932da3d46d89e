"""One controller for an application: a lease in the driver's JVM, renewed every round, taken over when it is stale."""

import time
import uuid
from collections.abc import Callable
from typing import Any

from pyspark import SparkContext

from penstock.errors import EngineError

KEY = "penstock.controller"


class ControllerLease:
    """The right to govern this application.

    It lives in the JVM, not in Python, so that it is seen by every driver that shares the application, and
    outlives a controller that died: whoever comes next waits until the lease ran out.
    """

    def __init__(self, context: SparkContext, lease_s: float, wall: Callable[[], float] = time.time) -> None:
        self._properties: Any = context._jvm.java.lang.System.getProperties()  # type: ignore[union-attr]
        self._key = f"{KEY}.{context.applicationId}"
        self._token = uuid.uuid4().hex
        self._lease_s = lease_s
        self._wall = wall
        self._mine: str | None = None

    def take(self) -> None:
        """Become the controller, or raise an EngineError that says who is."""
        fresh = self._value()
        held = self._properties.putIfAbsent(self._key, fresh)
        if held is not None:
            left_s = float(held.split("@")[1]) - self._wall()
            if left_s > 0 or not self._properties.replace(self._key, held, fresh):
                raise EngineError(
                    "another controller governs this application; stop it first, or wait "
                    f"{max(left_s, 0.0):.0f} s in case it died: its lease ends then"
                )
        self._mine = fresh

    def renew(self) -> None:
        """Hold on for another lease; an EngineError when somebody else took over meanwhile."""
        fresh = self._value()
        if self._mine is None or not self._properties.replace(self._key, self._mine, fresh):
            self._mine = None
            raise EngineError("another controller took this application over; this one stops acting")
        self._mine = fresh

    def release(self) -> None:
        """Let others govern; releasing twice is releasing once."""
        if self._mine is not None:
            self._properties.remove(self._key, self._mine)
            self._mine = None

    def _value(self) -> str:
        return f"{self._token}@{self._wall() + self._lease_s:.3f}"
