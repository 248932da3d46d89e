"""A driver whose standalone master is killed and started again while its executors work.

Usage: on_lost_master MASTER. Run by test_cluster; prints one JSON document.
"""

import json
import sys
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JError
from pyspark.sql import SparkSession

from penstock.engines.spark.jvm.executors import ExecutorLever
from penstock.engines.spark.jvm.machines import ExecutorReader
from penstock.engines.spark.launch.application import start_application
from penstock.errors import EngineError
from penstock.local import processes
from tests.killed import killed
from tests.patience import eventually

EXECUTORS = 2
CONF = {"spark.cores.max": EXECUTORS, "spark.executor.cores": 1, "spark.executor.memory": "512m"}


def main(master: str, log: Path) -> dict[str, Any]:
    spark = start_application("lost master", master, CONF)
    lever = ExecutorLever(spark.sparkContext)
    eventually(lambda: lever.count() == EXECUTORS)
    before = executors(spark)
    port = master.rpartition(":")[2]
    (lost,) = (
        one for one in processes.found_by("master", port) if "master.Master" in " ".join(processes.command_of(one.pid))
    )
    killed(lost).again(log)
    # It knows the application again once it answers for it.
    eventually(lambda: aimed(lever, 1))
    eventually(lambda: gone(lever, 1))
    after = executors(spark)
    spark.stop()
    return {"before": before, "after": after}


def aimed(lever: ExecutorLever, wanted: int) -> bool:
    try:
        lever.aim(wanted)
    except (EngineError, Py4JError):  # it is away still, or does not know the application yet
        return False
    return True


def gone(lever: ExecutorLever, left: int) -> bool:
    there = lever.count()
    if there > left:
        lever.let_go(left)
    return there == left


def executors(spark: SparkSession) -> list[str]:
    return sorted(executor.id for executor in ExecutorReader(spark.sparkContext).read())


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], Path(sys.argv[2]))))
