"""What was counted window after window, with old windows fading: the basis of the next routing table.

The paper starts from nothing after each re-routing (section 3.2). On data whose keys come back after days that gives
much away, as docs/results/routing.md shows: a key that was not seen in the last window is then hashed. So only the
sketch starts afresh; what it had counted goes on here, worth less with every half-life.
"""

from dataclasses import dataclass

from penstock.core.seen.pairs import PairCounts
from penstock.core.units import non_negative, positive
from penstock.errors import ConfigError

MOST_PAIRS = 100_000


@dataclass(frozen=True, slots=True)
class PairHistory:
    """Windows of pair counts, one after the other. `half_life_s` = 0 forgets all but the newest window.

    >>> history = PairHistory(half_life_s=600.0)
    >>> history = history.closed(PairCounts.exact({("a", "x"): 8}), 600.0)
    >>> history = history.closed(PairCounts.exact({("b", "x"): 8}), 600.0)
    >>> history.basis.pairs, history.newest.pairs
    ({('a', 'x'): 4.0, ('b', 'x'): 8}, {('b', 'x'): 8})
    """

    half_life_s: float
    most_pairs: int = MOST_PAIRS
    basis: PairCounts = PairCounts()
    newest: PairCounts = PairCounts()
    basis_before: PairCounts = PairCounts()  # what they were a window ago
    newest_before: PairCounts = PairCounts()

    def __post_init__(self) -> None:
        non_negative(self.half_life_s, "half_life_s", "write seconds after which a row counts half; 0 forgets at once")
        if self.most_pairs < 1:
            raise ConfigError("most_pairs", self.most_pairs, "write how many pairs may be kept, 1 or more")

    def closed(self, window: PairCounts, length_s: float) -> "PairHistory":
        """A window of that length ended: what came before fades by it, and the lightest pairs go if too many."""
        positive(length_s, "length_s", "write the length of the window in seconds")
        faded = self.basis.aged(0.5 ** (length_s / self.half_life_s)) if self.half_life_s else PairCounts()
        basis = (faded + window).heaviest(self.most_pairs)
        return PairHistory(self.half_life_s, self.most_pairs, basis, window, self.basis, self.newest)
