"""A re-routing that dies or fails after any step on viewfs: the files are in the care of Hadoop's own client.

`test_steps` says more, in other places and without Spark; `test_places` has a crash by Hadoop's client on Spark.
"""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from penstock.engines.spark.jvm.checkpoint_files import CheckpointFiles
from tests.engines.spark.routing.mounts import mounted
from tests.engines.spark.routing.running_count import RunningCount
from tests.engines.spark.routing.steps import STEPS, begun, goes_on_after_a_crash, runs_on_where_it_fails_for_good

pytestmark = pytest.mark.long
steps = pytest.mark.parametrize("step", STEPS)


@pytest.fixture
def count(spark: SparkSession, tmp_path: Path) -> RunningCount:
    return begun(CheckpointFiles(spark, mounted(spark, tmp_path, "viewfs")))


@steps
def test_after_a_crash_the_next_start_goes_on_with_all_counts(count: RunningCount, step: str) -> None:
    goes_on_after_a_crash(count, step)


@steps
def test_where_it_fails_for_good_the_query_runs_on_with_the_table_it_had(count: RunningCount, step: str) -> None:
    runs_on_where_it_fails_for_good(count, step)
