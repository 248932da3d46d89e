"""The soak's jobs in a driver that nobody governs: the session that penstock would start, and the queries.

    python benchmarks/soak_plain.py tenants.yaml

A query that failed is started again, as penstock would; nothing else is done.
"""

import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery
from soak_jobs import counts

from penstock.engines.spark.launch.application import start_application

_LOOKS_EVERY_S = 1.0


def main() -> None:
    place = Path(sys.argv[1])
    said = yaml.safe_load(place.read_text(encoding="utf-8"))
    spark = start_application(said["name"], said["master"], said["conf"], place.parent, said["kafka"])
    checkpoints = Path(said["checkpoints"])
    queries: dict[str, StreamingQuery] = {}
    while True:
        for job in said["jobs"]:
            query = queries.get(job["name"])
            if query is None or not query.isActive:
                queries[job["name"]] = _started(spark, job, checkpoints / job["name"])
        time.sleep(_LOOKS_EVERY_S)


def _started(spark: SparkSession, job: Mapping[str, Any], checkpoint: Path) -> StreamingQuery:
    writer = counts(spark, **job["params"]).queryName(job["name"])
    return writer.option("checkpointLocation", str(checkpoint)).start()


if __name__ == "__main__":
    main()
