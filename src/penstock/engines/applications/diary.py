"""What was done in the fleet without a decision, told to everybody who asks."""

from collections import deque
from collections.abc import Callable
from math import inf, nextafter

from penstock.core.seen.deeds import Deed
from penstock.engines.deed_log import put_forward
from penstock.errors import in_a_line

_MOST = 1000


class FleetDiary:
    """The last deeds, each at an instant of its own, on the clock of whoever asks.

    No `DeedLog` as a driver's engine has: that one forgets by time and leaves out what it said a minute ago, for upkeep
    finds the same again every half second. Here each deed is news, and may be older than the run.
    """

    def __init__(self, even: Callable[[], float]) -> None:
        self._even = even
        self._deeds: deque[Deed] = deque(maxlen=_MOST)
        self._ahead_s: float | None = None  # of our clock is theirs

    def note(self, job: str | None, text: str, why: str, error: str | None = None) -> None:
        """Something was done, or happened."""
        last_s = self._deeds[-1].at_s if self._deeds else -inf
        at_s = max(self._even(), nextafter(last_s, inf))
        self._deeds.append(Deed(at_s, job, text, in_a_line(why), error and in_a_line(error)))

    def told(self, now: float) -> tuple[Deed, ...]:
        """All of the last ones, each at one instant however often it is told; those before the run at its begin."""
        if self._ahead_s is None:
            self._ahead_s = now - self._even()
        return put_forward(self._deeds, self._ahead_s)
