"""A re-routing that dies or fails after any step on viewfs: the files are in the care of Hadoop's own client.

`test_steps` says more, in other places and without Spark; `test_places` has a crash by Hadoop's client on Spark.
"""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from penstock.engines.spark.jvm.checkpoint_files import CheckpointFiles
from tests.engines.spark.routing.mounts import mounted
from tests.engines.spark.routing.running_count import RunningCount
from tests.engines.spark.routing.steps import (
    STEPS,
    all_to,
    begun,
    comes_back_once_its_storage_does,
    goes_on_after_a_crash,
    runs_on_where_it_fails_for_good,
)

pytestmark = pytest.mark.jvm
ONCE_MORE = (all_to(0),)  # one further re-routing: each file takes longer here than elsewhere
steps = pytest.mark.parametrize("step", STEPS)


@pytest.fixture
def count(spark: SparkSession, tmp_path: Path) -> RunningCount:
    return begun(CheckpointFiles(spark, mounted(spark, tmp_path, "viewfs")))


@steps
def test_after_a_crash_the_next_start_goes_on_with_all_counts(count: RunningCount, step: str) -> None:
    goes_on_after_a_crash(count, step, ONCE_MORE)


@steps
def test_where_it_fails_for_good_the_query_runs_on_with_the_table_it_had(count: RunningCount, step: str) -> None:
    runs_on_where_it_fails_for_good(count, step, ONCE_MORE)


@pytest.mark.parametrize("step", STEPS[5:6])  # the files behind the fault are Hadoop's; test_steps has the others
def test_where_its_storage_is_full_or_away_for_good_it_refuses_in_words_and_goes_on_once_that_is_over(
    count: RunningCount, step: str
) -> None:
    comes_back_once_its_storage_does(count, step, ONCE_MORE)
