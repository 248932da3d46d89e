"""Drivers of several applications as processes of this machine: started, watched, ended together.

Each is a process group of its own with a log of its own, so that a terminal's Ctrl-C reaches it once, through us. One
that ends leaves the others alone: whoever wants it started again has it do so itself (`penstock run --restart`).
"""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from types import FrameType

from penstock.errors import PenstockError, told
from penstock.spoken import spoken

_LOOK_EVERY_S = 0.2
ENDS_WITHIN_S = 120.0  # a supervised driver gives its own 90 s
_SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
INTERRUPTED = 130


@dataclass(frozen=True, slots=True)
class DriverProcess:
    """What is to be started, and where what it says goes.

    `environment` is what it has beside ours: what nobody else on the machine is to see.
    """

    name: str
    command: Sequence[str]
    log: Path
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)


def drive(
    drivers: Sequence[DriverProcess],
    tell: Callable[[str], None],
    started: Callable[[str, int], None] = lambda name, pid: None,
) -> int:
    """Start all, and wait until all have ended or somebody asks for the end; the exit code that says most.

    `started` hears the name and process id of each. A signal that somebody had ignored for us (nohup) stays ignored.
    Whoever cannot hear or note them ends none of them.
    """
    stop, tell = Event(), spoken(tell)
    with _heard(stop), ExitStack() as ended:
        running: dict[str, subprocess.Popen[bytes]] = {}
        ended.callback(lambda: _end(running))
        for driver in drivers:
            running[driver.name] = _start(driver)
            try:
                started(driver.name, running[driver.name].pid)
            except PenstockError as error:  # it is found by its command line all the same
                tell(f"{driver.name}: its process could not be noted: {told(error)}")
            tell(f"{driver.name}: process {running[driver.name].pid}, log {driver.log}")
        codes = list(_codes(running, stop, tell))
    return INTERRUPTED if stop.is_set() else max(codes, default=0)


def _start(driver: DriverProcess) -> "subprocess.Popen[bytes]":
    driver.log.parent.mkdir(parents=True, exist_ok=True)
    with driver.log.open("ab") as log:
        return subprocess.Popen(
            driver.command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            process_group=0,
            env={**os.environ, **driver.environment},
        )


def _codes(running: "dict[str, subprocess.Popen[bytes]]", stop: Event, tell: Callable[[str], None]) -> Iterator[int]:
    """The exit code of each as it ends, a signal's as shells have it."""
    left = dict(running)
    while left and not stop.wait(_LOOK_EVERY_S):
        for name in [name for name, process in left.items() if process.poll() is not None]:
            code = left.pop(name).returncode
            tell(f"{name} ended: exit code {code}")
            yield code if code >= 0 else 128 - code


def _end(running: "dict[str, subprocess.Popen[bytes]]") -> None:
    """All are asked at once, so that they end beside each other; who does not is ended with all that it started."""
    for process in running.values():
        if process.poll() is None:
            process.terminate()
    until_s = time.monotonic() + ENDS_WITHIN_S
    for process in running.values():
        try:
            process.wait(max(0.0, until_s - time.monotonic()))
        except subprocess.TimeoutExpired:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _heard(stop: Event) -> ExitStack:
    """Signals set it until the block ends."""

    def told(number: int, frame: FrameType | None) -> None:
        stop.set()

    stack = ExitStack()
    for number in _SIGNALS:
        before = signal.getsignal(number)
        if before is not signal.SIG_IGN:
            signal.signal(number, told)
            stack.callback(signal.signal, number, before)
    return stack
