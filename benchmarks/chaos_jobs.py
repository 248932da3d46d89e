"""The nemesis's tenants with routes: running counts whose tables are in books beside their checkpoints."""

from pyspark.sql import SparkSession, functions
from pyspark.sql.streaming.readwriter import DataStreamWriter
from soak_jobs import rows, written

import penstock as ps

ROUTES = {f"{name}_in": ps.Routing(name, left="key") for name in ("routed", "routed2")}  # by the topic that is read
ROUTED, ROUTED2 = ROUTES.values()


def counts(spark: SparkSession, bootstrap: str, source: str, target: str, trigger: str) -> DataStreamWriter:
    """As the soak's; keys that have a route are texts."""
    keys = rows(spark, bootstrap, source).select(functions.col("key").cast("string").alias("key"))
    return written(keys.groupBy(*ROUTES[source].left_key()).count(), bootstrap, target, trigger)
