"""Rolling back-test: how far each method would have been off on the job's own past.

A method is fitted to the older part of the past and then looks ahead from instants in the newer part, which it has
not seen when it was fitted.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from penstock.analysis.forecast.method import Method
from penstock.core.arrays import Floats

NEWER_PART = 0.35  # of the past is for judging
ORIGINS = 16  # instants to look ahead from


@dataclass(frozen=True, slots=True)
class BackTested:
    """A method and its errors: actual less expected, a row for each origin and a column for each step."""

    method: Method
    errors: Floats

    @property
    def mean_error(self) -> float:
        """The mean absolute error; newer origins count more, the newest twice as much as the oldest."""
        weights = np.linspace(1.0, 2.0, len(self.errors))
        return float(np.average(np.abs(self.errors).mean(axis=1), weights=weights))


def backtest(methods: Sequence[Method], past: Floats, steps: int) -> list[BackTested]:
    """Every method that can do with the older part of the past; none when there is too little to judge on."""
    n = len(past)
    newest = n - steps  # the last origin whose steps have all come
    oldest = min(newest, int(n * (1.0 - NEWER_PART)))
    if oldest < 2 or newest < 2:
        return []
    origins = np.unique(np.linspace(oldest, newest, ORIGINS).astype(int))
    actual = past[origins[:, None] + np.arange(steps)]
    found = []
    for method in methods:
        fitted = method.fit(past[:oldest], steps)
        if fitted is None:
            continue
        expected = fitted.ahead(past, origins, steps)
        found.append(BackTested(method, actual - np.maximum(expected, 0.0)))
    return found
