"""Which latencies are those of a job that keeps up (Phoebe, sections III-C and III-D).

Jobs that keep up have latencies of one size; in those that fall behind each row waits longer than the last. So the
latencies are put into two clusters, after a normalisation by their lowest percentile and a logarithm; the lower
cluster is valid.
"""

import math
from collections.abc import Sequence

import numpy as np

APART = 1.8  # the clusters' centres differ by at least this factor, else all belong together
LOWEST_PERCENTILE = 1.0


def boundary(latencies_s: Sequence[float]) -> float:
    """The latency in seconds up to which one is valid; infinite when all are of one size.

    >>> boundary([1.0, 1.1, 1.2, 1.05, 36.0, 46.0]) < 10.0
    True
    >>> boundary([1.0, 1.1, 1.2, 1.4])
    inf
    """
    values = np.sort(np.array([value for value in latencies_s if value > 0], dtype=float))
    if len(values) < 2:
        return math.inf
    low = float(np.percentile(values, LOWEST_PERCENTILE))
    logs = np.log(np.maximum(values / low, 1.0))
    split = _best_split(logs)
    if logs[split:].mean() - logs[:split].mean() < math.log(APART):
        return math.inf
    return float(low) * math.exp(float(logs[split - 1] + logs[split]) / 2.0)


def _best_split(ordered: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> int:
    """Where to cut sorted values so that both parts are as close around their means as can be: 2-means, exactly."""
    n = len(ordered)
    below = np.arange(1, n)
    sums = np.cumsum(ordered)
    explained = sums[:-1] ** 2 / below + (sums[-1] - sums[:-1]) ** 2 / (n - below)
    return 1 + int(explained.argmax())
