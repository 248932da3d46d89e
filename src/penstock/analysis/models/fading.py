"""Old evidence fades: each half-life of age halves what it counts, down to a floor for want of anything newer."""

import math
from collections.abc import Sequence

from penstock.core.seen.evidence import Observation, Weighted

HALF_LIFE_S = 6 * 3600.0
FLOOR = 0.05


def faded(evidence: Sequence[Observation], now_s: float, half_life_s: float = HALF_LIFE_S) -> tuple[Weighted, ...]:
    """Each observation with its weight; a profile is as old as the run.

    >>> [w.weight for w in faded((Observation(2, 10.0, at_s=0.0), Observation(2, 10.0, at_s=60.0)), 60.0, 60.0)]
    [0.5, 1.0]
    """
    return tuple(Weighted(seen, _weight(now_s - (seen.at_s or 0.0), half_life_s)) for seen in evidence)


def _weight(age_s: float, half_life_s: float) -> float:
    return max(FLOOR, math.exp2(-max(0.0, age_s) / half_life_s))
