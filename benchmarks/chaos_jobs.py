"""The nemesis's tenant with a route: a running count whose tables are in a book beside its checkpoint."""

from pyspark.sql import SparkSession, functions
from pyspark.sql.streaming.readwriter import DataStreamWriter
from soak_jobs import rows, written

import penstock as ps

ROUTE = ps.Routing("routed", left="key")


def counts(spark: SparkSession, bootstrap: str, source: str, target: str, trigger: str) -> DataStreamWriter:
    """As the soak's; keys that have a route are texts."""
    keys = rows(spark, bootstrap, source).select(functions.col("key").cast("string").alias("key"))
    return written(keys.groupBy(*ROUTE.left_key()).count(), bootstrap, target, trigger)
