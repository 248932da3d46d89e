"""A driver one of whose executors is killed under its query, comes again, and is let go of then.

Usage: on_lost_executor MASTER PLACE. Run by test_lost_on_cluster; prints one JSON document.
"""

import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from penstock.core.seen.figures import JobFigures
from penstock.engines.spark.engine import SparkEngine
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.jvm.executors import ExecutorLever
from penstock.engines.spark.jvm.live import LiveSpark
from penstock.engines.spark.jvm.machines import ExecutorReader
from penstock.engines.spark.launch.application import start_application
from penstock.engines.spark.settings import SparkSettings
from penstock.local import processes
from tests.engines.spark.counting_files import CountedFiles
from tests.engines.spark.helpers import of
from tests.patience import eventually, patience_s

NAME = "counting"
EXECUTORS = 2
CONF = {
    "spark.cores.max": EXECUTORS,
    "spark.executor.cores": 1,
    "spark.executor.memory": "512m",
    "spark.sql.shuffle.partitions": 2,
}


def main(master: str, place: Path) -> dict[str, Any]:
    spark = start_application("lost executor", master, CONF)
    lever = ExecutorLever(spark.sparkContext, leaves_within_s=patience_s())
    eventually(lambda: lever.count() == EXECUTORS)
    files = CountedFiles(spark, place)
    files.give(3)
    engine = SparkEngine(LiveSpark(spark), [Job(NAME, files.job, slots=EXECUTORS)], SparkSettings(3600.0))
    engine.open()
    engine.start(wait=True)

    def seen() -> JobFigures:
        engine.tend()
        return of(engine.observe(time.monotonic()), NAME)

    def told_of_a_loss() -> JobFigures | None:
        files.give(1)  # so that batches run meanwhile
        figures = seen()
        return figures if figures.short_s is not None else None

    eventually(lambda: seen().batches)
    reader = ExecutorReader(spark.sparkContext)
    lost = reader.read()[0].id
    killed_s = time.monotonic()
    kill(spark, lost)
    figures = eventually(told_of_a_loss)
    lever.aim(EXECUTORS - 1)
    lever.let_go(EXECUTORS - 1)
    eventually(lambda: lever.count() == EXECUTORS - 1)
    afterwards = seen()
    eventually(lambda: sum(files.counted.values()) >= sum(files.expected.values()))
    engine.close(stop_jobs=True)
    departed = reader.departed()
    spark.stop()
    return {
        "figures": [figures.lost, figures.downtime_s, figures.short_s, figures.short_of, figures.slowed],
        "late_s": (figures.failed_at_s or 0.0) - killed_s,
        "same_afterwards": abs((afterwards.failed_at_s or 0.0) - (figures.failed_at_s or 0.0)) < 1.0,
        "departed": {one.id: one.asked for one in departed},
        "lost": lost,
        "equal": files.counted == files.expected,
    }


def kill(spark: SparkSession, executor: str) -> None:
    """The process of that executor of this application."""
    named = ["--executor-id", executor]
    for process in processes.found_by("executor", str(spark.sparkContext.applicationId)):
        command = processes.command_of(process.pid)
        if named in [command[place : place + 2] for place in range(len(command))]:
            os.kill(process.pid, signal.SIGKILL)
            return
    raise AssertionError(f"executor {executor} has no process here")


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], Path(sys.argv[2]))))
