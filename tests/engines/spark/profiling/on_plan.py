"""A plan carried out, each operator on executors of its own, by a driver of its own. Prints one JSON document."""

import json
from typing import Any

from plan_runner import plan_runner
from pyspark.sql import SparkSession

from penstock.core.performance import PerformanceModel
from penstock.core.topology import Topology
from penstock.engines.spark.jvm.machines import ExecutorReader
from penstock.engines.spark.profiling.settings import TrialSettings
from penstock.planning.provision.allocate import allocate
from penstock.planning.provision.place import place
from penstock.workloads.tasks.pi_viete import PiViete

# At 60 rows/s "wait" needs two slots of its own, with 2 threads each; "parse" takes a tenth of a third.
MODELS = {
    "parse": PerformanceModel([(1, 600.0, 1.0, 0.1)]),
    "wait": PerformanceModel([(1, 15.0, 0.1, 0.1), (2, 30.0, 0.3, 0.3)]),
}


def main() -> dict[str, Any]:
    placement = place(allocate(Topology({"parse": ["wait"]}), 60.0, MODELS), machines=[2, 1])
    tasks = dict.fromkeys(MODELS, PiViete(repeats=10))
    with plan_runner(placement, tasks, TrialSettings(length_s=1.5, warm_up_s=0.5)) as runner:
        measured = runner.run(60.0)
        spark = SparkSession.getActiveSession()
        assert spark is not None
        executors = ExecutorReader(spark.sparkContext).read()
    return {
        "planned": sorted((group.address, group.threads) for group in runner.groups),
        "executors": sorted((executor.host, executor.slots) for executor in executors),
        "processed_rps": measured.trial.processed_rps,
        "memory": measured.memory,
    }


if __name__ == "__main__":
    print(json.dumps(main()))
