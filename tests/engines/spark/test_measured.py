"""Sketches observed in a query's own pass."""

import pytest
from pyspark.sql import SparkSession, functions
from pyspark.sql.streaming.readwriter import DataStreamWriter

import penstock as ps
from penstock.engines.spark.jobs.job import Job
from penstock.errors import ConfigError
from tests.engines.spark.helpers import observed, rates
from tests.real_spark import OpenEngine


def late_by_ten_seconds(spark: SparkSession) -> DataStreamWriter:
    rows = rates(spark, 200).withColumn("arrived", functions.expr("timestamp - INTERVAL 10 SECONDS"))
    return ps.measured(rows, event_time="arrived").writeStream.format("noop").trigger(processingTime="1 second")


def test_measured_latency_is_that_of_the_rows_and_no_estimate(engine: OpenEngine, name: str) -> None:
    running = engine(Job(name, late_by_ten_seconds))
    latency = observed(running, name, lambda job: job.latency).latency
    assert latency is not None
    assert not latency.estimated
    low, high = latency.at(1), latency.at(99)
    assert low is not None
    assert high is not None
    assert 10.0 <= low <= latency.mean_s <= high


def test_rows_without_a_time_count_as_come_with_their_batch(engine: OpenEngine, name: str) -> None:
    def some_null(spark: SparkSession) -> DataStreamWriter:
        rows = rates(spark, 50).withColumn("arrived", functions.expr("IF(value % 2 = 0, timestamp, NULL)"))
        return ps.measured(rows, event_time="arrived").writeStream.format("noop").trigger(processingTime="1 second")

    running = engine(Job(name, some_null))
    assert observed(running, name, lambda job: job.latency).trouble is None


def test_a_column_that_is_no_timestamp_is_refused(spark: SparkSession) -> None:
    with pytest.raises(ConfigError, match="name a timestamp column: timestamp"):
        ps.measured(rates(spark), event_time="value")
