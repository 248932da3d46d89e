"""A plan carried out, each operator on executors of its own, by a driver of its own. Prints one JSON document."""

import json
from typing import Any

from plan_runner import plan_runner
from pyspark.sql import SparkSession

from penstock.core.known.performance import PerformanceModel
from penstock.core.seen.topology import Topology
from penstock.engines.spark.jvm.machines import ExecutorReader
from penstock.engines.spark.profiling import application
from penstock.engines.spark.profiling.settings import TrialSettings
from penstock.local.spark import standalone
from penstock.planning.provision.allocate import allocate
from penstock.planning.provision.place import place
from penstock.workloads.tasks.pi_viete import PiViete
from tests.patience import eventually, patiently

# At 30 rows/s "wait" fills a slot with 2 threads; "parse" takes a tenth of another.
RATE_RPS = 30.0
MODELS = {
    "parse": PerformanceModel([(1, 600.0, 1.0, 0.1)]),
    "wait": PerformanceModel([(1, 15.0, 0.1, 0.1), (2, 30.0, 0.3, 0.3)]),
}


def main() -> dict[str, Any]:
    placement = place(allocate(Topology({"parse": ["wait"]}), RATE_RPS, MODELS), machines=[1, 1])
    patiently(standalone, application)
    tasks = dict.fromkeys(MODELS, PiViete(repeats=10))
    with plan_runner(placement, tasks, TrialSettings(length_s=1.0, warm_up_s=0.2)) as runner:
        # One during which the machine stood still has seen nothing done.
        measured = eventually(lambda: found if (found := runner.run(RATE_RPS)).trial.processed_rps else None)
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
