"""Exactly once is never traded: whatever penstock does, counts equal the batch answer over the same input."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.settings import SparkSettings
from tests.engines.spark.counting_files import CountedFiles
from tests.engines.spark.helpers import give, move_state, observed, taken_over
from tests.patience import eventually
from tests.real_spark import OpenEngine


@pytest.mark.contract
def test_counts_equal_the_batch_answer_after_share_changes_a_repartition_and_a_crash(
    spark: SparkSession, engine: OpenEngine, name: str, tmp_path: Path
) -> None:
    files = CountedFiles(spark, tmp_path)
    files.give(3)
    job = Job(name, files.job)
    first = engine(job, settings=SparkSettings(window_s=3600.0, lease_s=1.0))
    observed(first, name, lambda figures: figures.processed_rps)
    assert not give(first, name, 3).failed
    assert move_state(first, name, 3).failed == ()
    files.give(2)
    # The controller dies here: it is never closed, and its query runs on until the next one takes over.
    second = eventually(lambda: taken_over(spark, job))
    assert not give(second, name, 1).failed
    files.give(2)
    eventually(lambda: sum(files.counted.values()) >= sum(files.expected.values()))
    second.close(stop_jobs=True)
    assert files.counted == files.expected
