"""What some tests of the Spark engine want of the one session."""

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

_LEAST = "spark.sql.streaming.realTimeMode.minBatchDuration"


@pytest.fixture
def short_batches(spark: SparkSession) -> Iterator[None]:
    """Batches of real-time mode may last a second, not Spark's five at least: tests wait for several to end."""
    spark.conf.set(_LEAST, "1s")
    yield
    spark.conf.unset(_LEAST)
