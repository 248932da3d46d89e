"""METIS on the graph of keys: vertices weighted by their rows, as few rows on cut edges as possible (section 3.3)."""

import numpy as np

from penstock.core.arrays import Floats, Ints
from penstock.local.cutting import cut_aside
from penstock.local.cutting_process import Cuts
from penstock.planning.routing.graph import KeyGraph

FEW_EDGES = 60_000  # so few that several tries take less than a second
FEWER_EDGES = 10_000  # so few that exchanges of keys are affordable as well
_LARGEST = 2**40  # all weights together; METIS adds them up in 64 bits


def metis_parts(graph: KeyGraph, shares: Floats, imbalance: float) -> list[Ints]:
    """Several partitions into parts of these shares; fewer tries for large graphs, whose cuts differ less.

    METIS bounds the sum over all operators in a part. That each operator is even by itself is seen to afterwards
    (`balance`), so it helps to also try with only one operator's rows as weights.
    """
    tries = 4 if len(graph.rows) <= FEWER_EDGES else 2 if len(graph.rows) <= FEW_EDGES else 1
    weightings = [graph.weight]
    if len(graph.rows) <= FEW_EDGES:
        weightings += [np.where(graph.operator_of == o, graph.weight, 0.0) for o in range(len(graph.operators))]
    # Asked for more parts than there are vertices, METIS puts all in one and complains on standard output.
    used = np.sort(np.argsort(-shares, kind="stable")[: len(graph.weight)])
    if len(used) == 1:
        return [np.full(len(graph.weight), used[0], dtype=np.int64)]  # whatever the weights and the seed
    cuts = Cuts(
        graph.around.starts,
        graph.around.others,
        _whole(graph.around.rows, 1),
        np.array([_whole(weights, 0) for weights in weightings]),
        np.arange(tries),
        shares[used] / shares[used].sum(),
        np.array([max(1, round((imbalance - 1) * 1000))]),
    )
    return [used[part] for part in cut_aside(cuts)]


def _whole(values: Floats, least: int) -> Ints:
    """As whole numbers: fine enough that aged counts keep their order, small enough for their sum."""
    total = float(values.sum())
    scale = 1.0 if np.array_equal(values, np.round(values)) else 1000.0
    if total * scale > _LARGEST:
        scale = _LARGEST / total
    return np.maximum(np.round(values * scale), least).astype(np.int64)
