"""Life: what is known of a run's controller from the signs of life that it leaves.

    live     signs of life keep coming
    awaited  the newest sign came lately, and whoever looks has not seen another follow: it may have been the last
    ended    it said that it ends
    silent   no sign came for too long, and it did not say so: killed, standing still, or cut off from the store
    ahead    its clock is ahead of that of whoever looks: by their times, a sign of its last breath is always of now

Only the first is good news. Clocks of two machines differ; signs that go on changing prove life whatever they say.
"""

from dataclasses import dataclass
from enum import StrEnum

LEAST_PATIENCE_S = 15.0
PATIENCE = 3.0  # intervals of the controller that may pass without a sign
AHEAD_S = 5.0  # clocks that are kept right differ by less


class ControllerLife(StrEnum):
    """What is known of a controller."""

    LIVE = "live"
    AWAITED = "awaited"
    ENDED = "ended"
    SILENT = "silent"
    AHEAD = "ahead"

    @property
    def governs(self) -> bool:
        """Whether somebody governs as far as anybody knows, and may be asked for something."""
        return self in (ControllerLife.LIVE, ControllerLife.AWAITED)


@dataclass(frozen=True, slots=True)
class Sign:
    """A controller's last sign of life, by its own clock; `ended` where it said that it ends.

    Controllers of an older penstock did not say it (None): one that keeps silent is taken to have ended.
    """

    at_epoch_s: float
    interval_s: float
    ended: bool | None = False

    @property
    def patience_s(self) -> float:
        """How long no other sign may come.

        >>> Sign(0.0, interval_s=2.0).patience_s, Sign(0.0, interval_s=10.0).patience_s
        (15.0, 30.0)
        """
        return max(LEAST_PATIENCE_S, PATIENCE * self.interval_s)

    def life(self, now_epoch_s: float) -> ControllerLife:
        """What one look tells, where both clocks are right.

        >>> [Sign(100.0, 2.0).life(now).value for now in (110.0, 200.0, 40.0)]
        ['live', 'silent', 'ahead']
        """
        age_s = now_epoch_s - self.at_epoch_s
        if self.ended:
            return ControllerLife.ENDED
        if age_s < -AHEAD_S:
            return ControllerLife.AHEAD
        return ControllerLife.LIVE if age_s < self.patience_s else self._gone

    def life_watched(self, looked_s: float, moved: bool, now_epoch_s: float) -> ControllerLife:
        """What somebody knows who has seen this sign for so long by a clock of their own.

        `moved` where they saw it follow another. Then it lives, whatever its clock says, until this one is old. One
        that only its time speaks for may have come from somebody who was killed a moment later.

        >>> sign = Sign(3_600.0, 2.0)  # an hour ahead of the clock of who looks
        >>> [sign.life_watched(looked_s, moved, 0.0).value for looked_s, moved in ((1, False), (1, True), (20, True))]
        ['ahead', 'live', 'silent']
        >>> sign.life_watched(1, False, 3_605.0).value
        'awaited'
        """
        if self.ended:
            return ControllerLife.ENDED
        if looked_s >= self.patience_s:
            return self._gone
        if moved:
            return ControllerLife.LIVE
        found = self.life(now_epoch_s)
        return ControllerLife.AWAITED if found is ControllerLife.LIVE else found

    @property
    def _gone(self) -> ControllerLife:
        return ControllerLife.ENDED if self.ended is None else ControllerLife.SILENT
