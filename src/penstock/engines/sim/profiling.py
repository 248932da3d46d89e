"""Performance models of simulated operators, as a profiler would find them: one operator on one core, saturated.

Algorithm 1 of "Model-driven scheduling" raises the rate until the latency grows without end. In a simulation without
noise the rate that an overloaded operator keeps up is that same rate, found in one trial instead of many.
"""

from dataclasses import replace
from functools import cache

import numpy as np

from penstock.core.known.performance import PerformanceModel
from penstock.core.seen.topology import Topology
from penstock.engines.sim.continuous import ContinuousCluster
from penstock.engines.sim.spec import SimCluster, SimJob, SimOperator

TRIAL_S = 40
WARM_UP_S = 20
GAIN = 0.02  # threads are doubled for as long as that raises the peak rate by this share
MOST_THREADS = 256


@cache  # jobs of one topology share their operators
def profiled(operator: SimOperator, cluster: SimCluster) -> PerformanceModel:
    """The operator's model on one core of such a machine."""
    slot = replace(cluster, machines=1, cores=1, memory_mb=cluster.memory_mb / cluster.cores, noise=0.0)
    points: list[tuple[int, float, float, float]] = []
    threads = 1
    while threads <= MOST_THREADS:
        rate = _peak(replace(operator, threads=threads), slot)
        points.append((threads, rate, min(1.0, rate * operator.cpu_s), threads * _memory(operator, slot)))
        if threads > 1 and rate < points[-2][1] * (1 + GAIN):
            break
        threads *= 2
    return PerformanceModel(points, {"profiled": "on the simulator, one core"})


def _peak(operator: SimOperator, slot: SimCluster) -> float:
    offered = 2.0 * operator.threads / (operator.cpu_s + operator.wait_s)
    arrivals = {operator.name: np.full(TRIAL_S + 1, offered)}
    job = SimJob("trial", Topology({operator.name: []}), (operator,), arrivals)
    world = ContinuousCluster([job], slot)
    world.advance_to(WARM_UP_S)
    before = float(world.totals[1].sum())
    world.advance_to(TRIAL_S)
    return (float(world.totals[1].sum()) - before) / (TRIAL_S - WARM_UP_S)


def _memory(operator: SimOperator, slot: SimCluster) -> float:
    return operator.memory_mb_per_thread / slot.memory_mb
