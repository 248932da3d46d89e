"""The tenants of `penstock demo` as jobs of a file. Times of the spike in clicks count from the query's start."""

import tempfile
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.readwriter import DataStreamWriter

from penstock.governing.demo import LEAST_TARGET_S
from penstock.governing.demo_tenants import demo_tenants

_CHECKPOINTS = tempfile.TemporaryDirectory(prefix="penstock-demo-", ignore_cleanup_errors=True)


def tenant(
    spark: SparkSession, name: str, spike_from: float = 30.0, spike_to: float = 45.0
) -> DataStreamWriter | StreamingQuery:
    """The tenant of that name: payments, reports, clicks or models."""
    found = {one.name: one for one in demo_tenants(spike_from, spike_to, LEAST_TARGET_S)}[name]
    function = found.job(Path(_CHECKPOINTS.name)).function
    assert function is not None
    return function(spark)
