"""The end of a run on Spark: all queries of the application are stopped."""

import logging

from pyspark.sql import SparkSession

from penstock.engines.spark.jvm.replan import end_between_batches
from penstock.errors import told

_log = logging.getLogger("penstock")


def end_queries(spark: SparkSession, gently: bool) -> None:
    """Stop them, each between two batches of its own if gently; one that cannot be stopped keeps no other running."""
    if gently:
        end_between_batches(spark.streams.active)
    for query in spark.streams.active:
        try:
            query.stop()
        except Exception as error:  # the others are to be ended too
            _log.warning("query %s was not ended: %s", query.name, told(error))
