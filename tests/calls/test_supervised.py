"""`ps.supervise`: drivers that are processes of their own, here scripts that note what they are told."""

import sys
from pathlib import Path

import pytest
import yaml

import penstock as ps
from penstock.local.processes import start_ticks

pytestmark = pytest.mark.sockets

# What a driver that ends in order leaves beside its heartbeat.
ENDS = """
import os, sys
def ends(code):
    os.symlink(str(code), sys.argv[sys.argv.index("--heartbeat") + 1] + ".end")
    sys.exit(code)
"""
# Dies in its first life, and ends well in the second.
DIES_ONCE = f"""{ENDS}
import pathlib
note = pathlib.Path(sys.argv[1])
lives = note.read_text().splitlines() if note.exists() else []
note.write_text("\\n".join([*lives, " ".join(sys.argv[2:])]))
print("this is life", len(lives) + 1)
ends(0) if lives else sys.exit(9)
"""
REFUSED = f"{ENDS}\nprint('penstock: interval: 0 cannot be used', file=sys.stderr); ends(2)"
# Interrupts whoever supervises it, as Ctrl-C in a notebook does, and does not end by itself.
INTERRUPTS = """
import os, pathlib, signal, sys, time
pathlib.Path(sys.argv[1]).write_text(str(os.getpid()))
os.kill(os.getppid(), signal.SIGINT)
time.sleep(600)
"""


@pytest.fixture
def tenants(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    jobs = [{"name": "ads", "job": "os:getcwd", "intent": {"juice": 0.9}}]
    file = tmp_path / "tenants.yaml"
    file.write_text(yaml.safe_dump({"name": "shop", "master": "local[2]", "jobs": jobs}))
    return file


def driven_by(script: str, note: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock.calls.supervised.RUN", (sys.executable, "-c", script, str(note)))


def test_a_driver_that_died_is_started_again_and_goes_on_with_its_run(
    tenants: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    said: list[str] = []
    driven_by(DIES_ONCE, tmp_path / "note", monkeypatch)
    done = ps.supervise(tenants, for_s="10m", policy="henge", watch=True, say=said.append)
    first, second = (tmp_path / "note").read_text().splitlines()
    assert first.startswith(f"{tenants} --for 600s --policy henge --watch --run-id {done.run} --supervisor ")
    assert second.startswith(first)
    assert "--down-since" in second
    assert (done.code, done.log) == (0, tmp_path / "state" / "penstock" / "logs" / "shop" / "run.log")
    assert done.log.read_text() == "this is life 1\nthis is life 2\n"
    assert "exit code 9" in said[0]
    assert capfd.readouterr() == ("", "")


def test_what_the_user_can_mend_is_an_error_in_the_drivers_words(
    tenants: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    driven_by(REFUSED, tmp_path, monkeypatch)
    log = tmp_path / "its.log"
    with pytest.raises(ps.PenstockError, match=rf"^interval: 0 cannot be used \({log}\)$"):
        ps.supervise(tenants, log=log)


def test_of_a_log_of_gigabytes_the_end_is_read(tenants: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    driven_by(REFUSED, tmp_path, monkeypatch)
    log = tmp_path / "its.log"
    with log.open("wb") as file:
        file.seek(1 << 34)  # it takes up no room
        file.write(b"\n")
    with pytest.raises(ps.PenstockError, match="interval: 0 cannot be used"):
        ps.supervise(tenants, log=log)


def test_an_interruption_ends_the_driver_and_is_raised(
    tenants: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    driven_by(INTERRUPTS, tmp_path / "pid", monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        ps.supervise(tenants, log=tmp_path / "log")
    assert start_ticks(int((tmp_path / "pid").read_text())) is None


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"for_s": "soon"}, "for_s"),
        ({"policy": "hnge"}, "did you mean henge"),
        ({"only": ["abs"]}, "did you mean ads"),
        ({"heartbeat": Path("/proc/no/beat")}, "heartbeat: ./proc/no/beat. cannot be used"),
        ({"store": "/proc/runs.sqlite"}, "store"),
        ({"log": Path("/proc/no/run.log")}, "log: ./proc/no/run.log. cannot be used; give a file that can be written"),
        ({"log": Path("/proc")}, "log: ./proc. cannot be used; give a file that can be written"),
    ],
)
def test_what_is_wrong_is_said_before_any_driver_starts(
    wrong: dict[str, object], told: str, tenants: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    driven_by(DIES_ONCE, tmp_path / "note", monkeypatch)
    with pytest.raises(ps.ConfigError, match=told):
        ps.supervise(tenants, **wrong)  # type: ignore[arg-type]
    assert not (tmp_path / "note").exists()
