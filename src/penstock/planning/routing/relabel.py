"""Relabelling: which part becomes which server, so that most keys, or most state, stay where they are."""

from collections.abc import Sequence

import numpy as np

from penstock.core.arrays import Ints
from penstock.planning.routing.balance import best_match
from penstock.planning.routing.judging import rack_of


def relabelled(part: Ints, before: Ints, servers: int) -> Ints:
    """The same partition under the names that move least; `before` holds -1 for keys that lived nowhere."""
    known = before >= 0
    kept = np.zeros((servers, servers))
    np.add.at(kept, (part[known], before[known]), 1.0)
    return best_match(kept)[part]


def relabelled_in_racks(part: Ints, before: Ints, racks: Sequence[int]) -> Ints:
    """As `relabelled`, but servers only change names within their rack, and whole racks of equal size among them."""
    sizes, rack = list(racks), rack_of(racks)
    servers = len(rack)
    known = before >= 0
    kept = np.zeros((servers, servers))
    np.add.at(kept, (part[known], before[known]), 1.0)
    first = np.concatenate([[0], np.cumsum(sizes)])
    worth = np.full((len(sizes), len(sizes)), -1.0)
    inner: dict[tuple[int, int], Ints] = {}
    for a, size in enumerate(sizes):
        for b in (b for b, other in enumerate(sizes) if other == size):
            block = kept[first[a] : first[a] + size, first[b] : first[b] + size]
            inner[a, b] = best_match(block)
            worth[a, b] = float(block[np.arange(size), inner[a, b]].sum())
    # A rack must not take a place of another size: that is worth less than any arrangement of equal ones.
    worth[worth < 0] = -(float(kept.sum()) + 1) * (len(sizes) + 1)
    names = np.zeros(servers, dtype=np.int64)
    for a, b in enumerate(best_match(worth).tolist()):
        names[first[a] : first[a] + sizes[a]] = first[b] + inner[a, b]
    return names[part]
