"""A driver of its own on a standalone cluster: executors down and up, one lost, and the counts that came of it.

Usage: on_cluster.py MASTER INPUT OUTPUT CHECKPOINT. Run by test_cluster; prints one JSON document.
"""

import json
import sys
from pathlib import Path

from penstock.core.plan import Change, Step
from penstock.engines.spark.engine import CLUSTER, EXECUTORS, SparkEngine, SparkSettings
from penstock.engines.spark.jobs import Job
from penstock.governing.application import start_application
from tests.engines.spark.helpers import eventually, observed, of
from tests.engines.spark.test_exactly_once import FILES, ROWS_PER_FILE, counted, counting_files, write_input

master, source, target, checkpoint = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4]
conf = {"spark.executor.cores": "1", "spark.executor.memory": "512m", "spark.sql.shuffle.partitions": 2}
spark = start_application("cluster test", master, conf)


def scale(engine: SparkEngine, before: int, after: int) -> list[str | None]:
    step = Step(CLUSTER, (Change(CLUSTER, EXECUTORS, before, after),))
    return [found.error for found in engine.apply([step]).steps]


def lose_one() -> None:
    """Kill an executor under the query; the master replaces it, for the target stays."""
    jvm = spark.sparkContext._jvm
    assert jvm is not None
    spark.sparkContext._jsc.sc().killExecutors(jvm.PythonUtils.toSeq([executors()[0]]))


def executors() -> list[str]:
    return [executor.id for executor in engine._executor_reader.read()]


expected = {row["key"]: row["count"] for row in write_input(spark, source).collect()}
engine = SparkEngine(spark, [Job("counting", counting_files(source, target, checkpoint))], SparkSettings(window_s=20.0))
engine.open()
engine.start_jobs()
eventually(lambda: len(executors()) == 2 or None)
observed(engine, "counting", lambda job: job.processed_rps)
errors = [*scale(engine, 2, 1), *scale(engine, 1, 2), *scale(engine, 2, 2)]
lose_one()
machines = [machine.name for machine in engine.observe(1.0).machines]
eventually(lambda: sum(counted(spark, target).values()) == ROWS_PER_FILE * FILES or None)
shuffle_bytes = [stage.shuffle_remote_bytes for stage in of(engine.observe(2.0), "counting").stages]
equal = counted(spark, target) == expected
engine.close(stop_queries=True)
spark.stop()
print(json.dumps({"equal": equal, "errors": errors, "machines": machines, "shuffle": shuffle_bytes}))
