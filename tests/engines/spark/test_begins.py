"""What a job begins with: the levers as its tenants file sets them before it has run."""

from contextlib import suppress
from pathlib import Path
from threading import Event, Thread

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.readwriter import DataStreamWriter

from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.jobs.query import BatchInterval
from penstock.engines.spark.jobs.starting import called
from penstock.engines.spark.jvm import starts
from penstock.engines.spark.jvm.checkpoints import read_checkpoint
from penstock.engines.spark.jvm.starts import start_query
from penstock.engines.spark.jvm.triggers import interval
from penstock.errors import EngineError
from tests.engines.spark.helpers import counting
from tests.patience import eventually, patience_s


def batches(spark: SparkSession, checkpoint: str) -> int:
    """So many are committed."""
    with suppress(EngineError):
        return read_checkpoint(spark, checkpoint).committed + 1
    return 0


def run_a_batch(spark: SparkSession, job: Job, checkpoint: str) -> StreamingQuery:
    before, query = batches(spark, checkpoint), start_query(spark, job)
    try:
        eventually(lambda: batches(spark, checkpoint) > before)
    finally:
        query.stop()
    return query


def test_a_job_begins_with_the_partitions_and_the_trigger_that_are_said_and_a_checkpoint_keeps_its_partitions(
    spark: SparkSession, name: str, tmp_path: Path
) -> None:
    checkpoint = str(tmp_path / "checkpoint")
    query = run_a_batch(spark, Job(name, counting(checkpoint), trigger_s=0.3, partitions=3), checkpoint)
    assert (read_checkpoint(spark, checkpoint).partitions, interval(query)) == (3, BatchInterval(0.3, turns=True))
    assert spark.conf.get("spark.sql.shuffle.partitions") == "2"  # for the others, as before
    run_a_batch(spark, Job(name, counting(checkpoint), partitions=5), checkpoint)
    assert read_checkpoint(spark, checkpoint).partitions == 3


def test_a_job_of_which_nothing_is_said_begins_as_the_session_and_its_function_say(
    spark: SparkSession, name: str, tmp_path: Path
) -> None:
    checkpoint = str(tmp_path / "checkpoint")
    query = run_a_batch(spark, Job(name, counting(checkpoint)), checkpoint)
    assert (read_checkpoint(spark, checkpoint).partitions, interval(query)) == (2, BatchInterval(0.2, turns=True))


def test_a_function_that_hangs_with_the_session_to_itself_keeps_the_others_from_starting_for_so_long_and_no_longer(
    spark: SparkSession, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    over, checkpoint = Event(), str(tmp_path / "checkpoint")

    def hangs(session: SparkSession) -> DataStreamWriter:
        assert over.wait(patience_s())
        raise AssertionError("nobody waits for it any more")

    def start() -> None:
        with pytest.raises(EngineError, match="its function has not returned within 1 s"):
            start_query(spark, Job("hung", hangs, partitions=3), within_s=None)

    with monkeypatch.context() as impatient:
        impatient.setattr(starts, "STARTS_WITHIN_S", 1.0)
        impatient.setattr(starts, "called", called)  # as it is, and not as patient as tests are elsewhere
        hung = Thread(target=start)
        hung.start()
        hung.join(patience_s())
    try:
        query = start_query(spark, Job(name, counting(checkpoint)), within_s=None)
        query.stop()
        assert spark.conf.get("spark.sql.shuffle.partitions") == "2"
    finally:
        over.set()
