"""Through five re-routings, with the driver killed three times in between, both counts equal the batch answer."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.engines.spark.routing.on_kills import LIVES

pytestmark = pytest.mark.cluster

ROOT = Path(__file__).parents[4]


def test_a_running_and_a_windowed_count_outlive_five_re_routings_with_kills_in_between(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    for life in range(len(LIVES)):
        command = [sys.executable, "-m", "tests.engines.spark.routing.on_kills", str(tmp_path), str(life)]
        done = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=600, check=False
        )
        last = life == len(LIVES) - 1
        assert done.returncode == (0 if last else -signal.SIGKILL), done.stderr[-2000:]
    # Change 0 is the beginning; each count was then given five tables.
    assert json.loads(done.stdout.splitlines()[-1]) == {"running": True, "windowed": True, "tables": [6, 6]}
