"""Python functions on real Spark: what they compute is work, what they wait for is not."""

import time
from collections.abc import Callable

from pyspark.sql import SparkSession, functions
from pyspark.sql.streaming.readwriter import DataStreamWriter
from pyspark.sql.types import LongType

from penstock.core.seen.figures import JobFigures
from penstock.engines.spark.jobs.job import Job
from tests.engines.spark.helpers import of
from tests.patience import eventually
from tests.real_spark import OpenEngine

_BURNS_S = 0.03  # a row
# A row, and many a batch: handing a batch to a worker takes CPU time of its own, a tenth of a second and more on a slow
# machine. Of a third of a second asleep that was as much as this test takes for work.
_SLEEPS_S = 0.06


def _burns(value: int) -> int:
    """By the worker's own clock of its CPU, so that it is work however slow the machine is."""
    until_s = time.process_time() + _BURNS_S
    while time.process_time() < until_s:
        pass
    return value


def _sleeps(value: int) -> int:
    """As a tenant's function waits for a service of others: its slot is taken, and no core."""
    time.sleep(_SLEEPS_S)
    return value


def _through(function: Callable[[int], int], every: str) -> Callable[[SparkSession], DataStreamWriter]:
    def job(spark: SparkSession) -> DataStreamWriter:
        rates = spark.readStream.format("rate").option("rowsPerSecond", 10).option("numPartitions", 1).load()
        rows = rates.select(functions.udf(function, LongType(), useArrow=False)("value"))
        return rows.writeStream.format("noop").trigger(processingTime=every)

    return job


def test_what_a_python_function_computes_is_on_cores_and_what_it_sleeps_is_not(engine: OpenEngine, name: str) -> None:
    """Both at once, in batches that begin at other times; workers that just start work in either."""
    burns, sleeps = f"{name}-burns", f"{name}-sleeps"
    running = engine(Job(burns, _through(_burns, "2 seconds")), Job(sleeps, _through(_sleeps, "3 seconds")))

    def told() -> bool:
        running.tend()
        snapshot = running.observe(time.monotonic())
        # Of what it burns all is on a core, by its own clock. Of what it sleeps nothing; Spark's own part is small.
        asleep = _on_cores(of(snapshot, sleeps), _SLEEPS_S)
        return _on_cores(of(snapshot, burns), _BURNS_S) > 0.7 and 0.0 < asleep < 0.4

    assert eventually(told)


def _on_cores(job: JobFigures, each_s: float) -> float:
    """Of the time that its rows take in Python, each so long, in the batches told; 0 while nothing is known."""
    found = [(one.rows, one.cpu_s) for one in job.batches if one.rows and one.cpu_s is not None]
    rows = sum(rows for rows, _ in found)
    return sum(cpu_s for _, cpu_s in found) / (each_s * rows) if rows else 0.0
