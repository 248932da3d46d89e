"""What the nemesis sets is the clock of a process that it started, and no other's; the one that nobody sets goes on."""

import os
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import pytest
from chaos_clock import COMPILER, environment, set_by

# It sleeps, too: there are libraries of the kind that break that.
TOLD = """
import time
time.sleep(0.001)
print(time.time() - time.clock_gettime(time.CLOCK_BOOTTIME), time.monotonic(), flush=True)
"""


@pytest.mark.skipif(COMPILER is None, reason="there is no C compiler")
def test_a_process_has_the_clock_that_was_set_and_we_have_ours(tmp_path: Path) -> None:
    given, now_s = {**os.environ, **environment(tmp_path)}, time.time()
    told = []
    for seconds in (0, 3600, -3600):
        with set_by(tmp_path, seconds):
            done = subprocess.run([sys.executable, "-c", TOLD], env=given, capture_output=True, text=True, check=True)
            told.append(tuple(map(float, done.stdout.split())))
    right_s = time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)
    assert [round((epoch_s - right_s) / 60.0) for epoch_s, _ in told] == [0, 60, -60]
    assert [later > earlier for (_, earlier), (_, later) in pairwise(told)] == [True, True]
    assert time.time() >= now_s
