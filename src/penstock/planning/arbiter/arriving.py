"""How much arrives: a steady rate is averaged over long, a change is followed within seconds.

Sources hand rows over in portions, a second's worth at once or what a broker had: a batch that catches one portion more
says nothing of the rate. What comes beyond that does.
"""

from dataclasses import dataclass

_AVERAGED_S = 12.0  # what was known before weighs as much as so many seconds, at the most
_AFTER_CHANGE_S = 2.0
_PORTION_S = 1.2  # worth of rows, more or less than expected, that a portion may be


@dataclass(frozen=True, slots=True)
class SteadyRate:
    """A rate, over how many seconds it was averaged, and the rows that came beyond what it said."""

    rate_rps: float
    known_s: float = 0.0
    beyond_rows: float = 0.0

    def with_rows(self, rows: float, in_s: float) -> "SteadyRate":
        """So many rows more in so many seconds.

        >>> steady = SteadyRate(200.0, 12.0)
        >>> round(steady.with_rows(400.0, 1.1).rate_rps)
        214
        >>> round(steady.with_rows(1200.0, 2.0).rate_rps)
        400
        """
        beyond = self.beyond_rows + rows - self.rate_rps * in_s
        changed = abs(beyond) > _PORTION_S * self.rate_rps
        known_s = min(self.known_s, _AFTER_CHANGE_S) if changed else self.known_s
        rate_rps = (known_s * self.rate_rps + rows) / (known_s + in_s)
        fades = known_s / (known_s + in_s)
        return SteadyRate(rate_rps, min(known_s + in_s, _AVERAGED_S), fades * beyond)
