"""A state that cannot be moved to another number of partitions stays where it is, and its query goes on."""

from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql.streaming.readwriter import DataStreamWriter

from penstock.core.levers import Partitions
from penstock.core.plan import Step
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.jvm.checkpoints import read_checkpoint
from tests.engines.spark.helpers import rates
from tests.patience import eventually
from tests.real_spark import OpenEngine


def test_a_move_that_fails_is_forgotten_and_the_query_runs_on(
    spark: SparkSession, engine: OpenEngine, name: str, checkpoint: str
) -> None:
    def limited(session: SparkSession) -> DataStreamWriter:
        # Spark keeps the number of rows so far as a state, and cannot move it.
        writer = rates(session).limit(1_000_000).writeStream.format("noop").outputMode("append")
        return writer.option("checkpointLocation", checkpoint)

    def committed() -> int:
        return len(list(Path(checkpoint, "commits").glob("[0-9]*")))

    watched = engine(Job(name, limited))
    eventually(lambda: committed() > 0)
    (done,) = watched.apply([Step(name, (Partitions(name, 2, 3),))]).steps
    assert "runs on with the partitions it had" in str(done.error)
    before = committed()
    eventually(lambda: committed() > before)
    assert read_checkpoint(spark, checkpoint).partitions == 2
