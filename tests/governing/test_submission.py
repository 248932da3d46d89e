"""Drivers whose `penstock submit` was killed: found again, named, ended."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml

from penstock.governing import submission
from penstock.local import processes
from tests.cli.calling import ROOT, environment, penstock
from tests.governing.waiting import waiting
from tests.patience import eventually

# A `penstock submit` after its checks: its drivers are not penstock's, for those need a cluster.
SUBMITS = """
import sys
import threading
from pathlib import Path
from penstock.governing.drivers import drive
from penstock.governing.submission import noted
from tests.governing.waiting import waiting
tenants = Path(sys.argv[1])
with noted(tenants, waiting(tenants.parent)) as started:
    drive(waiting(tenants.parent), print, started)
"""


@pytest.fixture
def tenants(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    slow = {"job": "tests.governing.tenant_jobs:slow", "params": {"rows_per_second": 10, "row_ms": 1}}
    jobs = [{"name": name, **slow, "intent": {"latency": "2s"}} for name in ("fraud", "ads")]
    said = {"name": "shop", "executors": 2, "checkpoints": str(tmp_path), "jobs": jobs}
    (tmp_path / "shop.yaml").write_text(yaml.safe_dump(said))
    return tmp_path / "shop.yaml"


@contextmanager
def submitted(tenants: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """What submits, once all of its drivers are there; they are ended with the block, whatever became of it."""
    env = {**environment(), "XDG_STATE_HOME": os.environ["XDG_STATE_HOME"]}
    submits = subprocess.Popen([sys.executable, "-c", SUBMITS, str(tenants)], cwd=ROOT, env=env)
    try:
        eventually(lambda: all((tenants.parent / name).exists() for name in ("fraud", "ads")))
        yield submits
    finally:
        submits.kill()
        submits.wait()
        known = submission.file_of(tenants).read()
        for one in () if known is None else known.running():
            assert one.process is not None
            processes.end(one.process)


def test_after_a_kill_a_second_one_is_refused_and_stop_ends_what_was_left(tenants: Path) -> None:
    with submitted(tenants) as submits:
        submits.kill()
        submits.wait()
        refused = penstock("submit", str(tenants), "--master", "spark://one:7077")
        assert (refused.returncode, refused.stdout, refused.stderr.count("\n")) == (2, "", 1)
        assert "submitted already and still running: fraud (process " in refused.stderr
        assert f"end them with `penstock submit {tenants} --stop`" in refused.stderr
        tenants.unlink()  # it need not be there any more
        stopped = penstock("submit", str(tenants), "--stop")
        assert stopped.returncode == 0, stopped.stderr
        assert [line.split(" ")[0::3] for line in stopped.stderr.splitlines()] == [["fraud", "ended"], ["ads", "ended"]]
        assert [(tenants.parent / name).read_text() for name in ("fraud", "ads")] == ["ended", "ended"]
        assert submission.file_of(tenants).read() is None


def test_where_it_runs_stop_has_it_end_all_of_them(tenants: Path) -> None:
    with submitted(tenants) as submits:
        reaped = list[int]()
        # Our child is ours to take leave of, while the command waits for its end.
        waits = threading.Thread(target=lambda: reaped.append(submits.wait()))
        waits.start()
        assert penstock("submit", str(tenants), "--stop").returncode == 0
        waits.join()
        assert reaped == [0]
    assert [(tenants.parent / name).read_text() for name in ("fraud", "ads")] == ["ended", "ended"]


def test_one_whose_process_could_not_be_noted_any_more_is_known_by_its_command(tenants: Path) -> None:
    one, _ = waiting(tenants.parent)
    with submission.noted(tenants, [one]):
        started = subprocess.Popen(one.command, process_group=0)
        try:
            known = submission.file_of(tenants).read()
            assert known is not None
            eventually(lambda: [found.process.pid for found in known.running() if found.process] == [started.pid])
        finally:
            started.send_signal(signal.SIGKILL)
            started.wait()


def test_where_nothing_runs_that_is_said_and_a_second_one_is_not_refused(tenants: Path) -> None:
    assert "nothing that was submitted from this file runs here" in penstock("submit", str(tenants), "--stop").stderr
    with submission.noted(tenants, waiting(tenants.parent)):  # it was killed before it started one
        submission.refuse_second(tenants)


def test_the_same_file_by_another_path_is_the_same(tenants: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tenants.parent)
    assert submission.file_of(Path("shop.yaml")).path == submission.file_of(tenants).path
