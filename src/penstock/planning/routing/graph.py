"""The graph of keys: a vertex for each key of each operator, an edge for each pair that met, weighted by rows.

With two operators it is the bipartite graph of the routing paper, section 3.3; with a chain or DAG, one part
for each operator. Arrays, because a million edges are to be partitioned in seconds.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from operator import itemgetter

import numpy as np

from penstock.core.arrays import Floats, Ints
from penstock.core.known.routing_table import LEFT, RIGHT
from penstock.core.seen.pairs import Key, PairCounts
from penstock.core.seen.routes import Links
from penstock.errors import ConfigError


@dataclass(frozen=True, slots=True, eq=False)
class Neighbours:
    """The edges from both ends: those of vertex v are `others` and `rows` from `starts[v]` up to `starts[v + 1]`."""

    starts: Ints
    others: Ints
    rows: Floats

    @classmethod
    def of(cls, left: Ints, right: Ints, rows: Floats, size: int) -> "Neighbours":
        """From edges that are held once."""
        ends = np.concatenate([left, right])
        order = np.argsort(ends, kind="stable")
        starts = np.concatenate([[0], np.cumsum(np.bincount(ends, minlength=size))])
        return cls(starts, np.concatenate([right, left])[order], np.concatenate([rows, rows])[order])


@dataclass(frozen=True, slots=True, eq=False)
class KeyGraph:
    """Vertices are numbered operator by operator; `first[o]` is the first of operator o. Edges are held once."""

    operators: tuple[str, ...]
    keys: tuple[Key, ...]
    first: Ints  # one more than there are operators
    weight: Floats  # rows that a key gets
    left: Ints  # the ends of each edge, and its rows
    right: Ints
    rows: Floats
    around: Neighbours

    @property
    def operator_of(self) -> Ints:
        """The operator's number for each vertex."""
        return np.repeat(np.arange(len(self.operators)), np.diff(self.first))

    def table(self, part: Ints) -> dict[str, dict[Key, int]]:
        """The servers of the keys, by operator."""
        servers = part.tolist()
        bounds = self.first.tolist()
        return {
            name: dict(zip(self.keys[low:high], servers[low:high], strict=True))
            for name, low, high in zip(self.operators, bounds, bounds[1:], strict=False)
        }

    def part(self, keys: Mapping[str, Mapping[Key, int]], absent: int = -1) -> Ints:
        """The servers of the vertices by a table; `absent` for keys that it does not list."""
        servers: list[int] = []
        for number, name in enumerate(self.operators):
            listed = keys.get(name, {})
            servers += [listed.get(key, absent) for key in self.keys[self.first[number] : self.first[number + 1]]]
        return np.array(servers, dtype=np.int64)


def graph_of(pairs: PairCounts) -> KeyGraph:
    """The bipartite graph of two operators, `left` and `right`."""
    return graph_of_links({(LEFT, RIGHT): pairs})


def graph_of_links(links: Links) -> KeyGraph:
    """The multipartite graph of a chain or DAG; operators in the order in which rows pass them."""
    operators = _in_flow_order(links)
    keys_of = {name: _keys(name, links) for name in operators}
    first = np.cumsum([0, *(len(keys_of[name]) for name in operators)])
    number = {
        name: {key: vertex for vertex, key in enumerate(keys_of[name], int(first[place]))}
        for place, name in enumerate(operators)
    }
    ends = [_edges(number[a], number[b], counts) for (a, b), counts in links.items() if counts.pairs]
    left, right, rows = (np.concatenate(arrays) for arrays in zip(*ends, strict=True)) if ends else _no_edges()
    weight = _weights(ends, int(first[-1]))
    keys = tuple(key for name in operators for key in keys_of[name])
    return KeyGraph(operators, keys, first, weight, left, right, rows, Neighbours.of(left, right, rows, len(keys)))


def _in_flow_order(links: Links) -> tuple[str, ...]:
    names = list(dict.fromkeys(name for link in links for name in link))
    ordered: list[str] = []
    while len(ordered) < len(names):
        waiting = [name for name in names if name not in ordered]
        ready = [name for name in waiting if all(a in ordered for a, b in links if b == name)]
        if not ready:
            raise ConfigError("links", waiting, "operators must not feed themselves, directly or in a circle")
        ordered.append(ready[0])
    return tuple(ordered)


def _keys(operator: str, links: Links) -> list[Key]:
    found: dict[Key, None] = {}
    for (a, b), counts in links.items():
        if a == operator:
            found.update(dict.fromkeys(map(itemgetter(0), counts.pairs)))
        if b == operator:
            found.update(dict.fromkeys(map(itemgetter(1), counts.pairs)))
    return sorted(found, key=repr)  # so that the order in which counts arrived changes nothing


def _edges(left: Mapping[Key, int], right: Mapping[Key, int], counts: PairCounts) -> tuple[Ints, Ints, Floats]:
    size = len(counts.pairs)
    a_keys, b_keys = zip(*counts.pairs, strict=True)
    a = np.fromiter(map(left.__getitem__, a_keys), np.int64, size)
    b = np.fromiter(map(right.__getitem__, b_keys), np.int64, size)
    rows = np.fromiter(counts.pairs.values(), np.float64, size)
    order = np.argsort(a * (int(b.max()) + 1) + b)  # pairs are unique: no two are equal
    return a[order], b[order], rows[order]


def _no_edges() -> tuple[Ints, Ints, Floats]:
    return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0)


def _weights(ends: Iterable[tuple[Ints, Ints, Floats]], size: int) -> Floats:
    """Rows in over all links, or rows out to the busiest successor where that is more: each counts every row."""
    rows_in, rows_out = np.zeros(size), np.zeros(size)
    for left, right, rows in ends:
        rows_in += np.bincount(right, weights=rows, minlength=size)
        rows_out = np.maximum(rows_out, np.bincount(left, weights=rows, minlength=size))
    return np.maximum(rows_in, rows_out)
