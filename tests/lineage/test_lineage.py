"""What penstock decides and what OpenLineage's listener tells of batches are of one run: the application's."""

import pytest
from pyspark.sql import SparkSession

import penstock as ps
from tests.lineage.backend import Backend
from tests.patience import eventually
from tests.user_program import Frugal

pytestmark = pytest.mark.lineage


def test_a_decision_is_below_the_run_that_the_batches_are_below(
    spark: SparkSession, collected: Backend, name: str, checkpoint: str
) -> None:
    (application,) = eventually(lambda: collected.jobs("START", "shop"))  # until then its run is not known
    notify, intents = [f"openlineage:{collected.url}"], {name: ps.Intent(ps.Latency("10s"))}
    with ps.govern(spark, intents, policy=Frugal(), interval=0.5, store=None, notify=notify):
        rate = spark.readStream.format("rate").option("rowsPerSecond", 10).load()
        query = rate.writeStream.queryName(name).format("noop").option("checkpointLocation", checkpoint).start()
        decided = eventually(lambda: collected.jobs("COMPLETE", f".{name}.penstock"))[0]
        batch = eventually(lambda: collected.batches(str(query.runId)))[0]
    query.stop()
    below = collected.below(application)
    assert decided in below
    assert batch in below
    assert decided["run"]["facets"]["penstock"]["job"] == name
    assert decided["job"]["namespace"] == application["job"]["namespace"] == "market"
