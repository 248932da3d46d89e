"""A trial on a real worker with a core of its own."""

import os
import subprocess
import sys

import pytest

from penstock.engines.spark.profiling import usage
from penstock.engines.spark.profiling.exchange import ChunkReport
from penstock.engines.spark.profiling.settings import TrialSettings
from penstock.engines.spark.profiling.trials import latency_points
from penstock.errors import ConfigError
from tests.drivers import told_by


@pytest.mark.jvm
def test_trials_on_a_real_worker() -> None:
    found = told_by("tests.engines.spark.profiling.on_worker")
    assert found["threads"] == [1, 3]
    assert all(rate > 0 for rate in found["processed_rps"])
    assert found["memory_share"][1] > found["memory_share"][0] > 0
    assert found["worker_cores"] == [found["slot"]]
    assert found["slot"] not in found["driver_cores"]
    assert "ConnectionRefusedError" in found["error"]
    assert found["ended"] is True


def test_latency_over_a_window_is_the_mean_of_what_was_done_in_each_part() -> None:
    # 16 parts of 0.5 s from 2 s on: the first two reports fall into the first part, 6 tuples with 3 s in all.
    reports = [ChunkReport("a", 2, 1.0, 2.1), ChunkReport("a", 4, 2.0, 2.4), ChunkReport("a", 1, 9.0, 9.9)]
    assert latency_points(reports, 2.0, 10.0) == ((2.25, 0.5), (9.75, 9.0))


def test_a_warm_up_longer_than_the_trial_is_refused() -> None:
    with pytest.raises(ConfigError, match="warm_up_s: 9 cannot be used"):
        TrialSettings(length_s=5, warm_up_s=9)


def test_processes_of_a_process_are_found_with_what_they_use() -> None:
    code = "import sys; print('up', flush=True); sys.stdin.read()"
    child = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == "up\n"  # before that it may be nothing but a fork without pages
        assert child.pid in usage.below(os.getpid())
        assert usage.memory_bytes((child.pid,)) > 1_000_000
    finally:
        child.communicate()
    assert usage.cpu((child.pid,)).processes == 0
    assert usage.memory_bytes((child.pid,)) == 0
