"""Lives of controllers, as a server knows them that looks again and again: by its own clock, once a sign moved."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from penstock.core.seen.life import ControllerLife
from penstock.store.cards import Card


@dataclass(frozen=True, slots=True)
class _WatchedLife:
    """The newest sign of a run's controller, since when it is known here, and when it was looked at last."""

    at_epoch_s: float
    since_s: float
    moved: bool  # it followed one that was still there a moment before: it was given lately, by a clock of our own
    looked_s: float


class Lives:
    """Remembers the last sign of each run that somebody looked at."""

    def __init__(self, epoch: Callable[[], float] = time.time, clock: Callable[[], float] = time.monotonic) -> None:
        self._epoch = epoch
        self._clock = clock
        self._watched: dict[str, _WatchedLife] = {}

    def of(self, run_id: str, card: Card | None) -> ControllerLife:
        """What is known of the controller of that run, whose newest card this is; none: it never had one that lived."""
        if card is None:
            return ControllerLife.ENDED
        sign, now_s = card.sign, self._clock()
        known = self._watched.get(run_id)
        if known is None or known.at_epoch_s != sign.at_epoch_s:
            moved = known is not None and now_s - known.looked_s < sign.patience_s
            known = _WatchedLife(sign.at_epoch_s, now_s, moved, now_s)
        known = self._watched[run_id] = replace(known, looked_s=now_s)
        return sign.life_watched(now_s - known.since_s, known.moved, self._epoch())
