"""What a run of the tests has started ends with it, also where the run is killed and takes nothing down itself.

A process of its own waits at a pipe that only the run holds: it closes however the run ends. All that the tests start,
and what that starts in turn, has the run's folder in its environment, see `place`; who has it then is ended.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

NAMED = "PENSTOCK_TESTS"
_ENDS_WITHIN_S = 10.0
_LOOK_EVERY_S = 0.1
_OVER = b"over"  # the run has ended in order, and taken down what it started
_guard: "subprocess.Popen[bytes] | None" = None


def pytest_configure() -> None:
    global _guard
    # A worker, and a run that a test starts in one, have the folder of the run above them: that one guards it.
    if "PYTEST_XDIST_WORKER" not in os.environ:
        command = [sys.executable, "-E", "-S", __file__, os.environ[NAMED]]
        _guard = subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)


def pytest_unconfigure() -> None:
    if _guard is not None:
        _guard.communicate(_OVER)


def left_by(run: str) -> Iterator[int]:
    """The processes that stem from this run, but for whoever asks."""
    mark = f"{NAMED}={run}".encode()
    for place in Path("/proc").glob("[0-9]*"):
        try:
            stems = mark in (place / "environ").read_bytes().split(b"\0")
        except OSError:  # it is gone, or another user's
            continue
        if stems and int(place.name) != os.getpid():
            yield int(place.name)


def end_all(run: str) -> None:
    """Ask them to end; after a while insist, also of those that have come meanwhile."""
    send(run, signal.SIGTERM)
    deadline = time.monotonic() + _ENDS_WITHIN_S
    while any(left_by(run)) and time.monotonic() < deadline:
        time.sleep(_LOOK_EVERY_S)
    send(run, signal.SIGKILL)


def send(run: str, number: signal.Signals) -> None:
    for pid in left_by(run):
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            continue


if __name__ == "__main__":
    if sys.stdin.buffer.read() != _OVER:
        end_all(sys.argv[1])
