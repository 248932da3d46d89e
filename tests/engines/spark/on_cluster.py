"""A driver of its own on a standalone cluster: shares and executors changed, an executor lost, state moved, the
controller crashed, and the counts that came of it.

Usage: on_cluster.py MASTER INPUT OUTPUT CHECKPOINT. Run by test_cluster; prints one JSON document.
"""

import json
import sys
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from penstock.core.levers import WHOLE, Executors
from penstock.core.plan import Outcome, Step
from penstock.engines.spark.engine import SparkEngine, SparkSettings
from penstock.engines.spark.jobs import Job
from penstock.engines.spark.machines import ExecutorReader
from penstock.governing.application import start_application
from tests.engines.spark.helpers import give, observed
from tests.engines.spark.test_exactly_once import (
    ROWS_PER_FILE,
    counted,
    counting_files,
    steps_of,
    taken_over,
    write_input,
)
from tests.patience import eventually

NAME, FILES = "counting", 24
CONF = {"spark.executor.cores": 1, "spark.executor.memory": "512m", "spark.sql.shuffle.partitions": 2}


def scale(engine: SparkEngine, before: int, after: int) -> str | None:
    step = Step(WHOLE, (Executors(before, after),))
    return engine.apply([step]).steps[0].error


def failed(done: Outcome) -> str | None:
    return done.steps[0].error


def executors(spark: SparkSession) -> list[str]:
    return [executor.id for executor in ExecutorReader(spark.sparkContext).read()]


def lose_one(spark: SparkSession) -> None:
    """Kill an executor under the query; the master replaces it, for the target stays."""
    jvm: Any = spark.sparkContext._jvm
    spark.sparkContext._jsc.sc().killExecutors(jvm.PythonUtils.toSeq(executors(spark)[:1]))


def main(master: str, source: Path, target: Path, checkpoint: str) -> dict[str, Any]:
    spark = start_application("cluster test", master, CONF)
    expected = {row["key"]: row["count"] for row in write_input(spark, source, FILES).collect()}
    job = Job(NAME, counting_files(source, target, checkpoint))
    first = SparkEngine(spark, [job], SparkSettings(20.0, lease_s=1.0))
    first.open()
    first.start_jobs()
    eventually(lambda: len(executors(spark)) == 2 or None)
    observed(first, NAME, lambda figures: figures.processed_rps)
    errors = [failed(give(first, NAME, 2)), scale(first, 2, 1), scale(first, 1, 2), scale(first, 2, 2)]
    lose_one(spark)
    errors.append(failed(first.apply(steps_of(NAME, 3))))
    # The controller dies here: it is never closed, and the query runs on until the next one takes over.
    engine = eventually(lambda: taken_over(spark, job))
    errors.append(failed(give(engine, NAME, 1)))
    eventually(lambda: sum(counted(spark, target).values()) == ROWS_PER_FILE * FILES or None)
    machines = [machine.name for machine in engine.observe(1.0).machines]
    equal = counted(spark, target) == expected
    engine.close(stop_queries=True)
    spark.stop()
    return {"equal": equal, "errors": errors, "machines": machines}


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4])))
