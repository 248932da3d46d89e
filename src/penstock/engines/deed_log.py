"""What an engine did by itself, told for a while to everybody who asks: asking takes nothing away."""

import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import replace
from math import inf, nextafter

from penstock.core.seen.deeds import Deed

KEPT_S = 600.0  # longer than any round takes, so that none is missed
_AGAIN_AFTER_S = 60.0  # the very same deed is told once in so much time: a pin that does not hold is no news
_MOST = 1000
_INSTANT_S = 1e-6
_PUT_FORWARD_S = 30.0  # longer than any look at the jobs takes, for the asker's now is that of its beginning


def put_forward(deeds: Iterable[Deed], by_s: float) -> tuple[Deed, ...]:
    """The deeds so much later, each at an instant of its own: those before the run at its begin."""
    return tuple(replace(deed, at_s=max(deed.at_s + by_s, _INSTANT_S * place)) for place, deed in enumerate(deeds))


class DeedLog:
    """Deeds of the last ten minutes, each at an instant of its own, on the clock of whoever asks."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._deeds: deque[Deed] = deque(maxlen=_MOST)
        self._ahead_s: float | None = None  # of our clock is theirs

    def note(self, job: str | None, text: str, why: str, error: str | None = None) -> None:
        """Something was done."""
        last_s = self._deeds[-1].at_s if self._deeds else -inf
        # Two deeds at one instant could not be told apart by whoever asks for the newer ones.
        deed = Deed(max(self._clock(), nextafter(last_s, inf)), job, text, why, error)
        if not any(replace(deed, at_s=old.at_s) == old for old in self._since(deed.at_s - _AGAIN_AFTER_S)):
            self._deeds.append(deed)

    def told(self, now: float) -> tuple[Deed, ...]:
        """All of them by their time, now being `now`; those before the run at its begin."""
        here_s = self._clock()
        if self._ahead_s is None or now - here_s > self._ahead_s + _PUT_FORWARD_S:
            # Both clocks run evenly; worked out anew each time, it would put a deed at another instant each time. But
            # theirs is put forward where a run is found to be older than it was taken for.
            self._ahead_s = now - here_s
        return put_forward(self._since(here_s - KEPT_S), self._ahead_s)

    def _since(self, from_s: float) -> tuple[Deed, ...]:
        return tuple(deed for deed in self._deeds if deed.at_s >= from_s)
