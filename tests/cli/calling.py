"""The command line as a user calls it: within this process, or as a program of its own."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from unittest.mock import patch

from penstock.cli.main import main

ROOT = Path(__file__).parents[2]
SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGPIPE, signal.SIGQUIT)


@dataclass(frozen=True, slots=True)
class Called:
    """What a command said, and how it ended."""

    returncode: int
    stdout: str
    stderr: str


def penstock(*arguments: str) -> Called:
    """The whole command in this process: a program of its own spends seconds on its imports before it says a word."""
    out, err = StringIO(), StringIO()
    with (
        redirect_stdout(out),
        redirect_stderr(err),
        patch.object(sys, "argv", ["penstock", *arguments]),
        restored_signals(),
    ):
        code = _exit_code()
    return Called(code, out.getvalue(), err.getvalue())


def program(*arguments: str) -> Called:
    """The command as a program of its own."""
    done = subprocess.run(command(*arguments), env=environment(), capture_output=True, text=True, check=False)
    return Called(done.returncode, done.stdout, done.stderr)


@contextmanager
def serving(place: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """A server of its own with a simulation beside it, in that place; what it says is in `said.log` there.

    The simulation's policy is one that needs no scikit-learn, seconds of imports.
    """
    simulated = ["--scenario", str(ROOT / "scenarios" / "spark" / "urgent.yaml"), "--speed", "10", "--policy", "henge"]
    kept = ["--store", str(place / "runs.sqlite"), "--tokens", str(place / "tokens.json"), "--port", "0"]
    with (place / "said.log").open("wb") as said:
        process = subprocess.Popen(command("serve", *simulated, *kept), env=environment(), stderr=said, stdout=said)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def command(*arguments: str) -> list[str]:
    """What starts the program."""
    return [sys.executable, "-m", "penstock.cli.main", *arguments]


def environment() -> dict[str, str]:
    """What a program of its own needs so as to import what this process imports, tests included."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, sys.path)])}


def _exit_code() -> int:
    try:
        main()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0


@contextmanager
def restored_signals() -> Iterator[None]:
    """Commands handle signals their own way until they end."""
    before = {number: signal.getsignal(number) for number in SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
