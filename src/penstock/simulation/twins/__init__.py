"""Twins: the benchmarks' tenants on the simulator of micro-batches, for policies to be judged on without a cluster.

for twin in twins():
    print(twin.name, run(twin, "penstock", seed=1).utility_share)
run(twin, Fixed(slots={"payments": 5}, bounds={"clicks": 150}))
"""

from penstock.simulation.twins.cases import burning, twin_named, twins
from penstock.simulation.twins.run import Fixed, TwinResult, mean_share, run
from penstock.simulation.twins.twin import Twin

__all__ = ["Fixed", "Twin", "TwinResult", "burning", "mean_share", "run", "twin_named", "twins"]
