"""Processes of other programs: started so that they outlive the command, known again for certain, ended by their id.

A state file that holds a `Process` says for certain whether that process is still there: process ids are used again,
but not together with the same start time.
"""

import contextlib
import os
import random
import signal
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from penstock.errors import EngineError

_DOWN_WITHIN_S = 15.0
_LOOK_EVERY_S = 0.1
_LOOK_FOR_COMMAND_EVERY_S = 0.001
_PORTS = range(11_000, 20_000)  # Linux gives those from 32768 on to connections


@dataclass(frozen=True, slots=True)
class Process:
    """One process that was started. `ticks` is its start time as the kernel counts it: pids are used again."""

    role: str
    pid: int
    ticks: int

    @property
    def alive(self) -> bool:
        """Whether it is still the process that was started, and no zombie."""
        return start_ticks(self.pid) == self.ticks


def start(role: str, command: Sequence[str], log: Path, environment: Mapping[str, str]) -> Process:
    """Start a program that outlives this command, and its terminal's Ctrl-C; what it prints goes to the log."""
    # Spawned without a handle: nobody waits for it.
    pid = os.posix_spawn(
        command[0],
        list(command),
        {**os.environ, **environment},
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, str(log), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644),
            (os.POSIX_SPAWN_DUP2, 1, 2),
        ],
        setsid=True,
    )
    # The kernel lets this command go on a moment before the program's command line, by which it is found, can be read.
    while (ticks := start_ticks(pid)) is not None and not command_of(pid):
        time.sleep(_LOOK_FOR_COMMAND_EVERY_S)
    if ticks is None:
        raise EngineError(f"the {role} ended at once; see {log}")
    return Process(role, pid, ticks)


def end(process: Process, within_s: float = _DOWN_WITHIN_S) -> None:
    """Ask it to end; after a while insist."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        send(process, number)
        deadline = time.monotonic() + within_s
        while process.alive and time.monotonic() < deadline:
            time.sleep(_LOOK_EVERY_S)
    reap(process)


def send(process: Process, number: signal.Signals) -> None:
    """Send a signal to it, if it is still the same process."""
    if process.alive:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, number)


def reap(process: Process) -> None:
    """Take leave of a process that ended, where it was this command's child."""
    with contextlib.suppress(ChildProcessError):  # of another command's making: not ours to reap
        os.waitpid(process.pid, os.WNOHANG)


def found_by(role: str, argument: str) -> tuple[Process, ...]:
    """The processes whose command line has this argument: what was started and could not be noted any more."""
    found = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            ticks = start_ticks(int(place.parent.name))
            if ticks is not None and argument.encode() in place.read_bytes().split(b"\0"):
                found.append(Process(role, int(place.parent.name), ticks))
    return tuple(found)


def found_running(role: str, command: Sequence[str]) -> tuple[Process, ...]:
    """The processes that have this command line, from its first word to its last."""
    candidates = found_by(role, command[-1]) if command else ()
    return tuple(found for found in candidates if command_of(found.pid) == list(command))


def command_of(pid: int) -> list[str]:
    """The command line of a process; nothing of one that is gone, or has only just been started."""
    try:
        told = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return []
    return [part.decode("utf-8", "replace") for part in told.rstrip(b"\0").split(b"\0")] if told else []


def wait(done: Callable[[], bool], within_s: float, late: str) -> None:
    """Until it is done; `late` is the error when that takes too long."""
    deadline = time.monotonic() + within_s
    while not done():
        if time.monotonic() > deadline:
            raise EngineError(f"{late} within {within_s:.0f} s")
        time.sleep(_LOOK_EVERY_S)


def listens(port: int, address: str = "127.0.0.1") -> bool:
    """Whether somebody listens at that port; of the loopback address, where nothing else is said."""
    with contextlib.suppress(OSError), socket.create_connection((address, port), timeout=1.0):
        return True
    return False


def free_port() -> int:
    """A port that nobody listens at just now, and that the kernel gives to no connection until somebody does."""
    for port in random.sample(_PORTS, len(_PORTS)):
        with contextlib.suppress(OSError), socket.socket() as found:
            found.bind(("127.0.0.1", port))
            return port
    raise EngineError(f"no port from {_PORTS[0]} to {_PORTS[-1]} is free; see who listens with `ss -lnt`")


def start_ticks(pid: int) -> int | None:
    """When the process began, as the kernel counts; None for one that is gone or a zombie."""
    fields = stat_fields(pid)
    return None if fields is None or fields[0] == "Z" else int(fields[19])


def children(pid: int) -> list[int]:
    """The processes that it started, and nobody has taken leave of."""
    return _by_parent().get(pid, [])


def family(pid: int) -> list[int]:
    """A process, and all that it and they started, down to the last; itself first."""
    started, found = _by_parent(), [pid]
    for parent in found:
        found.extend(started.get(parent, ()))
    return found


def _by_parent() -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        fields = stat_fields(int(entry.name))
        if fields is not None:
            found.setdefault(int(fields[1]), []).append(int(entry.name))
    return found


def stat_fields(pid: int) -> list[str] | None:
    """The fields of /proc/PID/stat from the state on; None for one that is gone."""
    try:
        # The name in parentheses, before the state, may hold spaces; the fields after it do not.
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return None
