"""Pi by the infinite product of Viète, cut after 15 factors: floating point and nothing else."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from penstock.core.seen.trial import Work


@dataclass(frozen=True, slots=True)
class PiViete:
    """The product is worked out `repeats` times for a tuple: 15 factors alone take 2 us, less than any transport."""

    factors: int = 15
    repeats: int = 2000
    name: str = "pi"

    @contextmanager
    def open(self) -> Iterator[Work]:
        """Needs nothing."""

        def work(message: int) -> float:
            result = 0.0
            for _ in range(self.repeats):
                result = viete(self.factors)
            return result

        yield work


def viete(factors: int) -> float:
    """Pi from the first factors of sqrt(2)/2 * sqrt(2 + sqrt(2))/2 * ...

    >>> abs(viete(15) - 3.14159265) < 1e-8
    True
    """
    root = 0.0
    product = 1.0
    for _ in range(factors):
        root = math.sqrt(2.0 + root)
        product *= root / 2.0
    return 2.0 / product
