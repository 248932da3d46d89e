"""Graphs for METIS."""

import numpy as np

from penstock.local.cutting_process import Cuts


def ring(size: int, tries: int = 1) -> Cuts:
    """Each vertex meets the next one; to be cut in three, so many times."""
    vertex = np.arange(size)
    return Cuts(
        starts=np.arange(0, 2 * size + 1, 2),
        others=np.stack([(vertex - 1) % size, (vertex + 1) % size], axis=1).ravel(),
        rows=np.ones(2 * size, dtype=np.int64),
        weights=np.ones((1, size), dtype=np.int64),
        seeds=np.arange(tries),
        shares=np.full(3, 1 / 3),
        bound=np.array([30]),
    )
