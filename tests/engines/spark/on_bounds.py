"""Lives of a query that counts views by campaign and window while the bound of its batches goes up and down.

Usage: on_bounds.py PLACE BOOTSTRAP TOPIC DIES, run by test_bounded_twin: a driver that is killed with its JVM in the
batch of that number, after that batch has set another bound. What each batch counted is kept in PLACE.
"""

import json
import sys
from functools import partial
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

import yahoo_jobs
from penstock.engines.spark.jvm.batch_bound import BatchBounds
from penstock.engines.spark.launch.application import start_application
from tests.engines.spark.routing.on_kills import die
from tests.workloads.answers import millis

OWN_BOUND = 500
BOUNDS = (50, 700, 100, 400)  # each batch sets the next one's


def keep(place: Path, batch: DataFrame, batch_id: int) -> None:
    counts = [[row["campaign_id"], millis(row["window_start"]), row["count"]] for row in batch.collect()]
    (place / f"{batch_id:03}.json").write_text(json.dumps(counts))


def lived(spark: SparkSession, place: Path, bootstrap: str, topic: str, dies: int | None = None) -> dict[int, int]:
    """One life, over all that the topic holds; the rows that each batch took."""
    bounds = BatchBounds(spark)

    def take(batch: DataFrame, batch_id: int) -> None:
        query = next(query for query in spark.streams.active if query.name == topic)
        keep(place, batch, batch_id)
        bounds.set(query, BOUNDS[batch_id % len(BOUNDS)])
        if batch_id == dies:
            die(spark)

    options = {"maxOffsetsPerTrigger": OWN_BOUND}
    source = {"kafka": bootstrap, "topic": topic, "starting": "earliest", "options": options}
    job = partial(yahoo_jobs.campaigns, spark, source, trigger="0 seconds")
    writer = job().foreachBatch(take).option("checkpointLocation", str(place / "checkpoint"))
    query = writer.queryName(topic).start()
    try:
        query.processAllAvailable()
    finally:
        query.stop()
    return {progress["batchId"]: progress["numInputRows"] for progress in query.recentProgress}


if __name__ == "__main__":
    session = start_application("bounds", "local[2]", {"spark.sql.shuffle.partitions": 2}, kafka=True)
    lived(session, Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4]))
