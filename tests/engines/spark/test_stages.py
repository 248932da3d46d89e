"""Stages are read to their end, whenever Spark writes them down."""

import time
from pathlib import Path
from threading import Thread

from pyspark import InheritableThread
from pyspark.sql import SparkSession

from penstock.engines.spark.jvm.stages import StageReader
from penstock.engines.spark.watch.stages import StageReading
from tests.patience import eventually


def two_stages(spark: SparkSession, name: str, gate: Path) -> Thread:
    """A job as a streaming query runs it, whose first stage waits until the gate is there."""

    def waits(key: int) -> tuple[int, int]:
        while not gate.exists():
            time.sleep(0.02)
        return key, 1

    def run() -> None:
        spark.sparkContext.setJobDescription(f"{name}\nrunId = {name}\nbatch = 7")
        spark.sparkContext.parallelize(range(4), 2).map(waits).reduceByKey(max, 2).count()

    thread = InheritableThread(target=run)
    thread.start()
    return thread


def test_a_stage_that_waited_for_another_at_one_reading_is_read_at_a_later_one(
    spark: SparkSession, tmp_path: Path, name: str
) -> None:
    reader = StageReader(spark.sparkContext)
    job = two_stages(spark, name, tmp_path / "gate")
    seen: list[StageReading] = []

    def ended(stages: int) -> bool:
        seen.extend(reading for reading in reader.read() if reading.run_id == name)
        return len({reading.stage_id for reading in seen if reading.complete}) == stages

    eventually(lambda: ended(0) and seen)  # the first stage runs, the second waits for it
    assert len({reading.stage_id for reading in seen}) == 1
    (tmp_path / "gate").touch()
    eventually(lambda: ended(2))
    job.join()
    assert {(reading.batch_id, reading.tasks) for reading in seen} == {(7, 2)}
