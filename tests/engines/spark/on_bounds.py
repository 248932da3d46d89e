"""One life of a driver that counts views by campaign and window while the bound of its batches goes up and down.

Usage: on_bounds.py PLACE BOOTSTRAP TOPIC [DIES]. Run by test_bounded_twin; with DIES it is killed with its JVM in the
batch of that number, after that batch has set another bound. What each batch counted is kept in PLACE, and the rows
that each one took are printed.
"""

import json
import sys
from functools import partial
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

import yahoo_jobs
from penstock.engines.spark.jvm.batch_bound import BatchBounds
from penstock.governing.application import start_application
from tests.engines.spark.routing.on_kills import die
from tests.workloads.answers import millis

OWN_BOUND = 500
BOUNDS = (50, 700, 100, 400)  # each batch sets the next one's


def keep(place: Path, batch: DataFrame, batch_id: int) -> None:
    counts = [[row["campaign_id"], millis(row["window_start"]), row["count"]] for row in batch.collect()]
    (place / f"{batch_id:03}.json").write_text(json.dumps(counts))


def main(place: Path, bootstrap: str, topic: str, dies: int | None) -> dict[int, int]:
    spark: SparkSession = start_application("bounds", "local[2]", {"spark.sql.shuffle.partitions": 2}, kafka=True)
    bounds = BatchBounds(spark)

    def take(batch: DataFrame, batch_id: int) -> None:
        query = spark.streams.active[0]
        keep(place, batch, batch_id)
        bounds.set(query, BOUNDS[batch_id % len(BOUNDS)])
        if batch_id == dies:
            die(spark)

    options = {"maxOffsetsPerTrigger": OWN_BOUND}
    source = {"kafka": bootstrap, "topic": topic, "starting": "earliest", "options": options}
    job = partial(yahoo_jobs.campaigns, spark, source, trigger="0 seconds")
    query = job().foreachBatch(take).option("checkpointLocation", str(place / "checkpoint")).start()
    query.processAllAvailable()
    query.stop()
    sizes = {progress["batchId"]: progress["numInputRows"] for progress in query.recentProgress}
    spark.stop()
    return sizes


if __name__ == "__main__":
    dies_in = int(sys.argv[4]) if len(sys.argv) > 4 else None
    print(json.dumps(main(Path(sys.argv[1]), sys.argv[2], sys.argv[3], dies_in)))
