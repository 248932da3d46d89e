"""Through several re-routings, with the driver killed in between, both counts equal the batch answer.

That no crash costs a row, whatever step it came after, test_reroute shows in one JVM. Here the JVM dies with it.
"""

import signal
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from tests.drivers import ran
from tests.engines.spark.routing import on_kills
from tests.engines.spark.routing.on_kills import STORIES


def lived(spark: SparkSession, place: Path, story: str) -> Any:
    """What the last life of the story counted, of the session that is there already; each one before it is killed."""
    lives = STORIES[story]
    for life in range(len(lives) - 1):
        done = ran(on_kills.__name__, place, story, life)
        assert done.returncode == -signal.SIGKILL, done.stderr[-2000:]
    return on_kills.lived(spark, place, lives, len(lives) - 1)


def test_a_running_and_a_windowed_count_outlive_a_kill_in_the_midst_of_moving_the_state(
    spark: SparkSession, tmp_path: Path
) -> None:
    # Change 0 is the beginning; the running count was then given three tables, the windowed one two.
    assert lived(spark, tmp_path, "short") == {"running": True, "windowed": True, "tables": [4, 3]}


@pytest.mark.long
def test_a_running_and_a_windowed_count_outlive_five_re_routings_with_three_kills_in_between(
    spark: SparkSession, tmp_path: Path
) -> None:
    assert lived(spark, tmp_path, "whole") == {"running": True, "windowed": True, "tables": [6, 6]}
