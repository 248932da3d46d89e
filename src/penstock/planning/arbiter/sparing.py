"""Sparing: while code is new, nothing is taken from whoever is worth most.

By what rows cost at first it seems beyond rescue. So the others would be given what it has and its rows would be held
back; once they cost less, more of them would wait than can be worked off. What is wrong about the others is
soon made good: less waits of theirs.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from penstock.planning.arbiter.fleet import Fleet

_WORTH = 0.5  # of what the most valuable job is worth: who is worth less does not stand out
_FEW = 0.5  # of the jobs: where more of them are worth about as much, nobody stands out


def outstanding(fleet: Fleet) -> NDArray[np.bool_]:
    """Who is worth much more than most of the others; nobody, where many are worth about as much."""
    most: NDArray[np.bool_] = fleet.values >= _WORTH * float(fleet.values.max())
    return most if float(most.mean()) <= _FEW else np.zeros(fleet.size, dtype=bool)


def sparing(fleet: Fleet) -> Fleet:
    """The same, if code is new and few are so valuable, where their slots get no fewer and their batches no smaller."""
    spared = outstanding(fleet)
    # Where executors follow the jobs' slots, more of these for one are no fewer for another.
    if not fleet.young or fleet.follows or not spared.any():
        return fleet
    lowest = np.where(spared, np.maximum(fleet.lowest, fleet.weights), fleet.lowest)
    most = np.where(spared, fleet.most, np.minimum(fleet.most, fleet.weights))
    return replace(fleet, lowest=lowest, most=most, can_bound=fleet.can_bound & ~spared)
