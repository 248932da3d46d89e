"""Intervals around predictions from how far earlier ones were off, whatever the errors' distribution (conformal).

If errors come in any order with equal chance, the next one is no larger than the r-th smallest of n with the
probability r / (n + 1). Of times the error is a ratio: 20 s instead of 10 is as far off as 40 instead of 20.
"""

import math
from collections.abc import Sequence


def least_count(level: float) -> int:
    """So many errors must be known for an interval of that level.

    >>> least_count(0.9)
    9
    """
    return math.ceil(level / (1.0 - level) - 1e-9)


def within(ratios: Sequence[float], level: float) -> float | None:
    """The factor, at least 1, by which the next one is off at most with that probability; None of too few.

    `ratios` are what came over what was foretold, all above zero.

    >>> within([1.0, 1.1, 0.8, 1.3, 0.9, 1.0, 1.2, 0.5, 1.1], 0.9)
    2.0
    """
    if len(ratios) < least_count(level):
        return None
    rank = min(len(ratios), math.ceil(level * (len(ratios) + 1) - 1e-9))
    return sorted(max(ratio, 1.0 / ratio) for ratio in ratios)[rank - 1]
