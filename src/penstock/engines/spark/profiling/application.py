"""A Spark application whose executors are slots: one for each worker, or those that its groups of threads ask for."""

import contextlib
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import SparkSession

from penstock.engines.spark.jvm.machines import ExecutorReader
from penstock.engines.spark.launch import driver
from penstock.engines.spark.profiling.binding import CONF as BY_GROUP
from penstock.errors import EngineError, first_line
from penstock.local import processes
from penstock.local.processes import Process
from penstock.local.spark import secret, standalone

_UP_WITHIN_S = 120.0
_LOOK_EVERY_S = 0.05
EXECUTOR_MEMORY = "512m"
_WORKER_MEMORY = "64g"  # the master's bookkeeping only: no limit of ours
_LOG = Path(driver.__file__).with_name("log4j2.properties")
_CONF = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={_LOG}",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "512m",
    "spark.executor.memory": EXECUTOR_MEMORY,
    # What a JVM takes by itself on the one core of a profile; on two it would take G1, and more memory than profiled.
    "spark.executor.extraJavaOptions": "-XX:+UseSerialGC",
    "spark.locality.wait": "0",
    "spark.task.maxFailures": "1",  # a thread that fails is an error of the task, to be seen at once
    "spark.python.daemon.module": "penstock.engines.spark.profiling.daemon",
}


@dataclass(frozen=True, slots=True)
class SlotApplication:
    """A running application, and the process of each worker."""

    spark: SparkSession
    workers: tuple[Process, ...]


@contextmanager
def slot_application(workers: Sequence[standalone.WorkerToStart]) -> Iterator[SlotApplication]:
    """A standalone cluster of these workers with one application on all of them, until the end of the block.

    Workers that offer resources get their executors when groups of threads ask for them, all others one at once.
    """
    by_group = any(worker.offers for worker in workers)
    with tempfile.TemporaryDirectory(prefix="penstock-slots-", ignore_cleanup_errors=True) as place:
        state = Path(place, "cluster.json")
        try:
            cluster = standalone.up_workers(state, workers, _WORKER_MEMORY, processes.free_port())
            spark = _session(cluster.master, BY_GROUP if by_group else {})
            try:
                if not by_group:
                    wait_until(lambda: _executors(spark) >= len(workers), "all executors", _UP_WITHIN_S)
                yield SlotApplication(spark, cluster.processes[1:])
            finally:
                with contextlib.suppress(Exception):  # a JVM that Ctrl-C has ended already cannot be asked to stop
                    spark.stop()
        finally:
            standalone.down(state)


def wait_until(done: Callable[[], bool], what: str, within_s: float) -> None:
    """Look until it is so; an EngineError says what did not come."""
    deadline = time.monotonic() + within_s
    while not done():
        if time.monotonic() > deadline:
            raise EngineError(f"{what}: not there within {within_s:.0f} s")
        time.sleep(_LOOK_EVERY_S)


def _session(master: str, more: Mapping[str, str]) -> SparkSession:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    given = {"spark.master": master, "spark.app.name": "penstock slots"}
    try:
        return driver.session({**_CONF, **more, **secret.settings_for(master), **given})
    except Exception as error:  # Spark and py4j raise many kinds; all mean that there is no application
        raise EngineError(f"Spark did not start at {master}: {first_line(error)}") from error


def _executors(spark: SparkSession) -> int:
    return sum(executor.id != "driver" for executor in ExecutorReader(spark.sparkContext).read())
