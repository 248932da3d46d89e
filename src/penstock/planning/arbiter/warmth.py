"""Warmth: code that is new is slow, and gets quicker; by how much shows from batch to batch.

    cost at an age = cost when warm x g(age),    1 / g = 1 - COLD_PART x exp(-age / COLD_S)

What is decided is lived with for some seconds, in which work is dearer still than it will be once it is warm: batches
that grew over them stay long, for each finds the rows that came during the one before.
Only work on cores is slower at first: what waits for others does not get quicker. Some code ran before. So each batch
is held against what the batches before it said that it would cost: had it fallen as g does, or not at all? What all
jobs say together is believed.
"""

from math import exp
from typing import NamedTuple

import numpy as np

from penstock.core.arrays import Floats, Numbers

# Two and a half times as dear at first, twice after five seconds (runs on Spark, with Kafka and CPU-bound work).
COLD_PART, COLD_S = 0.6, 20.0
_SOON_S = 20.0  # ahead: two rounds, the earliest in which it shows what a decision gave
# Of the cores, that the compiler of new code takes at first, and at most so much of what tasks lack (seven runs on
# Spark with four slots: tasks had 1.0 to 1.25 of two cores after 12 s, 0.05 to 0.34 more a minute later).
_COMPILER, _OF_LACKING = 0.25, 0.5
_STILL = COLD_S / _SOON_S * (1.0 - exp(-_SOON_S / COLD_S))  # of what is cold now, in the mean until then
_PRIOR, _TRUST = 0.4, 0.1  # of g's fall, before anything was seen, and how much evidence outweighs that
_LEAST, _MOST = 0.4, 2.0  # times what was expected: beyond, something else was the matter
NO_WARMTH = (0.0,) * 4  # of a job without batches


class Warmth(NamedTuple):
    """What a job's batches say, numbers of one or columns of many.

    `mean` is log g over the batches that its costs were learnt from, fading as they do.
    """

    cold: Numbers  # the part of the last batch's costs that would be gone later, if g holds
    mean: Numbers
    fell: Numbers  # how far costs fell where g did, times how far g fell; and the latter's square
    could_fall: Numbers

    def with_batch(self, age_s: Numbers, times: Numbers, cpu_share: Numbers, kept: Numbers) -> "Warmth":
        """After one batch more: the age of the code, how many times what those before it said it cost, and the share
        of its time that it had a core. Of what was known so much is kept; where nothing is, it is held against nothing.
        """
        cold = COLD_PART * np.exp(-np.maximum(0.0, age_s) / COLD_S)
        now = -np.log(1.0 - cold)
        fall = np.where(kept > 0.0, cpu_share * (now - self.mean), 0.0)
        seen = np.log(np.minimum(np.maximum(times, _LEAST), _MOST))
        # What mostly waits tells little of it, and its costs change for other reasons.
        return Warmth(
            cold,
            kept * self.mean + (1.0 - kept) * now,
            self.fell + cpu_share * fall * seen,
            self.could_fall + cpu_share * fall * fall,
        )


def soon(cold: Floats) -> Floats:
    """What work on cores will cost soon, of what it costs now, where so much of that would be gone once it is warm.

    >>> soon(np.array([0.0, 0.3, 0.6])).round(2)
    array([1.  , 0.86, 0.64])
    """
    costs: Floats = (1.0 - cold) / (1.0 - _STILL * cold)
    return costs


def coldness(fell: Floats, could_fall: Floats) -> float:
    """How much of g's fall there is, by all jobs together, a place each: 0 none, 1 all of it.

    >>> coldness(np.array([2.0]), np.array([2.0])), coldness(np.array([0.0]), np.array([2.0]))
    (0.97, 0.02)
    """
    share = (float(fell.sum()) + _TRUST * _PRIOR) / (float(could_fall.sum()) + _TRUST)
    return round(min(1.0, max(0.0, share)), 2)


def given_back(cold: Floats, cores: float, lacking: float) -> float:
    """The cores that tasks will soon have of those that the compiler of new code takes now.

    Others than it may have some of those that tasks lack.

    >>> [round(given_back(np.array([cold, cold]), 2.0, 0.9), 2) for cold in (0.6, 0.3, 0.0)]
    [0.17, 0.09, 0.0]
    >>> given_back(np.array([0.6, 0.6]), 2.0, 0.0)
    0.0
    """
    takes = min(_COMPILER * cores * float(cold.mean()) / COLD_PART, _OF_LACKING * max(0.0, lacking))
    return takes * (1.0 - _STILL)
