"""Whose run it is, where OpenLineage's listener is not in the driver; tests/lineage has one."""

from pyspark.sql import SparkSession

from penstock.engines.spark.jvm.lineage import ApplicationRun


def test_without_the_listener_there_is_no_run_to_be_told(spark: SparkSession) -> None:
    assert ApplicationRun(spark)() is None
