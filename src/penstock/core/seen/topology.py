"""What a job looks like: a DAG of operators, from its sources to its sinks."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

from penstock.core.units import non_negative
from penstock.errors import ConfigError

Edge = tuple[str, str]


@dataclass(frozen=True, slots=True, init=False)
class Topology:
    """Operators and the edges between them, checked when built.

    A source has no parent, a sink no child. An operator that sends to several children sends each tuple
    to all of them (duplicates); one with several parents takes their tuples as they come (interleaves).
    A selectivity on an edge says how many tuples leave on it for each tuple taken in: 0.5 on each of two
    edges is a split in halves.

    >>> t = Topology({"spout": ["A"], "A": ["B", "C"], "B": ["D"], "C": ["D"]})
    >>> t.operators
    ('spout', 'A', 'B', 'C', 'D')
    >>> t.sources, t.sinks
    (('spout',), ('D',))
    >>> t.rates(100.0, selectivity={("A", "B"): 0.8})["D"]
    180.0
    """

    operators: tuple[str, ...]  # in topological order
    edges: tuple[Edge, ...]
    sources: tuple[str, ...]
    sinks: tuple[str, ...]

    def __init__(self, children: Mapping[str, Sequence[str]]) -> None:
        edges = tuple(_checked_edges(children))
        order = _topological_order(children, edges)
        heads = {child for _, child in edges}
        tails = {parent for parent, _ in edges}
        set_field = object.__setattr__
        set_field(self, "operators", order)
        set_field(self, "edges", edges)
        set_field(self, "sources", tuple(name for name in order if name not in heads))
        set_field(self, "sinks", tuple(name for name in order if name not in tails))

    def parents(self, operator: str) -> tuple[str, ...]:
        """Those that send to `operator`, in the order they were declared."""
        return tuple(parent for parent, child in self.edges if child == operator)

    def children(self, operator: str) -> tuple[str, ...]:
        """Those that `operator` sends to, in the order they were declared."""
        return tuple(child for parent, child in self.edges if parent == operator)

    def rates(
        self, rate: float | Mapping[str, float], selectivity: Mapping[Edge, float] | None = None
    ) -> dict[str, float]:
        """The input rate of each operator (rows per second) when the sources take in `rate`.

        A number is the rate of every source, as GetRate in "Model-driven scheduling", section 6, has it;
        a mapping gives each source its own. An edge that `selectivity` does not name has 1.
        """
        factors = self.checked_edge_values(selectivity or {}, "selectivity")
        result = self._source_rates(rate)
        children: dict[str, list[str]] = {operator: [] for operator in self.operators}
        for parent, child in self.edges:  # once over all edges, so that a thousand operators take no time
            children[parent].append(child)
        for operator in self.operators:
            for child in children[operator]:
                flow = result[operator] * factors.get((operator, child), 1.0)
                result[child] = result.get(child, 0.0) + flow
        return {operator: result[operator] for operator in self.operators}

    def checked_edge_values(self, values: Mapping[Edge, float], field: str) -> dict[Edge, float]:
        """`values` when every key is an edge of this topology and every value is zero or more."""
        known = set(self.edges)
        for edge in values:
            if edge not in known:
                raise ConfigError(f"{field}[{edge!r}]", edge, f"name an edge of the topology: {_listed(known)}")
        return {edge: non_negative(value, f"{field}[{edge!r}]") for edge, value in values.items()}

    def _source_rates(self, rate: float | Mapping[str, float]) -> dict[str, float]:
        if isinstance(rate, Mapping):
            for name in rate:
                if name not in self.sources:
                    raise ConfigError(f"rate[{name!r}]", name, f"name a source: {_listed(self.sources)}")
            return {name: non_negative(rate.get(name, 0.0), f"rate[{name!r}]") for name in self.sources}
        checked = non_negative(rate, "rate", "write rows per second, zero or more")
        return dict.fromkeys(self.sources, checked)


def _checked_edges(children: Mapping[str, Sequence[str]]) -> Iterable[Edge]:
    if not isinstance(children, Mapping) or not children:
        raise ConfigError("topology", children, "write each operator with the list of those it sends to")
    for parent, names in children.items():
        if isinstance(names, str) or not isinstance(names, Sequence):
            raise ConfigError(f"topology[{parent!r}]", names, "write a list of operator names")
        for name in (parent, *names):
            if not isinstance(name, str) or not name:
                raise ConfigError(f"topology[{parent!r}]", name, "name operators with non-empty text")
        for name in names:
            if list(names).count(name) > 1:
                raise ConfigError(f"topology[{parent!r}]", name, "name each child once")
            yield parent, name


def _topological_order(children: Mapping[str, Sequence[str]], edges: Iterable[Edge]) -> tuple[str, ...]:
    sorter: TopologicalSorter[str] = TopologicalSorter(dict.fromkeys(children, ()))
    for parent, child in edges:
        sorter.add(child, parent)
    try:
        return tuple(sorter.static_order())
    except CycleError as error:
        loop = " -> ".join(error.args[1])  # each sends to the next
        raise ConfigError("topology", loop, "remove an edge of this cycle: rows must flow one way") from None


def _listed(names: Iterable[object]) -> str:
    return ", ".join(sorted(str(name) for name in names))
