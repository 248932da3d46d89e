"""Whether a round of the coordinator comes before it is due: somebody joined whom no round saw, or a load has risen.

Rounds are 10 s apart, and an executor that comes for a rise 10 s later finds as much more waiting. None comes within
the time between two reports of the last one: a fleet of 1,000 applications has no more rounds for it.
"""

from collections.abc import Mapping
from math import inf

_RISEN = 1.5  # times what the last round saw: half of it is what sources that are not steady differ by


class Hurry:
    """What happened since the last round."""

    def __init__(self) -> None:
        self._round_s = -inf
        self._seen_rps: Mapping[str, float] = {}
        self._joined_s = inf
        self._rose = False

    def seen(self, rates_rps: Mapping[str, float], now: float) -> None:
        """A round has seen all of them, with these loads."""
        self._round_s, self._seen_rps, self._joined_s, self._rose = now, rates_rps, inf, False

    def joined(self, now: float) -> None:
        """Somebody is there whom no round has seen."""
        self._joined_s = min(self._joined_s, now)

    def heard(self, name: str, rate_rps: float) -> None:
        """So much comes to that one, by its report; where nothing came before it begins, and that is no rise."""
        seen_rps = self._seen_rps.get(name, 0.0)
        self._rose = self._rose or 0.0 < _RISEN * seen_rps < rate_rps

    def is_due(self, now: float, every_s: float) -> bool:
        """Whether the next round is to come now, with reports so far apart; who joined waits for those beside it."""
        return now - self._joined_s >= every_s or (self._rose and now - self._round_s >= every_s)
