"""Simulated time for the loop: waiting for an instant makes the world live up to it."""

from collections.abc import Callable


class SimClock:
    """Seconds since the start of the run; `goes_on` says before each wait whether there is time left to wait for it."""

    def __init__(self, advance_to: Callable[[float], None], goes_on: Callable[[], bool] = lambda: True) -> None:
        self._advance_to = advance_to
        self._goes_on = goes_on
        self._now = 0.0
        self.in_time = True  # it was never told to stop

    def now(self) -> float:
        """Seconds since the start of the run."""
        return self._now

    def wait_until(self, at_s: float) -> bool:
        """Let the world live until then."""
        self.in_time = self._goes_on()
        if self.in_time:
            self._advance_to(at_s)
            self._now = at_s
        return self.in_time
