"""What tests have started ends with their run, however that ends."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from penstock.local.processes import start_ticks
from tests.cli.calling import ROOT
from tests.harness import guard
from tests.patience import eventually

TEST = """
import subprocess, time
from pathlib import Path

def test_that_is_killed():
    child = subprocess.Popen(["sleep", "3600"], start_new_session=True)
    Path("said.new").write_text(str(child.pid))
    Path("said.new").rename("said")
    time.sleep(3600)
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_run_that_is_killed_leaves_nothing_that_its_tests_started(number: signal.Signals, tmp_path: Path) -> None:
    (tmp_path / "test_one.py").write_text(TEST)
    plugins = [word for name in ("place", "guard") for word in ("-p", f"tests.harness.{name}")]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *plugins, "test_one.py"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")])}
    environment.pop("PYTEST_XDIST_WORKER", None)  # a run of its own, with a folder of its own
    with (tmp_path / "run.log").open("wb") as log:
        run = subprocess.Popen(command, cwd=tmp_path, stdout=log, stderr=log, env=environment)
    eventually(lambda: (tmp_path / "said").exists() or run.poll() is not None)
    child = int((tmp_path / "said").read_text())
    assert start_ticks(child) is not None
    run.send_signal(number)
    run.wait()
    eventually(lambda: start_ticks(child) is None)


def test_what_runs_in_a_worker_guards_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Its folder is that of the whole run, all of which it would end when it is killed."""
    monkeypatch.setenv(guard.NAMED, str(tmp_path))
    monkeypatch.setenv("PYTEST_XDIST_WORKER", "gw0")
    monkeypatch.setattr(guard, "_guard", None)
    guard.pytest_configure()
    assert guard._guard is None
