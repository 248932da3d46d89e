"""The paper's tasks and DAGs as they ship, and small models of no paper, for tests."""

from itertools import pairwise

from hypothesis import strategies as st

from penstock.config.plan_job import read_plan_job
from penstock.core.known.allocation import Allocation
from penstock.core.known.performance import PerformanceModel
from penstock.core.seen.topology import Topology
from penstock.planning.provision.allocate import allocate


def planned(dag: str, rate: float, method: str = "mba") -> Allocation:
    """A DAG that ships at that rate, by the paper's models."""
    job = read_plan_job(dag)
    return allocate(job.topology, rate, job.models, method, job.selectivity)


def alone(rate: float, threads: int = 2, method: str = "mba") -> Allocation:
    """One operator whose slot does 100 rows/s with `threads` threads, 60 with one."""
    model = PerformanceModel([(1, 60, 0.5, 0.3), (threads, 100, 0.9, 0.6)])
    return allocate(Topology({"work": []}), rate, {"work": model}, method)


SHARES = st.floats(0.01, 1)


@st.composite
def rising_models(draw: st.DrawFn) -> PerformanceModel:
    """Models whose rate, CPU and memory rise with the threads, as far as they are measured."""
    counts = sorted(draw(st.sets(st.integers(2, 12), max_size=3)) | {1})
    columns = [sorted(draw(st.lists(value, min_size=len(counts), max_size=len(counts)))) for value in _VALUES]
    return PerformanceModel(list(zip(counts, *columns, strict=True)))


_VALUES = (st.floats(5, 100), SHARES, SHARES)


@st.composite
def allocations(draw: st.DrawFn, method: str = "mba") -> Allocation:
    """A chain of up to six operators with models of their own."""
    names = [f"op{n}" for n in range(draw(st.integers(1, 6)))]
    flow: dict[str, list[str]] = {name: [] for name in names}
    flow.update({parent: [child] for parent, child in pairwise(names)})
    models = {name: draw(rising_models()) for name in names}
    return allocate(Topology(flow), draw(st.floats(0.5, 300)), models, method)
