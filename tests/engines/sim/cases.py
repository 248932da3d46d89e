"""Small clusters for tests of the simulator."""

from typing import Any

import numpy as np

from penstock.core.seen.topology import Topology
from penstock.engines.sim.continuous import ContinuousCluster
from penstock.engines.sim.spec import Fault, SimCluster, SimJob, SimOperator

QUIET = SimCluster(machines=2, cores=4, idle_load=0.0, network_s=0.0, context_switch=0.0)


def line(name: str = "a", rate: float = 100.0, seconds: int = 1000, **more: Any) -> SimJob:
    """Source, work, sink; work takes 5 ms of CPU on two threads unless told otherwise."""
    work = more.pop("work", SimOperator("work", threads=2, cpu_s=0.005))
    operators = (SimOperator("source", cpu_s=0.0001), work, SimOperator("sink", cpu_s=0.0001))
    topology = Topology({"source": ["work"], "work": ["sink"]})
    return SimJob(name, topology, operators, {"source": np.full(seconds, rate)}, **more)


def run(*jobs: SimJob, until_s: float = 300.0, cluster: SimCluster = QUIET, faults: tuple[Fault, ...] = ()) -> Any:
    """The cluster after so many seconds."""
    result = ContinuousCluster(jobs, cluster, faults)
    result.advance_to(until_s)
    return result
