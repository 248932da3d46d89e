"""Warmth: code that is new is slow, and gets quicker; by how much shows from batch to batch.

    cost at an age = cost when warm x g(age),    1 / g = 1 - COLD_PART x exp(-age / COLD_S)

What is decided is lived with for some seconds, in which work is dearer still than it will be once it is warm: batches
that grew over them stay long, for each finds the rows that came during the one before.
Only work on cores is slower at first: what waits for others does not get quicker. Some code ran before. So each batch
is held against what the batches before it said that it would cost: had it fallen as g does, or not at all? What all
jobs say together is believed.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import exp, log

from penstock.core.arrays import Floats

# Two and a half times as dear at first, twice after five seconds (runs on Spark, with Kafka and CPU-bound work).
COLD_PART, COLD_S = 0.6, 20.0
_SOON_S = 20.0  # ahead: two rounds, the earliest in which it shows what a decision gave
_STILL = COLD_S / _SOON_S * (1.0 - exp(-_SOON_S / COLD_S))  # of what is cold now, in the mean until then
_PRIOR, _TRUST = 0.4, 0.1  # of g's fall, before anything was seen, and how much evidence outweighs that
_LEAST, _MOST = 0.4, 2.0  # times what was expected: beyond, something else was the matter


@dataclass(frozen=True, slots=True)
class Warmth:
    """What a job's batches say. `mean` is log g over the batches that its costs were learnt from, fading as they do."""

    cold: float = 0.0  # the part of the last batch's costs that would be gone later, if g holds
    mean: float | None = None
    fell: float = 0.0  # how far costs fell where g did, times how far g fell; and the latter's square
    could_fall: float = 0.0

    def with_batches(self, batches: Iterable[tuple[float, float | None, float]], kept: float) -> "Warmth":
        """After more batches: of each the age of the code, how many times what those before it said it cost, and the
        share of its time that it had a core.
        """
        cold, mean, fell, could_fall = self.cold, self.mean, self.fell, self.could_fall
        for age_s, times, cpu_share in batches:
            cold = COLD_PART * exp(-max(0.0, age_s) / COLD_S)
            now = -log(1.0 - cold)
            if times is None or mean is None:
                mean = now
                continue
            fall = cpu_share * (now - mean)
            seen = log(min(max(times, _LEAST), _MOST))
            mean = kept * mean + (1.0 - kept) * now
            # What mostly waits tells little of it, and its costs change for other reasons.
            fell, could_fall = fell + cpu_share * fall * seen, could_fall + cpu_share * fall * fall
        return Warmth(cold, mean, fell, could_fall)


def soon(cold: Floats) -> Floats:
    """What work on cores will cost soon, of what it costs now, where so much of that would be gone once it is warm.

    >>> import numpy as np
    >>> soon(np.array([0.0, 0.3, 0.6])).round(2)
    array([1.  , 0.86, 0.64])
    """
    costs: Floats = (1.0 - cold) / (1.0 - _STILL * cold)
    return costs


def coldness(jobs: Iterable[Warmth]) -> float:
    """How much of g's fall there is, by all jobs together: 0 none, 1 all of it.

    >>> coldness([Warmth(fell=2.0, could_fall=2.0)]), coldness([Warmth(fell=0.0, could_fall=2.0)])
    (0.97, 0.02)
    """
    told = list(jobs)
    fell, could_fall = sum(one.fell for one in told), sum(one.could_fall for one in told)
    share = (fell + _TRUST * _PRIOR) / (could_fall + _TRUST)
    return round(min(1.0, max(0.0, share)), 2)
