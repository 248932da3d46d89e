"""A state that cannot be moved to another number of partitions stays where it is, and its query goes on; one whose
moving stands still keeps nobody else back."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.readwriter import DataStreamWriter

from penstock.core.levers import Partitions
from penstock.core.plan import Step
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.jvm import repartition
from penstock.engines.spark.jvm.checkpoints import read_checkpoint
from penstock.engines.spark.jvm.rewriting import rewriting
from penstock.engines.spark.jvm.starts import start_query
from tests.engines.spark.helpers import counting, rates
from tests.patience import eventually, patience_s
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


def test_while_the_moving_of_a_state_stands_still_another_job_starts_also_with_settings_of_its_own(
    spark: SparkSession, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there, over, moved = Event(), Event(), list[StreamingQuery]()
    checkpoint = str(tmp_path / "moved")

    @contextmanager
    def on_a_store_that_hangs(spark: SparkSession, checkpoint: str) -> Iterator[None]:
        there.set()
        assert over.wait(patience_s())
        with rewriting(spark, checkpoint):
            yield

    monkeypatch.setattr(repartition, "rewriting", on_a_store_that_hangs)
    job = Job(name, counting(checkpoint), partitions=2)
    query = start_query(spark, job)
    eventually(lambda: list(Path(checkpoint, "commits").glob("[0-9]*")))
    moving = Thread(target=lambda: moved.append(repartition.repartition(spark, job, query, 3)))
    moving.start()
    try:
        assert there.wait(patience_s())
        start_query(spark, Job(f"{name}2", counting(str(tmp_path / "other")), partitions=3)).stop()
    finally:
        over.set()
        moving.join(patience_s())
    moved[0].stop()
    assert read_checkpoint(spark, checkpoint).partitions == 3
