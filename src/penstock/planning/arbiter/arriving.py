"""How much arrives: a steady rate is averaged over long, a change is followed within seconds.

Sources hand rows over in portions, a second's worth at once or what a broker had: a batch that catches one portion more
says nothing of the rate. What comes beyond that does. A rate that goes up and down and up again will go down again
before anything that is done about it shows: that is no change, and its mean is what there is to be planned for.
"""

from dataclasses import dataclass
from math import exp

_AVERAGED_S = 12.0  # what was known before weighs as much as so many seconds, at the most
_AVERAGED_SWINGING_S = 40.0  # as far as is looked ahead
_AFTER_CHANGE_S = 2.0
_PORTION_S = 1.2  # worth of rows, more or less than expected, that a portion may be
_SWINGS = 1.5  # turns back, of which those of a minute ago count a third: two within half a minute
_SWINGS_FADE_S, _MOST_SWINGS = 60.0, 2.5


@dataclass(frozen=True, slots=True)
class SteadyRate:
    """A rate, over how many seconds it was averaged, and the rows that came beyond what it said.

    `risen` is whether it rose when it last changed, `swings` how often it changed the other way lately.
    """

    rate_rps: float
    known_s: float = 0.0
    beyond_rows: float = 0.0
    risen: bool | None = None
    swings: float = 0.0

    def with_rows(self, rows: float, in_s: float) -> "SteadyRate":
        """So many rows more in so many seconds.

        >>> steady = SteadyRate(200.0, 12.0)
        >>> round(steady.with_rows(400.0, 1.1).rate_rps)
        214
        >>> round(steady.with_rows(1200.0, 2.0).rate_rps)
        400
        """
        beyond = self.beyond_rows + rows - self.rate_rps * in_s
        changed = self.known_s > 0.0 and abs(beyond) > _PORTION_S * self.rate_rps
        turned = changed and self.risen is not None and self.risen != (beyond > 0.0)
        swings = min(_MOST_SWINGS, self.swings * exp(-in_s / _SWINGS_FADE_S) + turned)
        swinging = swings >= _SWINGS
        known_s = min(self.known_s, _AFTER_CHANGE_S) if changed and not swinging else self.known_s
        rate_rps = (known_s * self.rate_rps + rows) / (known_s + in_s)
        fades = 0.0 if changed and swinging else known_s / (known_s + in_s)
        averaged_s = min(known_s + in_s, _AVERAGED_SWINGING_S if swinging else _AVERAGED_S)
        return SteadyRate(rate_rps, averaged_s, fades * beyond, beyond > 0.0 if changed else self.risen, swings)
