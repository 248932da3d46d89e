"""The pages are gone for a while: who is told, and how soon they are begun again."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass

_AGAIN_S, _AT_MOST_S = 1.0, 30.0  # twice as long each time: another program may keep the port for days
_WELL_S = 60.0  # pages that stayed for so long are begun again as soon as at first

_log = logging.getLogger("penstock")


@dataclass(frozen=True, slots=True)
class _Gone:
    """They are, since then, and why."""

    since_s: float
    why: str


class Absence:
    """One after the other: the log and `tell` hear when it begins, of another reason for it, and when it is over."""

    def __init__(self, tell: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._tell = tell
        self._clock = clock
        self._gone: _Gone | None = None
        self._back_s = float("-inf")
        self._wait_s = _AGAIN_S

    def goes_on(self, why: str) -> None:
        """The pages are gone. What is known of it already is not told again."""
        before, now = self._gone, self._clock()
        if before is not None and before.why == why:
            return
        if before is None and now - self._back_s >= _WELL_S:
            self._wait_s = _AGAIN_S
        self._gone = _Gone(now if before is None else before.since_s, why)
        _log.error("the pages are gone: %s; they are begun again", why)
        self._tell(f"the pages are gone: {why}")

    def ends(self, url: str) -> None:
        """The pages are there, as they may have been all the time."""
        gone, self._gone = self._gone, None
        self._back_s = self._clock()
        if gone is not None:
            _log.warning("the pages are back at %s", url)
            self._tell(f"the pages were gone for {self._back_s - gone.since_s:.0f} s: {gone.why}")

    def wait_s(self) -> float:
        """So long until they are begun again: longer each time, unless they stayed."""
        wait_s, self._wait_s = self._wait_s, min(2.0 * self._wait_s, _AT_MOST_S)
        return wait_s
