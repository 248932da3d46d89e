"""Processes with all that they started, each a group of its own: ended in order, ended at once, seen to be gone."""

import os
import signal
import subprocess
import time
from contextlib import suppress

_LEAVES_WITHIN_S = 5.0  # what a process started, once it is dead: its JVM ends by itself in one or two
_LOOK_EVERY_S = 0.1


def ended(process: "subprocess.Popen[bytes]", within_s: float) -> None:
    """It is gone: by itself within that time, else killed."""
    try:
        process.wait(within_s)
    except subprocess.TimeoutExpired:
        killed(process.pid)
        process.wait()
    cleared(process.pid)


def cleared(group: int) -> None:
    """Nobody of the group of a process that is dead is left, to write into a checkpoint beside the next driver."""
    until_s = time.monotonic() + _LEAVES_WITHIN_S
    while _lives_on(group) and time.monotonic() < until_s:
        time.sleep(_LOOK_EVERY_S)
    killed(group)


def killed(group: int) -> None:
    """At once."""
    with suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)


def _lives_on(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True
