"""Real time for the loop, with something to do between rounds."""

import time
from collections.abc import Callable
from threading import Event

_TICK_S = 0.5


class RealClock:
    """Seconds since the run began. `tick` is called every half second while the loop waits, once at least.

    So what is done between rounds is done also where every round is late. Where somebody
    `hurries` the wait is over.
    """

    def __init__(
        self,
        stop: Event,
        tick: Callable[[], None] = lambda: None,
        already_s: float = 0.0,
        hurries: Callable[[], bool] = lambda: False,
    ) -> None:
        # A controller that goes on with an earlier run goes on with its clock: remembered instants stay true.
        self._started_s = time.monotonic() - already_s
        self._stop = stop
        self._tick = tick
        self._hurries = hurries

    def now(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self._started_s

    def wait_until(self, at_s: float) -> bool:
        """Wait; False as soon as the run is told to stop."""
        while not self._stop.is_set():
            self._tick()
            left_s = at_s - self.now()
            if left_s <= 0 or self._hurries():
                return True
            self._stop.wait(min(_TICK_S, left_s))
        return False
