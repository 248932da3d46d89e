"""Passwords in addresses of stores and notifiers reach drivers, and stand on no command line."""

import json
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml

import penstock as ps
from penstock.calls.driver_environment import unseen
from penstock.governing.run import RunOptions
from penstock.governing.standby import Second
from penstock.governing.story import RunStory
from tests.cli.calling import penstock

pytestmark = pytest.mark.sockets

STORE = "postgresql://ann:s3cret@127.0.0.1:1/runs"
HOOK = "slack:https://hooks.example.org/services/s3cret"
LINES = "lines:/tmp/a file.jsonl"

# A driver that notes its command line and what its environment says. The one that stands by waits until nobody speaks;
# with one beside it, the driver governs until that is there. It dies in its first life.
DRIVER = """
import json, os, pathlib, sys, time
place = pathlib.Path(sys.argv[1])
said = {"line": sys.argv[2:], "store": os.environ.get("PENSTOCK_STORE"), "notify": os.environ.get("PENSTOCK_NOTIFY")}
kind = "standby" if "--awaits" in sys.argv else "second" if (place / "first").exists() else "first"
whole = place / f".{kind}"
whole.write_text(json.dumps(said))
whole.rename(place / kind)
if kind == "standby":
    sys.stdin.readline()
    sys.exit(0)
heartbeat = sys.argv[sys.argv.index("--heartbeat") + 1] if "--heartbeat" in sys.argv else None
while "waits" in os.environ.get("TEST", "") and not (place / "standby").exists():
    pathlib.Path(heartbeat).write_text("governing")
    time.sleep(0.05)
code = 9 if kind == "first" and "--supervisor" in sys.argv and "waits" not in os.environ.get("TEST", "") else 0
if heartbeat is not None:
    os.symlink(str(code), heartbeat + ".end")
sys.exit(code)
"""


@pytest.fixture(autouse=True)
def nothing_of_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for name in ("PENSTOCK_STORE", "PENSTOCK_NOTIFY", "SPARK_CONF_DIR", "HADOOP_CONF_DIR", "YARN_CONF_DIR"):
        monkeypatch.delenv(name, raising=False)


def shop(place: Path, **more: Any) -> Path:
    slow = {"job": "tests.governing.tenant_jobs:slow", "params": {"rows_per_second": 10, "row_ms": 1}}
    jobs = [{"name": "ads", **slow, "intent": {"latency": "2s"}}]
    (place / "shop.yaml").write_text(yaml.safe_dump({"name": "shop", "master": "local[2]", "jobs": jobs, **more}))
    return place / "shop.yaml"


def run_by(place: Path) -> Sequence[str]:
    return (sys.executable, "-c", DRIVER, str(place))


def noted(place: Path, kind: str) -> tuple[str, str | None, str | None]:
    said = json.loads((place / kind).read_text())
    return " ".join(said["line"]), said["store"], said["notify"]


@pytest.mark.parametrize("kind", ["first", "second"])
def test_a_supervised_driver_has_them_in_each_life(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock.calls.supervised.RUN", run_by(tmp_path))
    ps.supervise(shop(tmp_path), store=STORE, notify=[HOOK, LINES], policy="henge")
    line, store, notify = noted(tmp_path, kind)
    assert (store, notify) == (STORE, f"{HOOK}\n{LINES}")
    assert "s3cret" not in line
    assert "--policy henge" in line


def test_the_driver_that_stands_by_has_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST", "waits")
    monkeypatch.setattr("penstock.calls.supervised.RUN", run_by(tmp_path))
    monkeypatch.setattr("penstock.governing.supervise.Second", partial(Second, settles_s=0.0))
    ps.supervise(shop(tmp_path), store=STORE, notify=[HOOK], standby=True)
    line, store, notify = noted(tmp_path, "standby")
    assert (store, notify, "s3cret" in line) == (STORE, HOOK, False)


def test_run_with_restart_takes_them_off_its_drivers_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", str(_python(tmp_path)))
    given = ["--restart", "--store", STORE, f"--notify={HOOK}", "--notify", LINES, "--policy", "henge"]
    done = penstock("run", str(shop(tmp_path)), *given)
    assert done.returncode == 0, done.stderr
    for kind in ("first", "second"):
        line, store, notify = noted(tmp_path, kind)
        assert (store, notify) == (STORE, f"{HOOK}\n{LINES}")
        assert line.startswith(f"run {tmp_path / 'shop.yaml'} --policy henge --run-id ")


def test_a_driver_reads_them_out_of_its_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = list[RunOptions]()

    def run_tenants(file: object, options: RunOptions, show: object) -> RunStory:
        given.append(options)
        return RunStory("shop", "henge", "local[2]", False, (), ())

    monkeypatch.setattr("penstock.governing.run.run_tenants", run_tenants)
    for name, value in unseen(STORE, [HOOK, LINES]).items():
        monkeypatch.setenv(name, value)
    done = penstock("run", str(shop(tmp_path)))
    assert done.returncode == 0, done.stderr
    assert (given[0].store, given[0].notify) == (STORE, (HOOK, LINES))


@pytest.mark.parametrize("master", ["spark://one:7077", "yarn", "k8s://https://api:6443"])
def test_drivers_that_are_submitted_have_their_store(
    master: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HADOOP_CONF_DIR", str(tmp_path))
    monkeypatch.setattr("penstock.calls.submitted.RUN", run_by(tmp_path))
    monkeypatch.setattr("penstock.calls.submitted.uses_in", lambda *given: ())
    monkeypatch.setattr("penstock.calls.submitted.open_store", _Empty)
    monkeypatch.setattr("penstock.engines.spark.launch.application.check_master", lambda master: None)
    conf = {"spark.kubernetes.container.image": "penstock"}
    file = shop(tmp_path, executors=2, checkpoints="/shared", conf=conf)
    assert ps.submit(file, ps.Submitting(master, store=STORE)) == 0
    line, store, _ = noted(tmp_path, "first")
    assert (store, "s3cret" in line, f"--master {master}" in line) == (STORE, False, True)


def test_the_commands_that_would_be_started_show_no_password(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock.calls.submitted.uses_in", lambda *given: ())
    monkeypatch.setattr("penstock.calls.submitted.open_store", _Empty)
    given = ["--master", "spark://one:7077", "--store", STORE, "--dry-run"]
    (line,) = penstock("submit", str(shop(tmp_path, executors=2, checkpoints="/shared")), *given).stdout.splitlines()
    assert line.startswith("PENSTOCK_STORE='postgresql://ann:***@127.0.0.1:1/runs' penstock run ")
    would = ps.would_submit(
        shop(tmp_path, executors=2, checkpoints="/shared"), ps.Submitting("spark://one:7077", store=STORE)
    )
    assert "s3cret" not in repr(would)


def test_a_notifier_of_two_lines_is_refused_without_its_secret() -> None:
    with pytest.raises(ps.ConfigError, match="--notify: 'slack' cannot be used") as refused:
        unseen(None, ["slack:https://hooks/s3cret\nlines:/etc/passwd"])
    assert "s3cret" not in str(refused.value)


def _python(place: Path) -> Path:
    """In the place of Python: what it is told to run, as `-m penstock.cli.main`, is the driver above."""
    (place / "driver.py").write_text(DRIVER)
    script = f'#!/bin/sh\nshift 2\nexec {sys.executable} {place / "driver.py"} {place} "$@"\n'
    (place / "python").write_text(script)
    (place / "python").chmod(0o755)
    return place / "python"


class _Empty:
    """A store that is there, and has nothing."""

    def __init__(self, *given: object, **more: object) -> None:
        pass

    def close(self) -> None:
        pass
