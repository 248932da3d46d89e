"""Where the partitions of a running query are, where there is no choice; see test_cluster for where there is."""

from functools import partial
from pathlib import Path

from pyspark.sql import SparkSession

from penstock.engines.spark.jvm.routing.pinning import StatePlaces
from penstock.engines.spark.jvm.starts import start_query
from penstock.engines.spark.routing.pins import RanTask, Send
from tests.engines.spark.routing.town import Town, by_region
from tests.patience import eventually


def after_one_more(town: Town) -> int:
    """The number of the batch."""
    before = len(town.batches)
    town.feed()
    eventually(lambda: len(town.batches) > before)
    return max(town.batches)


def test_where_each_task_of_a_batch_ran_is_told_batch_by_batch(spark: SparkSession, tmp_path: Path, name: str) -> None:
    town, places = Town(spark, tmp_path, name), StatePlaces(spark)
    query = start_query(spark, town.job(by_region, processingTime="100 milliseconds"))
    for _ in range(2):
        told = eventually(partial(places.ran, query, after_one_more(town)))
        assert told is not None
        assert sorted(told, key=lambda task: task.partition) == [RanTask(0, "driver"), RanTask(1, "driver")]
        places.send(query, [Send(0, "driver"), Send(1, "gone")])  # an executor that is gone gets nothing
    query.stop()
    assert query.exception() is None
