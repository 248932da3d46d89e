"""Drivers as processes: started, watched, ended together."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

from penstock.errors import ConfigError
from penstock.governing.drivers import DriverProcess, drive
from tests.cli.calling import ROOT, environment, restored_signals
from tests.governing.waiting import WAITS, driver
from tests.patience import eventually


def test_it_waits_for_all_and_the_exit_code_is_that_of_the_one_that_failed(tmp_path: Path) -> None:
    said = list[str]()
    drivers = [driver(tmp_path, "good", "print('well')"), driver(tmp_path, "bad", "raise SystemExit(3)")]
    assert drive(drivers, said.append) == 3
    assert {"good ended: exit code 0", "bad ended: exit code 3"} <= set(said)
    assert (tmp_path / "logs" / "good.log").read_text() == "well\n"


def test_a_driver_that_was_killed_counts_as_failed(tmp_path: Path) -> None:
    killed = driver(tmp_path, "killed", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    assert drive([killed], lambda text: None) == 128 + signal.SIGKILL


def test_one_that_ends_leaves_the_others_alone_and_a_signal_ends_all(tmp_path: Path) -> None:
    drivers = [driver(tmp_path, name, WAITS) for name in ("fraud", "ads")]
    said = list[str]()

    def ask_for_the_end() -> None:
        eventually(lambda: "short ended: exit code 0" in said)
        eventually(lambda: all((tmp_path / name).exists() for name in ("fraud", "ads")))
        os.kill(os.getpid(), signal.SIGTERM)

    asking = threading.Thread(target=ask_for_the_end)
    with restored_signals():
        asking.start()
        assert drive([driver(tmp_path, "short", ""), *drivers], said.append) == 130
        asking.join()
    assert [(tmp_path / name).read_text() for name in ("fraud", "ads")] == ["ended", "ended"]


def test_where_one_cannot_be_started_those_that_were_are_ended(tmp_path: Path) -> None:
    wrong = DriverProcess("wrong", [str(tmp_path / "no-such-program")], tmp_path / "wrong.log")
    waits = "import time, os, sys, pathlib; pathlib.Path(sys.argv[1]).write_text(str(os.getpid())); time.sleep(600)"
    said = list[str]()
    try:
        drive([driver(tmp_path, "first", waits), wrong], said.append)
    except FileNotFoundError:
        pid = int(said[0].split("process ")[1].split(",")[0])
        assert not Path(f"/proc/{pid}").exists()
    else:
        raise AssertionError("it was started")


def test_words_that_cannot_be_written_and_a_process_that_cannot_be_noted_end_no_driver(tmp_path: Path) -> None:
    def closed(text: str) -> None:
        raise BrokenPipeError(text)

    def no_room(name: str, pid: int) -> None:
        raise ConfigError("state", "submitted.json", "make it writable, with room for it (No space left on device)")

    drivers = [driver(tmp_path, "short", ""), driver(tmp_path, "long", "import time; time.sleep(1); print('well')")]
    assert drive(drivers, closed, no_room) == 0
    assert (tmp_path / "logs" / "long.log").read_text() == "well\n"


def test_what_nohup_ignores_stays_ignored(tmp_path: Path) -> None:
    script = f"""
import os, signal
from pathlib import Path
from penstock.governing.drivers import DriverProcess, drive
signal.signal(signal.SIGHUP, signal.SIG_IGN)
hangs_up = "import os, signal; os.kill(os.getppid(), signal.SIGHUP)"
one = DriverProcess("one", [{sys.executable!r}, "-c", hangs_up], Path({str(tmp_path / "log")!r}))
raise SystemExit(drive([one], print))
"""
    assert subprocess.run([sys.executable, "-c", script], cwd=ROOT, env=environment(), check=False).returncode == 0
