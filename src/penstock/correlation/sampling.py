"""Pairs of some rows of each batch: how many rows are drawn, and a window of them counted in bounded memory.

A count is as good as the rows that stand behind it, not as those that it stands for: a few thousand rows of a window
make as good a table as all of them do (docs/results/routing.md). So about as many are drawn of each batch, large or
small, and what that costs does not grow with the rows.
"""

import math

from penstock.core.pairs import PairCounts
from penstock.correlation.sketch import PairSketch

A_BATCH = 2_000  # rows of a batch at the least, where it has so many
MOST = 5_000  # and at the most
ENOUGH = 10_000  # of a window; until there are as many, a batch makes up for what is missing


def one_in_for(rows: float, drawn: int) -> int:
    """One row in how many to draw of a batch like the last one; `drawn` rows are known of the window already.

    A power of two: Spark makes new code for every number that it meets.

    >>> one_in_for(100_000, drawn=9_000), one_in_for(100_000, drawn=0), one_in_for(1_500, drawn=9_000)
    (32, 16, 1)
    """
    times = rows / min(MOST, max(A_BATCH, ENOUGH - drawn))
    return int(2 ** math.floor(math.log2(times))) if times > 1 else 1


class SampledWindow:
    """The batches of a window, one after the other, each by the rows that were drawn of it.

    >>> window = SampledWindow()
    >>> window.add(PairCounts({("Asia", "#java"): 64}, rows=100, error=3), drawn=1)
    >>> window.add(PairCounts({("Asia", "#java"): 32}, rows=50, error=4), drawn=1)
    >>> window.closed(), window.drawn
    (PairCounts(pairs={('Asia', '#java'): 96}, rows=150.0, error=5.0), 0)
    """

    def __init__(self) -> None:
        self.drawn = 0
        self._sketch = PairSketch()
        self._rows, self._squares = 0.0, 0.0

    def add(self, counts: PairCounts, drawn: int) -> None:
        """A batch of which so many rows were drawn."""
        for (left, right), rows in counts.pairs.items():
            self._sketch.update(left, right, max(1, round(rows)))
        self.drawn += drawn
        self._rows += counts.rows
        self._squares += counts.error**2  # batches are drawn independently: their variances add, not their errors

    def closed(self) -> PairCounts:
        """What was counted; and a fresh start."""
        found = self._sketch.closed()
        counted = PairCounts(found.pairs, self._rows, found.error + math.sqrt(self._squares))
        self.drawn, self._rows, self._squares = 0, 0.0, 0.0
        return counted
