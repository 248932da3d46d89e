"""Queries that read and write Delta and Iceberg are governed as others are; what cannot be moved there says so."""

import pytest
from pyspark.sql import SparkSession

from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.jvm.batch_bound import BatchBounds
from tests.engines.spark.helpers import give, observed
from tests.lakes.lake import Lake
from tests.patience import eventually
from tests.real_spark import OpenEngine

# PySpark before 4.2 leaves the socket of collect() to whoever sweeps up.
pytestmark = [pytest.mark.lakes, pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")]


@pytest.fixture
def running(spark: SparkSession, lake: Lake) -> Lake:
    lake.make(spark)
    lake.arrive(spark, 0, 100)
    return lake


def test_its_rows_are_seen_and_its_share_is_moved(engine: OpenEngine, running: Lake, name: str) -> None:
    governed = engine(Job(name, running.job))
    seen = observed(governed, name, lambda job: job.batches)
    assert sum(batch.rows for batch in seen.batches) == 100
    assert not give(governed, name, 3).failed
    assert observed(governed, name, lambda job: job.operators[0].threads == 3).trouble is None


def test_rows_are_written_once_through_a_restart(
    spark: SparkSession, engine: OpenEngine, running: Lake, name: str
) -> None:
    first = engine(Job(name, running.job))
    eventually(lambda: running.written(spark) == list(range(100)))
    first.close(stop_jobs=True)
    running.arrive(spark, 100, 150)
    again = engine(Job(name, running.job))
    eventually(lambda: len(running.written(spark)) == 150)
    running.arrive(spark, 150, 200)
    eventually(lambda: len(running.written(spark)) >= 200)
    assert running.written(spark) == list(range(200))
    assert observed(again, name, lambda job: job.batches).trouble is None


def test_why_its_batches_are_not_bounded_while_it_runs_is_said(
    spark: SparkSession, engine: OpenEngine, running: Lake, name: str
) -> None:
    observed(engine(Job(name, running.job)), name, lambda job: job.batches)
    (query,) = spark.streams.active
    assert "is none whose limits penstock knows" in (BatchBounds(spark).refusal(query) or "")
