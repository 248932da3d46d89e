"""What a `penstock submit` started, noted so that its drivers are found again when it was killed itself.

    begun: the drivers and their commands are noted -> each start: its process -> all have ended: the file goes
                                                  SIGKILL -> drivers go on: a second submit refuses, --stop ends them

Drivers whose process could not be noted any more are known by their command lines.
"""

import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from penstock.errors import ConfigError, EngineError
from penstock.governing.drivers import ENDS_WITHIN_S, DriverProcess
from penstock.local import processes
from penstock.local.processes import Process
from penstock.local.state_file import StateFile, default_place

_LOOK_EVERY_S = 0.2


@dataclass(frozen=True, slots=True)
class SubmittedDriver:
    """One driver: its name, its command line, and its process once that is known."""

    name: str
    command: tuple[str, ...]
    process: Process | None = None


@dataclass(frozen=True, slots=True)
class Submission:
    """The drivers of one tenants file, and the process that starts, watches and ends them."""

    owner: Process
    drivers: tuple[SubmittedDriver, ...] = ()

    def running(self) -> tuple[SubmittedDriver, ...]:
        """Those that are there, each with its process."""
        found = (replace(driver, process=driver.process or _by_command(driver)) for driver in self.drivers)
        return tuple(driver for driver in found if driver.process is not None and driver.process.alive)


def file_of(tenants: Path) -> StateFile[Submission]:
    """Where what was submitted from that tenants file is noted, whether the file itself is still there or not."""
    whole = tenants.absolute()
    mark = sha256(str(whole).encode()).hexdigest()[:8]
    return StateFile(default_place(f"submitted-{whole.stem}-{mark}"), Submission, "submission")


def refuse_second(tenants: Path) -> None:
    """Raise an EngineError where drivers of that file run already: two of one name would share a checkpoint."""
    known = file_of(tenants).read()
    left = () if known is None else known.running()
    if left:
        named = ", ".join(f"{driver.name} (process {_pid(driver)})" for driver in left)
        raise EngineError(f"submitted already and still running: {named}; end them with `{_stops(tenants)}`")


@contextmanager
def noted(tenants: Path, drivers: Sequence[DriverProcess]) -> Iterator[Callable[[str, int], None]]:
    """Note them until the block has ended them; who starts one says its name and process id."""
    file, own = file_of(tenants), os.getpid()
    begun = tuple(SubmittedDriver(driver.name, tuple(driver.command)) for driver in drivers)
    known = file.write(Submission(_process("submit", own), begun))

    def started(name: str, pid: int) -> None:
        nonlocal known
        found = _process(name, pid)
        told = (replace(one, process=found) if one.name == name else one for one in known.drivers)
        known = file.note(known, drivers=tuple(told))

    yield started
    file.remove()


def stop(tenants: Path, tell: Callable[[str], None]) -> None:
    """End all that was submitted from that file and is still there: by who started it, else one by one."""
    file = file_of(tenants)
    known = file.read()
    if known is None:
        raise ConfigError("--stop", str(tenants), "nothing that was submitted from this file runs here")
    if known.owner.alive:
        processes.send(known.owner, signal.SIGTERM)
        _gone([known.owner], ENDS_WITHIN_S)
        known = file.read() or replace(known, drivers=())
    left = known.running()
    for driver in left:
        _send(driver, signal.SIGTERM)
    _gone([driver.process for driver in left if driver.process is not None], ENDS_WITHIN_S)
    for driver in left:
        tell(f"{driver.name} (process {_pid(driver)}) {_ended(driver)}")
    file.remove()


def _ended(driver: SubmittedDriver) -> str:
    """How; whoever did not end when it was asked to is ended with all that it started."""
    if driver.process is None or not driver.process.alive:
        return "ended"
    with suppress(ProcessLookupError):
        os.killpg(driver.process.pid, signal.SIGKILL)
    return "did not end, and was killed"


def _send(driver: SubmittedDriver, number: signal.Signals) -> None:
    if driver.process is not None:
        processes.send(driver.process, number)


def _gone(those: Sequence[Process], within_s: float) -> None:
    """Wait until they are, or for so long."""
    until_s = time.monotonic() + within_s
    while any(process.alive for process in those) and time.monotonic() < until_s:
        time.sleep(_LOOK_EVERY_S)


def _by_command(driver: SubmittedDriver) -> Process | None:
    return next(iter(processes.found_running(driver.name, driver.command)), None)


def _process(role: str, pid: int) -> Process:
    return Process(role, pid, processes.start_ticks(pid) or 0)  # one that has ended already is none that lives


def _pid(driver: SubmittedDriver) -> int:
    return 0 if driver.process is None else driver.process.pid


def _stops(tenants: Path) -> str:
    return f"penstock submit {tenants} --stop"
