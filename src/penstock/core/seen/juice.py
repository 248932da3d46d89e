"""Juice: the share of the source input that a job processes (Henge, section 5, equations 5 and 6)."""

from collections.abc import Mapping
from dataclasses import dataclass

from penstock.core.seen.topology import Edge, Topology
from penstock.core.units import non_negative
from penstock.errors import ConfigError


@dataclass(frozen=True, slots=True)
class JuiceResult:
    """`total` is the topology's juice, `per_operator` each operator's share summed over the sources."""

    total: float
    per_operator: Mapping[str, float]


def juice(
    topology: Topology,
    sent: Mapping[Edge, float],
    executed: Mapping[Edge, float],
    weights: Mapping[str, float] | None = None,
    taken: Mapping[str, tuple[float, float]] | None = None,
) -> JuiceResult:
    """The juice of a topology, from the tuples sent and executed on each edge in one window.

    `weights` makes some sinks count more than others (the paper's second observation). `taken` gives a
    source's (tuples taken in, tuples that arrived), where they can differ, as they do before a micro-batch
    source; the paper's spouts take in all that arrives, and so do sources left out here.

    Two places where the paper says nothing: a parent that sent nothing (a filter that let nothing pass)
    lost nothing, so its share is spread evenly over its children; and more tuples executed than sent in a
    window (a queue that drains) counts as all of them, so that juice stays within [0, 1].

    >>> t = Topology({"spout": ["A"], "A": ["B", "C"], "B": ["D"], "C": ["D"]})
    >>> sent = {("spout", "A"): 10_000, ("A", "B"): 8_000, ("A", "C"): 8_000,
    ...         ("B", "D"): 8_000, ("C", "D"): 6_000}
    >>> juice(t, sent, {**sent, ("A", "C"): 6_000}).total
    0.875
    """
    sent_on = topology.checked_edge_values(sent, "sent")
    executed_on = topology.checked_edge_values(executed, "executed")
    at_sources = _source_juice(topology, taken or {})
    actual = _propagate(topology, sent_on, executed_on, at_sources)
    total = sum(actual[sink] for sink in topology.sinks) / len(topology.sources)
    if weights is not None:
        total = _weighted(topology, sent_on, actual, weights)
    return JuiceResult(min(1.0, total), actual)  # the last bit of a sum of shares may lie above 1


def _source_juice(topology: Topology, taken: Mapping[str, tuple[float, float]]) -> dict[str, float]:
    for name in taken:
        if name not in topology.sources:
            raise ConfigError(f"taken[{name!r}]", name, f"name a source: {', '.join(topology.sources)}")
    ratios = dict.fromkeys(topology.sources, 1.0)
    for name, (took, arrived) in taken.items():
        rows = [non_negative(value, f"taken[{name!r}]") for value in (took, arrived)]
        ratios[name] = min(1.0, rows[0] / rows[1]) if rows[1] > 0 else 1.0
    return ratios


def _propagate(
    topology: Topology,
    sent: Mapping[Edge, float],
    executed: Mapping[Edge, float],
    at_sources: Mapping[str, float],
) -> dict[str, float]:
    """Equation 5 in topological order, already summed over the sources: it is linear in the parents' juice."""
    result = dict(at_sources)
    for operator in topology.operators:
        children = topology.children(operator)
        all_sent = sum(sent.get((operator, child), 0.0) for child in children)
        for child in children:
            edge = (operator, child)
            if all_sent > 0:
                # T is all that the parent sent, to whomever: this is what accounts for a split.
                share = min(executed.get(edge, 0.0), sent.get(edge, 0.0)) / all_sent
            else:
                share = 1.0 / len(children)
            result[child] = result.get(child, 0.0) + result[operator] * share
    return result


def _weighted(
    topology: Topology, sent: Mapping[Edge, float], actual: Mapping[str, float], weights: Mapping[str, float]
) -> float:
    for name in weights:
        if name not in topology.sinks:
            raise ConfigError(f"weights[{name!r}]", name, f"name a sink: {', '.join(topology.sinks)}")
    weight = {sink: non_negative(weights.get(sink, 1.0), f"weights[{sink!r}]") for sink in topology.sinks}
    # Normalised by what a lossless run of the same splits gives, so that no loss is 1 under any weights.
    lossless = _propagate(topology, sent, sent, dict.fromkeys(topology.sources, 1.0))
    best = sum(weight[sink] * lossless[sink] for sink in topology.sinks)
    if best <= 0:
        raise ConfigError("weights", dict(weights), "give at least one sink that rows reach a weight above zero")
    return sum(weight[sink] * actual[sink] for sink in topology.sinks) / best
