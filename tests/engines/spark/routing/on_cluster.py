"""A driver of its own on a standalone cluster: partitions pinned, an executor lost, and the counts that came of it.

Usage: on_cluster.py MASTER PLACE. Run by test_pinning; prints one JSON document.
"""

import json
import sys
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from penstock.core.routing_table import RoutingTable
from penstock.engines.spark.jobs import start_query
from penstock.engines.spark.machines import ExecutorReader
from penstock.engines.spark.routing.pinning import Pinning
from penstock.governing.application import start_application
from tests.engines.spark.helpers import eventually
from tests.engines.spark.routing.town import REGIONS, TAGS, Town, by_window_and_tag, windows_and_tags

CONF = {
    "spark.executor.cores": 1,
    "spark.cores.max": 2,
    "spark.executor.memory": "512m",
    "spark.sql.shuffle.partitions": 2,
    "spark.locality.wait": "10s",
}
TABLE = RoutingTable(2, {"left": {f"r{i}": i % 2 for i in range(REGIONS)}, "right": {i: i % 2 for i in range(TAGS)}})
WITHIN_S = 300.0


def executors(spark: SparkSession) -> list[str]:
    return [executor.id for executor in ExecutorReader(spark.sparkContext).read()]


def committed(query: StreamingQuery) -> int:
    progress: Any = query.lastProgress
    return -1 if progress is None else int(progress["batchId"])


def held(pinning: Pinning, town: Town, query: StreamingQuery) -> dict[int, str]:
    """The placement, once a batch has run under it and nothing had to be sent back."""

    def look() -> dict[int, str] | None:
        pinning.hold(query, [1.0, 1.0])
        before = committed(query)
        town.feed(30)
        eventually(lambda: committed(query) > before, WITHIN_S)
        found = pinning.hold(query, [1.0, 1.0])
        return dict(found.placement) if found.repinned == 0 else None

    return eventually(look, WITHIN_S)


def main(master: str, place: Path) -> dict[str, Any]:
    spark = start_application("pinning test", master, CONF)
    eventually(lambda: len(executors(spark)) == 2, WITHIN_S)
    town = Town(spark, place, "town")
    town.route.start_with(spark, TABLE)
    town.feed()
    query = start_query(spark, town.job(by_window_and_tag, processingTime="100 milliseconds"))
    eventually(lambda: committed(query) >= 0, WITHIN_S)
    pinning = Pinning(spark)
    first = held(pinning, town, query)
    jvm: Any = spark.sparkContext._jvm
    spark.sparkContext._jsc.sc().killExecutors(jvm.PythonUtils.toSeq([first[0]]))  # the master starts another
    eventually(lambda: first[0] not in executors(spark) and len(executors(spark)) == 2, WITHIN_S)
    second = held(pinning, town, query)
    eventually(lambda: town.counted == windows_and_tags(town), WITHIN_S)
    query.stop()
    spark.stop()
    return {"first": first, "second": second}


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], Path(sys.argv[2]))))
