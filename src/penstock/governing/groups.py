"""Processes with all that they started, each a group of its own: ended in order, ended at once, seen to be gone."""

import logging
import os
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType

from penstock.local import processes

LEAVES_WITHIN_S = 5.0  # what a process started, once it is dead: its JVM ends by itself in one or two
_LOOK_EVERY_S = 0.1
_STATE, _GROUP, _THREADS = 0, 2, 17  # of the fields of /proc/PID/stat from the state on

_log = logging.getLogger("penstock")


def started(
    command: Sequence[str],
    stdin: int | None = None,
    stdout: int | None = None,
    stderr: int | None = None,
    environment: Mapping[str, str] = MappingProxyType({}),
) -> "subprocess.Popen[bytes] | None":
    """A process that leads a group of its own; None where the machine has no room for one just now.

    `environment` is what it has beside ours.
    """
    whole = {**os.environ, **environment}
    try:
        return subprocess.Popen(command, process_group=0, stdin=stdin, stdout=stdout, stderr=stderr, env=whole)
    except OSError as error:
        _log.warning("%s could not be started: %s", command[0], error.strerror)
        return None


def ended(process: "subprocess.Popen[bytes]", within_s: float) -> None:
    """It is gone, and its group: by itself within that time, else killed, as where waiting is interrupted."""
    try:
        process.wait(within_s)
    except subprocess.TimeoutExpired:
        killed(process.pid)
        process.wait()
    except BaseException:
        killed(process.pid)
        process.wait()
        raise
    cleared(process.pid)


def cleared(group: int) -> None:
    """Nobody of the group of a process that is dead is left, to write into a checkpoint beside the next driver."""
    until_s = time.monotonic() + LEAVES_WITHIN_S
    while lives_on(group) and time.monotonic() < until_s:
        time.sleep(_LOOK_EVERY_S)
    killed(group)


def killed(group: int) -> None:
    """At once."""
    with suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)


def lives_on(group: int) -> bool:
    """Whether somebody of it is left that can do anything.

    A zombie cannot, once all its threads have ended. Where the supervisor is a container's first process, a dead
    driver's JVM stays one for ever.
    """
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    if processes.stat_fields(os.getpid()) is None:
        return True  # no Linux: nobody tells of zombies
    pids = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    return any(fields[_GROUP] == str(group) and not _ended_whole(fields) for fields in _told(pids))


def _told(pids: Sequence[int]) -> Iterator[Sequence[str]]:
    found = (processes.stat_fields(pid) for pid in pids)
    return (fields for fields in found if fields)


def _ended_whole(fields: Sequence[str]) -> bool:
    return fields[_STATE] in ("Z", "X") and int(fields[_THREADS]) <= 1
