"""How much arrives: a steady rate is averaged over long, a change is followed within seconds.

Sources hand rows over in portions, a second's worth at once or what a broker had: a batch that catches one portion more
says nothing of the rate. What comes beyond that does. A rate that goes up and down and up again will go down again
before anything that is done about it shows: that is no change, and its mean is what there is to be planned for.
"""

from typing import NamedTuple

import numpy as np

from penstock.core.arrays import Numbers

_AVERAGED_S = 12.0  # what was known before weighs as much as so many seconds, at the most
_AVERAGED_SWINGING_S = 40.0  # as far as is looked ahead
_AFTER_CHANGE_S = 2.0
# Worth of rows, more or less than expected, that portions may be: one of a whole second comes a batch early or late,
# and what was expected is some percent off. At 1.2 one in five even loads seemed to rise or fall within half a minute.
_PORTION_S = 1.6
_USUAL_PORTION_S = 0.4  # that they are in the mean: what may be at the most is four times that
_SWINGS = 1.5  # turns back, of which those of a minute ago count a third: two within half a minute
_SWINGS_FADE_S, _MOST_SWINGS = 60.0, 2.5


class SteadyRate(NamedTuple):
    """A rate, over how many seconds it was averaged, and the rows that came beyond what it said; of many, columns.

    `changed` is 1 where it rose when it last changed, -1 where it fell, 0 where it never did; `swings` is how often it
    changed the other way lately.
    """

    rate_rps: Numbers
    known_s: Numbers
    beyond_rows: Numbers
    changed: Numbers
    swings: Numbers

    def with_rows(self, rows: Numbers, in_s: Numbers) -> "SteadyRate":
        """So many rows more in so many seconds.

        >>> known = SteadyRate(*steady(200.0, 12.0))
        >>> round(known.with_rows(400.0, 1.1).rate_rps)
        214
        >>> round(known.with_rows(1200.0, 2.0).rate_rps)
        567
        """
        beyond = self.beyond_rows + rows - self.rate_rps * in_s
        changes = (self.known_s > 0.0) & (np.abs(beyond) > _PORTION_S * self.rate_rps)
        changed = np.where(changes, np.sign(beyond), self.changed)
        swings = np.minimum(_MOST_SWINGS, self.swings * np.exp(-in_s / _SWINGS_FADE_S) + (changed * self.changed < 0.0))
        swinging = swings >= _SWINGS
        known_s = np.where(
            changes & np.logical_not(swinging),
            np.minimum(self.known_s, self._doubt_s(rows, in_s, beyond)),
            self.known_s,
        )
        all_s = known_s + in_s
        return SteadyRate(
            rate_rps=(known_s * self.rate_rps + rows) / all_s,
            known_s=np.minimum(all_s, np.where(swinging, _AVERAGED_SWINGING_S, _AVERAGED_S)),
            beyond_rows=np.where(changes & swinging, 0.0, known_s / all_s) * beyond,
            changed=changed,
            swings=swings,
        )

    def if_more(self, rows: float, in_s: float) -> "SteadyRate":
        """With them, where they are more than it says and than a portion may be; of one job.

        >>> known = SteadyRate(*steady(60.0, 12.0))
        >>> known.if_more(300.0, 4.0) == known, round(known.if_more(1080.0, 4.0).rate_rps)
        (True, 267)
        """
        risen = self.beyond_rows + rows - self.rate_rps * in_s > _PORTION_S * self.rate_rps
        return self.with_rows(rows, in_s) if self.known_s > 0.0 and risen else self

    def _doubt_s(self, rows: Numbers, in_s: Numbers, beyond: Numbers) -> Numbers:
        """So many seconds what was known before a change still weighs: the less, the further beyond a portion it is."""
        portion = _USUAL_PORTION_S * np.maximum(self.rate_rps, rows / in_s)
        return np.minimum(_AFTER_CHANGE_S, in_s * (portion / np.maximum(np.abs(beyond), 1e-9)) ** 2)


def steady(rate_rps: float, known_s: float = 0.0) -> tuple[float, ...]:
    """A job's rate as it is remembered, where nothing came beyond it yet."""
    return (rate_rps, known_s, 0.0, 0.0, 0.0)
