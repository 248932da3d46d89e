"""Through several re-routings, with the driver killed in between, both counts equal the batch answer.

That no crash costs a row, whatever step it came after, test_reroute shows in one JVM. Here the JVM dies with it.
"""

import signal
from pathlib import Path
from typing import Any

import pytest

from tests.drivers import ran, told_by
from tests.engines.spark.routing.on_kills import STORIES

pytestmark = pytest.mark.jvm

LIFE = "tests.engines.spark.routing.on_kills"


def lived(place: Path, story: str) -> Any:
    """What the last life of the story tells; each one before it is killed."""
    last = len(STORIES[story]) - 1
    for life in range(last):
        done = ran(LIFE, place, story, life)
        assert done.returncode == -signal.SIGKILL, done.stderr[-2000:]
    return told_by(LIFE, place, story, last)


def test_a_running_and_a_windowed_count_outlive_a_kill_in_the_midst_of_moving_the_state(tmp_path: Path) -> None:
    # Change 0 is the beginning; the running count was then given three tables, the windowed one two.
    assert lived(tmp_path, "short") == {"running": True, "windowed": True, "tables": [4, 3]}


@pytest.mark.long
def test_a_running_and_a_windowed_count_outlive_five_re_routings_with_three_kills_in_between(tmp_path: Path) -> None:
    assert lived(tmp_path, "whole") == {"running": True, "windowed": True, "tables": [6, 6]}
