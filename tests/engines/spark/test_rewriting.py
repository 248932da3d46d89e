"""A crash while the state of a real-time job is moved: whatever it left, the next start goes on with all counts."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from penstock.core.asked.real_time import RealTime
from penstock.engines.spark.jobs import checkpoint_lock
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.jvm.checkpoint_files import CheckpointFiles
from penstock.engines.spark.jvm.repartition import finish_last_batch
from penstock.engines.spark.jvm.rewriting import kept_partitions, last_committed, logs_of, mend, noted, rename
from penstock.engines.spark.jvm.starts import own_session, start_query, tasks_of
from tests.engines.spark.kafka_jobs import counting, counts, send
from tests.patience import eventually
from tests.real_kafka import PARTITIONS

Crash = Callable[[SparkSession, str], None]
BATCH_S = 1.0


def announced(spark: SparkSession, checkpoint: str) -> None:
    noted(CheckpointFiles(spark, checkpoint), last_committed(spark, checkpoint))


def begun(spark: SparkSession, checkpoint: str) -> None:
    files = CheckpointFiles(spark, checkpoint)
    rename(files, noted(files, last_committed(spark, checkpoint)))


def entered(spark: SparkSession, checkpoint: str) -> None:
    begun(spark, checkpoint)
    logs, last = logs_of(spark, checkpoint), last_committed(spark, checkpoint)
    assert logs.offsetLog().add(last + 1, logs.offsetLog().get(last).get())


def moved(spark: SparkSession, checkpoint: str) -> None:
    begun(spark, checkpoint)
    spark._streamingCheckpointManager.repartition(checkpoint, 2)


def rewritten(spark: SparkSession, checkpoint: str) -> None:
    last = last_committed(spark, checkpoint)
    moved(spark, checkpoint)
    logs_of(spark, checkpoint).commitLog().purgeAfter(last)


CRASHES: Mapping[str, tuple[Crash, int]] = {
    "after the note": (announced, 1),
    "after the renaming": (begun, 1),
    "after the batch was entered": (entered, 1),
    "after the state was rewritten": (rewritten, 1),
    "after the batch was committed": (moved, 2),
}


SHORT = {"after the state was rewritten"}  # the last that must be gone on with from there, by way of all the others


@pytest.mark.usefixtures("short_batches")
@pytest.mark.parametrize(
    "crash", [crash if crash in SHORT else pytest.param(crash, marks=pytest.mark.long) for crash in CRASHES]
)
def test_a_crash_after_any_step_costs_no_row_and_counts_none_twice(
    spark: SparkSession, kafka: str, topic: str, name: str, tmp_path: Path, crash: str
) -> None:
    target, checkpoint = f"{topic}_out", str(tmp_path / "checkpoint")
    job = Job(name, counting(kafka, topic, target, checkpoint), real_time=RealTime(BATCH_S, tasks=1))
    run_until(spark, job, kafka, topic, {f"k{number}": 100 for number in range(10)})
    finish_last_batch(spark, job, checkpoint)
    leave, partitions = CRASHES[crash]
    leave(own_session(spark, job), checkpoint)
    assert {found.operator: found.tasks for found in tasks_of(spark, job, as_left=True)} == {
        "source": PARTITIONS,
        "aggregate": partitions,
    }
    run_until(spark, job, kafka, topic, {f"k{number}": 200 for number in range(10)})
    ours = {name for name in CheckpointFiles(spark, checkpoint).names(".") if name.startswith("penstock")}
    assert ours == {checkpoint_lock.LOCK_FILE}  # nothing of the rewriting


def run_until(spark: SparkSession, job: Job, kafka: str, topic: str, wanted: Mapping[str, int]) -> None:
    """Send 1000 rows, run the job until it has told these counts and committed them, then stop it."""
    send(kafka, topic, 1000)
    query = start_query(spark, job)
    try:
        eventually(lambda: query.exception() or counts(kafka, f"{topic}_out") == wanted)
        assert query.exception() is None
        told = query.lastProgress
        before = -1 if told is None else int(told["batchId"])
        eventually(lambda: (now := query.lastProgress) is not None and int(now["batchId"]) > before)
    finally:
        query.stop()


def test_mending_twice_changes_nothing(spark: SparkSession, tmp_path: Path) -> None:
    files = CheckpointFiles(spark, str(tmp_path))
    mend(spark, str(tmp_path))
    assert kept_partitions(spark, str(tmp_path)) is None
    assert files.names(".") == []
