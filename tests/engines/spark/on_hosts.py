"""A driver on a cluster of hosts: which of them its executors are on, and a count that crossed the network.

Usage: on_hosts.py MASTER. Run by test_hosts; prints one JSON document.
"""

import json
import sys
from typing import Any

from penstock.engines.spark.jvm.machines import ExecutorReader
from penstock.governing.application import start_application
from tests.patience import eventually

ROWS = 100_000


def main(master: str) -> dict[str, Any]:
    conf = {"spark.executor.cores": 1, "spark.executor.memory": "512m", "spark.sql.shuffle.partitions": 2}
    spark = start_application("hosts test", master, conf)

    def both() -> list[str] | None:
        hosts = sorted(executor.host for executor in ExecutorReader(spark.sparkContext).read())
        return hosts if len(hosts) == 2 else None

    found = eventually(both)
    count = spark.range(0, ROWS, 1, 4).selectExpr("id % 97 AS key").groupBy("key").count().selectExpr("sum(count)")
    total = int(count.collect()[0][0])
    spark.stop()
    return {"hosts": found, "count": total}


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1])))
