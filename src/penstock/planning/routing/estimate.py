"""Is a re-routing worth its move? Expected rows kept off the network against what moving costs (the paper's section 6).

What is promised is tempered by what became of the last promise: the table in force is judged on the newest pairs,
and the share of its promised gain over hashing that it still holds there says how fast correlations fade.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from penstock.core.seen.routes import PastMove
from penstock.core.units import text_of_seconds
from penstock.planning.routing_settings import CostSettings


@dataclass(frozen=True, slots=True)
class Promise:
    """What the table in force promised when it was made, what it holds on the newest pairs, and what hashing
    would. `age_s` is the time in between."""

    at_first: float
    now: float
    hashed: float
    age_s: float

    @property
    def kept(self) -> float:
        """The share of the promised gain over hashing that is still there, 0 to 1."""
        promised = self.at_first - self.hashed
        if promised <= 0:
            return 1.0
        return min(1.0, max(0.0, (self.now - self.hashed) / promised))

    @property
    def half_life_s(self) -> float:
        """After how long half of a gain is gone, if it goes on like this; infinite when nothing faded."""
        if self.kept >= 1.0 or self.age_s <= 0:
            return math.inf
        return self.age_s * math.log(2) / -math.log(max(self.kept, 1e-9))


@dataclass(frozen=True, slots=True)
class Offer:
    """What is on offer: local shares of the old and the new table on the newest pairs, and what moves."""

    local_now: float
    local_promised: float
    rows_rps: float
    keys: int
    moved_bytes: float = 0.0
    row_bytes: float | None = None  # None: not measured; then bytes moved are not weighed
    waits: bool = True  # whether rows wait for the move; with windows they follow the new table without a stop


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a re-routing is expected to bring and to cost; `payback_s` is infinite when it never pays."""

    local_now: float
    local_expected: float
    keys: int
    pause_s: float
    payback_s: float
    pays: bool
    waits: bool = True

    def why(self, window_s: float) -> str:
        """The decision in one line."""
        cost = (
            f"moves {self.keys:,} keys, about {self.pause_s:.2g} s"
            if self.waits
            else "for new windows, without a restart"
        )
        found = (
            f"local share {self.local_now:.2f} -> expected {self.local_expected:.2f} on the last "
            f"{_span(window_s)}; {cost}"
        )
        if math.isinf(self.payback_s):
            return f"{found}; never pays back"
        if self.payback_s == 0:
            return f"{found}; pays at once"
        return f"{found}; {'pays' if self.pays else 'would pay'} back in {_span(self.payback_s)}"


def estimated(
    offer: Offer, last: Promise | None, past: Sequence[PastMove] = (), settings: CostSettings = CostSettings()
) -> Estimate:
    """Whether to move, and what to say of it.

    >>> offer = Offer(local_now=0.41, local_promised=0.68, rows_rps=10_000, keys=3_120)
    >>> estimated(offer, last=None).why(600.0)
    'local share 0.41 -> expected 0.68 on the last 10 min; moves 3,120 keys, about 3 s; pays back in 11 s'
    """
    gain = (offer.local_promised - offer.local_now) * (1.0 if last is None else last.kept)
    saved_rps = max(0.0, gain * offer.rows_rps)
    pause_s = pause(offer.keys, past, settings) if offer.waits else 0.0
    cost_rows = pause_s * offer.rows_rps * settings.delay_worth
    if offer.row_bytes:
        cost_rows += offer.moved_bytes / offer.row_bytes
    half_life_s = math.inf if last is None else last.half_life_s
    payback_s = paid_back(cost_rows, saved_rps, half_life_s)
    pays = payback_s <= settings.payback_s
    expected = offer.local_now + max(0.0, gain)
    return Estimate(offer.local_now, expected, offer.keys, pause_s, payback_s, pays, offer.waits)


def pause(keys: int, past: Sequence[PastMove], settings: CostSettings = CostSettings()) -> float:
    """Seconds that rows wait for so many keys to move: a line through the past moves, held by the first guess.

    >>> round(pause(1000, [PastMove(1000, 0, 1.5), PastMove(1000, 0, 1.7), PastMove(2000, 0, 1.9)]), 2)
    1.88
    """
    guess = [(keys_, settings.first_pause_s + settings.first_s_per_key * keys_) for keys_ in (0.0, 100_000.0)]
    points = [(x, y, settings.guesses_weigh / 2) for x, y in guess]
    points += [(float(move.keys), move.pause_s, 1.0) for move in past]
    total = sum(w for _, _, w in points)
    mean_x = sum(x * w for x, _, w in points) / total
    mean_y = sum(y * w for _, y, w in points) / total
    spread = sum(w * (x - mean_x) ** 2 for x, _, w in points)
    slope = max(0.0, sum(w * (x - mean_x) * (y - mean_y) for x, y, w in points) / spread)
    return max(0.0, mean_y + slope * (keys - mean_x))


def paid_back(cost_rows: float, saved_rps: float, half_life_s: float) -> float:
    """Seconds until the rows saved make up for the cost, while the saving fades by its half-life.

    >>> paid_back(1000.0, 100.0, math.inf), paid_back(1000.0, 100.0, 6.0)
    (10.0, inf)
    """
    if saved_rps <= 0:
        return math.inf
    needed_s = cost_rows / saved_rps
    if math.isinf(half_life_s):
        return needed_s
    fading = math.log(2) / half_life_s
    spent = needed_s * fading  # from the integral of a saving that decays
    return math.inf if spent >= 1 else -math.log1p(-spent) / fading


def _span(length_s: float) -> str:
    if length_s >= 120 or (length_s % 60 == 0 and length_s >= 60):
        return f"{length_s / 60:.0f} min"
    return f"{length_s:.0f} s" if length_s >= 1 else text_of_seconds(length_s)
