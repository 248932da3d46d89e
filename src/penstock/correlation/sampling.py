"""Pairs of some rows of each batch: how many rows are drawn, and a window of them counted in bounded memory.

A count is as good as the rows that stand behind it, not as those that it stands for: some ten thousand rows of a window
make as good a table as all of them do (docs/results/routing.md). So as many are drawn of each window, large or small,
and of each batch the part that it is of the window: what that costs does not grow with the rows.
"""

import math

from penstock.core.seen.pairs import PairCounts
from penstock.correlation.sketch import PairSketch

A_WINDOW = 20_000  # rows of a window at the least, where it has so many
A_BATCH = 500  # and of a batch: to draw fewer saves nothing
MOST = 5_000  # of a batch, at the most
_LG_SIZE = 15  # 24,000 pairs of a window in two megabytes, as many as it draws; half of them cost Last.fm 2 points


def one_in_for(rows: float, of_window: float) -> int:
    """One row in how many to draw of a batch like the last one, which is such a part of its window.

    A power of two, so that it seldom changes.

    >>> one_in_for(100_000, of_window=0.1), one_in_for(100_000, of_window=0.001), one_in_for(1_500, of_window=0.1)
    (32, 128, 1)
    """
    times = rows / min(MOST, max(A_BATCH, A_WINDOW * of_window))
    return int(2 ** math.floor(math.log2(times))) if times > 1 else 1


class SampledWindow:
    """The batches of a window, one after the other, each by the rows that were drawn of it.

    >>> window = SampledWindow()
    >>> window.add(PairCounts({("Asia", "#java"): 64}, rows=100, error=3))
    >>> window.add(PairCounts({("Asia", "#java"): 32}, rows=50, error=4))
    >>> window.closed()
    PairCounts(pairs={('Asia', '#java'): 96}, rows=150.0, error=5.0)
    """

    def __init__(self) -> None:
        self._sketch = PairSketch(_LG_SIZE)
        self._rows, self._squares = 0.0, 0.0

    def add(self, counts: PairCounts) -> None:
        """What a batch told."""
        for (left, right), rows in counts.pairs.items():
            self._sketch.update(left, right, max(1, round(rows)))
        self._rows += counts.rows
        self._squares += counts.error**2  # batches are drawn independently: their variances add, not their errors

    def closed(self) -> PairCounts:
        """What was counted; and a fresh start."""
        found = self._sketch.closed()
        counted = PairCounts(found.pairs, self._rows, found.error + math.sqrt(self._squares))
        self._rows, self._squares = 0.0, 0.0
        return counted
