"""The two clocks of an engine: by the wall's Spark tells time; whatever lasts is measured by one that nobody sets."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import Event

from penstock.engines.spark.watch.events import Now


@dataclass(frozen=True, slots=True)
class Clocks:
    """Both in seconds; the wall's since the epoch. `pause` waits for what is to be over, for so long at most."""

    wall: Callable[[], float] = time.time
    even: Callable[[], float] = time.monotonic
    pause: Callable[[Event, float], bool] = Event.wait

    def now(self) -> Now:
        """This instant on both."""
        return Now(self.wall(), self.even())
