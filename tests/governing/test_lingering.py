"""A JVM that does not come to its end by itself does not outlive the run that started it."""

import signal
import subprocess
from pathlib import Path

import pytest

from penstock.engines.spark.profiling import usage
from tests.cli.calling import command, environment
from tests.governing.supervised import HEAD, rows_come
from tests.patience import eventually

pytestmark = pytest.mark.jvm

JOBS = """
jobs:
  - name: quick
    job: tests.governing.tenant_jobs:lingering
    params: {rows_per_second: 50}
    intent: {juice: 0.5, utility: 10}
"""


def test_ctrl_c_leaves_no_jvm_that_stands_still_at_its_end(tmp_path: Path) -> None:
    (tmp_path / "tenants.yaml").write_text(HEAD + JOBS)
    told = command("run", str(tmp_path / "tenants.yaml"), "--store", str(tmp_path / "runs.sqlite"))
    with (tmp_path / "said").open("wb") as said, subprocess.Popen(told, env=environment(), stderr=said) as run:
        try:
            eventually(lambda: rows_come(tmp_path))
            below = usage.below(run.pid)
        finally:
            run.send_signal(signal.SIGINT)
    assert run.returncode == 130
    eventually(lambda: usage.cpu(below).processes == 0)  # Python workers are gone a moment after it
    assert "Spark's JVM has not ended by itself within 10 s" in (tmp_path / "said").read_text()
