"""The jobs of a simulated cluster flattened into arrays: one row per operator, one per edge."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from penstock.core.arrays import Floats, Ints
from penstock.engines.sim.spec import SimJob, SimOperator


@dataclass(frozen=True, slots=True)
class Level:
    """The edges that end at one depth, from the sources down."""

    parents: Ints
    children: Ints
    selectivity: Floats
    split: Floats
    here: Ints  # the operators at this depth, each once


@dataclass(frozen=True, slots=True)
class Layout:
    """Where everything is."""

    jobs: tuple[SimJob, ...]
    job_of: Ints
    first: Ints  # first operator of each job; one more at the end
    cpu_s: Floats
    wait_s: Floats
    variability: Floats
    memory_mb: Floats
    retention_s: Floats
    tuple_mb: Floats
    queue_limit: Floats  # per thread; infinite where there is none
    blocks: NDArray[np.bool_]
    any_blocks: bool
    is_source: NDArray[np.bool_]
    is_sink: NDArray[np.bool_]
    edge_from: Ints
    edge_to: Ints
    selectivity: Floats
    split: Floats  # the edge's share of all that its parent sends
    levels: tuple["Level", ...]
    sources: Ints
    sources_per_job: Floats

    @property
    def size(self) -> int:
        """How many operators there are."""
        return len(self.job_of)


def lay_out(jobs: Sequence[SimJob]) -> Layout:
    """Number all operators and edges, job by job, in topological order."""
    operators = [operator for job in jobs for operator in job.operators]
    counts = [len(job.operators) for job in jobs]
    first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    edge_from, edge_to, selectivity, split = _edges(jobs, first)
    is_source = np.ones(len(operators), dtype=bool)
    is_source[edge_to] = False
    is_sink = np.ones(len(operators), dtype=bool)
    is_sink[edge_from] = False
    job_of = np.repeat(np.arange(len(jobs)), counts)
    sources = np.flatnonzero(is_source)
    return Layout(
        jobs=tuple(jobs),
        job_of=job_of,
        first=first,
        cpu_s=_column(operators, "cpu_s"),
        wait_s=_column(operators, "wait_s"),
        variability=_column(operators, "variability"),
        memory_mb=_column(operators, "memory_mb_per_thread"),
        retention_s=_column(operators, "retention_s"),
        tuple_mb=_column(operators, "bytes_per_tuple") / 1e6,
        queue_limit=np.array([np.inf if o.queue_limit is None else o.queue_limit for o in operators]),
        blocks=np.repeat([job.overflow == "block" for job in jobs], counts),
        any_blocks=any(job.overflow == "block" for job in jobs),
        is_source=is_source,
        is_sink=is_sink,
        edge_from=edge_from,
        edge_to=edge_to,
        selectivity=selectivity,
        split=split,
        levels=_levels(edge_from, edge_to, selectivity, split, len(operators)),
        sources=sources,
        sources_per_job=np.bincount(job_of[sources], minlength=len(jobs)).astype(float),
    )


def _column(operators: Sequence[SimOperator], name: str) -> Floats:
    return np.array([getattr(operator, name) for operator in operators], dtype=float)


def _edges(jobs: Sequence[SimJob], first: Ints) -> tuple[Ints, Ints, Floats, Floats]:
    rows: list[tuple[int, int, float]] = []
    for number, job in enumerate(jobs):
        place = {operator.name: int(first[number]) + i for i, operator in enumerate(job.operators)}
        edges = [(place[a], place[b], job.selectivity.get((a, b), 1.0)) for a, b in job.topology.edges]
        rows += sorted(edges)  # parents in topological order, which the levels rely on
    edge_from = np.array([row[0] for row in rows], dtype=np.int64)
    edge_to = np.array([row[1] for row in rows], dtype=np.int64)
    selectivity = np.array([row[2] for row in rows], dtype=float)
    sent = np.bincount(edge_from, weights=selectivity, minlength=int(first[-1]))
    children = np.bincount(edge_from, minlength=int(first[-1]))
    # A parent that lets nothing pass lost nothing: its juice goes to its children in equal parts.
    even = 1.0 / np.maximum(children[edge_from], 1)
    split = np.where(sent[edge_from] > 0, selectivity / np.maximum(sent[edge_from], 1e-300), even)
    return edge_from, edge_to, selectivity, split


def _levels(edge_from: Ints, edge_to: Ints, selectivity: Floats, split: Floats, size: int) -> tuple[Level, ...]:
    depth = np.zeros(size, dtype=np.int64)
    for parent, child in zip(edge_from, edge_to, strict=True):
        depth[child] = max(depth[child], depth[parent] + 1)
    by_depth = depth[edge_to]
    found = [np.flatnonzero(by_depth == d) for d in range(1, int(depth.max(initial=0)) + 1)]
    return tuple(Level(edge_from[at], edge_to[at], selectivity[at], split[at], np.unique(edge_to[at])) for at in found)
