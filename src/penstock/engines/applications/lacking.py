"""Executors that an application was promised, asks the cluster for, and does not get, though there is room by count.

A quota that nobody tells of keeps them from it, or room that is in pieces. As long as they are promised to it they are
nobody else's:

    lacks some -> one more comes                 they are waited for anew
               -> none comes for two minutes     it is to have what it holds, and may have no more for ten minutes,
                                                 or until one comes all the same: whatever hindered it has passed
"""

from dataclasses import dataclass, replace
from typing import Final, Self

COMES_WITHIN_S: Final = 120.0  # a JVM under load takes half a minute, and an image has to be fetched before it
AGAIN_AFTER_S: Final = 600.0  # what hinders them may pass by itself
_AWAY_S: Final = 30.0  # from one word of the cluster manager to the next, it was away: nothing could come meanwhile


@dataclass(frozen=True, slots=True)
class Lack:
    """Since when none has come of those that it lacks, how many it held then, and when the cluster manager last told;
    `most` that it may have until `until_s`, or until it holds more than `held`, where they were waited for in vain.
    """

    since_s: float | None = None
    held: int = 0
    told_s: float = 0.0
    most: int | None = None
    until_s: float = 0.0

    def after(self, held: int, lacks: bool, now: float) -> Self:
        """It holds so many, as the cluster manager says now."""
        passed = now >= self.until_s or held > self.held
        here = replace(self, told_s=now, most=None if passed else self.most)
        if not lacks:
            return replace(here, since_s=None)
        waits = self.since_s is not None and held <= self.held and now - self.told_s <= _AWAY_S
        return here if waits else replace(here, since_s=now, held=held)

    def in_vain(self, now: float) -> bool:
        """Whether that was waited for long enough."""
        return self.since_s is not None and now - self.since_s > COMES_WITHIN_S

    def given_up(self, held: int, most: int, now: float) -> Self:
        """It holds so many, and may have no more than `most` for a while."""
        return replace(self, since_s=None, held=held, most=most, until_s=now + AGAIN_AFTER_S)
