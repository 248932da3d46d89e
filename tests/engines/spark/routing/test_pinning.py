"""Where the partitions of a routed query are, where there is no choice; see test_cluster for where there is."""

from pathlib import Path

from pyspark.sql import SparkSession

from penstock.engines.spark.jvm.routing.pinning import Pinning
from penstock.engines.spark.jvm.starts import start_query
from tests.engines.spark.routing.town import Town, by_region
from tests.patience import eventually


def test_one_executor_has_all_partitions_and_nothing_is_pinned(spark: SparkSession, tmp_path: Path, name: str) -> None:
    town = Town(spark, tmp_path, name)
    town.feed()
    query = start_query(spark, town.job(by_region, processingTime="100 milliseconds"))
    eventually(lambda: query.lastProgress)
    held = Pinning(spark).hold(query)
    assert (held.placement, held.repinned) == ({}, 0)
    assert {partition: home.id for partition, home in held.homes.items()} == {0: "driver", 1: "driver"}
    query.stop()
