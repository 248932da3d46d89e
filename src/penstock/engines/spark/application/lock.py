"""One controller for an application: a lease in the driver's JVM, renewed every round, taken over when it is stale."""

import logging
import time
import uuid
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from threading import Event, Lock
from typing import Any

from penstock.engines.spark.application.lease_heart import LeaseHeart
from penstock.errors import EngineError, LeaseLostError

KEY = "penstock.controller"

_log = logging.getLogger("penstock.spark")


class ControllerLease:
    """The right to govern this application.

    It lives in the JVM, not in Python, so that it is seen by every driver that shares the application, and
    outlives a controller that died: whoever comes next waits until the lease ran out. `properties` are
    those of the JVM, or whatever else answers putIfAbsent, replace and remove as they do. `now` is on a clock that all
    of them share and nobody sets: the JVM's own.
    """

    def __init__(
        self,
        properties: Any,
        application: str,
        lease_s: float,
        now: Callable[[], float] = time.monotonic,
        pause: Callable[[Event, float], bool] = Event.wait,
    ) -> None:
        self._properties = properties
        self._key = f"{KEY}.{application}"
        self._token = uuid.uuid4().hex
        self._lease_s = lease_s
        self._now = now
        self._heart = LeaseHeart(self._beat, lease_s / 3, pause)
        self._one_at_a_time = Lock()
        self._mine: str | None = None

    @property
    def ours(self) -> bool:
        """Whether we hold it, as far as we were told."""
        return self._mine is not None

    def take(self) -> None:
        """Become the controller, or raise an EngineError that says who is."""
        fresh = self._value()
        held = self._properties.putIfAbsent(self._key, fresh)
        if held is not None:
            left_s = float(held.split("@")[1]) - self._now()
            if left_s > 0 or not self._properties.replace(self._key, held, fresh):
                raise EngineError(
                    "another controller governs this application; stop it first (in a notebook: call stop() on what "
                    f"ps.govern returned), or wait {max(left_s, 0.0):.0f} s in case it died: its lease ends then"
                )
        self._mine = fresh

    def renew(self) -> None:
        """Hold on for another lease; a LeaseLostError when somebody else took over meanwhile."""
        with self._one_at_a_time:
            fresh = self._value()
            if self._mine is None or not self._properties.replace(self._key, self._mine, fresh):
                self._mine = None
                raise LeaseLostError("another controller took this application over; this one stops acting")
            self._mine = fresh

    def held(self) -> AbstractContextManager[None]:
        """While the block lasts, the lease is renewed every third of it: a deed may block for longer than it lasts.

        That it is lost is heard by whoever asks for it next, by `renew`.
        """
        return self._heart.beating()

    def release(self) -> None:
        """Let others govern; releasing twice is releasing once."""
        self._heart.stop()
        with self._one_at_a_time:
            if self._mine is not None:
                self._properties.remove(self._key, self._mine)
                self._mine = None

    def _beat(self) -> None:
        try:
            with suppress(LeaseLostError):
                self.renew()
        except Exception as error:  # the JVM did not answer: two more beats come before the lease ends
            _log.warning("the lease could not be renewed: %s", error)

    def _value(self) -> str:
        return f"{self._token}@{self._now() + self._lease_s:.3f}"
