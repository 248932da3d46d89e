"""What some tests of the Spark engine want of the one session."""

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from tests.engines.spark.batches import Gate
from tests.engines.spark.rigs import Opened, fake_rig, spark_rig

_LEAST = "spark.sql.streaming.realTimeMode.minBatchDuration"


@pytest.fixture
def short_batches(spark: SparkSession) -> Iterator[None]:
    """Batches of real-time mode may last a second, not Spark's five at least: tests wait for several to end."""
    spark.conf.set(_LEAST, "1s")
    yield
    spark.conf.unset(_LEAST)


@pytest.fixture
def gate(spark: SparkSession) -> Iterator[Gate]:
    """Holds batches until a test lets them go; afterwards no query is left."""
    made = Gate()
    yield made
    made.let_go()
    for query in spark.streams.active:
        query.stop()


@pytest.fixture(params=["on_the_fake", "on_spark"])
def rig(request: pytest.FixtureRequest, checkpoint: str) -> Iterator[Opened]:
    """An application that behaves as Spark does, and Spark itself."""
    if request.param == "on_the_fake":
        with fake_rig() as opened:
            yield opened
    else:
        with spark_rig(request.getfixturevalue("spark"), checkpoint) as opened:
            yield opened


@pytest.fixture
def fake() -> Iterator[Opened]:
    """The fake alone: what is tested is the engine's own."""
    with fake_rig() as opened:
        yield opened
