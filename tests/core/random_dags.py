"""Random topologies for properties: each operator but the first may have parents among those before it."""

from hypothesis import strategies as st

from penstock.core.seen.topology import Edge, Topology


@st.composite
def topologies(draw: st.DrawFn, most: int = 8) -> Topology:
    """A DAG of 1 to `most` operators; those without a parent are sources."""
    number = draw(st.integers(1, most))
    children: dict[str, list[str]] = {f"op{index}": [] for index in range(number)}
    for index in range(1, number):
        parents = draw(st.sets(st.integers(0, index - 1), max_size=3))
        for parent in sorted(parents):
            children[f"op{parent}"].append(f"op{index}")
    return Topology(children)


def split_evenly(topology: Topology) -> dict[Edge, float]:
    """The selectivity of a split: each tuple goes to one of an operator's k children."""
    return {(parent, child): 1.0 / len(topology.children(parent)) for parent, child in topology.edges}
