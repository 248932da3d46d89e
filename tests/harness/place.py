"""One folder for all that a run of the tests writes: temporary files, the runs that penstock records, and logs.

It is made before anything else looks for such places, passed on to xdist's workers and to whatever tests start by the
environment, and removed at the end. It is in memory where there is room: what tests write is for minutes, and each of
thousands of fsyncs waits for a disk that others write to (the store's tests take 61 s instead of 142 beside such).
What is kept of a failure is on the disk, in a folder of its own, see `logs`.
"""

import fcntl
import os
import shutil
import tempfile
from pathlib import Path

import pytest

from tests.harness import class_archive

_NAMED, _LOGS_NAMED = "PENSTOCK_TESTS", "PENSTOCK_TESTS_LOGS"  # whoever is started by a test finds the folders by them
MEMORY = Path("/dev/shm")
ROOM = 8 * 2**30  # bytes
_PREFIX = "pst-"


def place() -> Path:
    """This run's folder."""
    return Path(os.environ[_NAMED])


def logs_place() -> Path:
    """Where the logs of failed tests are kept."""
    return Path(os.environ[_LOGS_NAMED])


def remove() -> None:
    """At the run's end all goes but the logs of failed tests."""
    shutil.rmtree(place(), ignore_errors=True)
    if not any(logs_place().iterdir()):
        logs_place().rmdir()


def in_memory(memory: Path = MEMORY, room: int = ROOM) -> Path | None:
    """Where files can be kept in memory; None where there is no such place, or too little room, or none for others."""
    try:
        found = os.statvfs(memory)
    except OSError:
        return None
    fits = min(found.f_bavail * found.f_frsize, _available()) >= room
    return memory if fits and not found.f_flag & (os.ST_NOEXEC | os.ST_RDONLY) else None


def claimed(folder: Path) -> bool:
    """Make it this process's own until it ends, however it does; False where it is another's, who lives."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        return False
    return True


def sweep(memory: Path) -> None:
    """Runs that were killed have left their folders: memory is not given away for good."""
    for folder in memory.glob(f"{_PREFIX}*"):
        if folder.stat().st_uid == os.getuid() and claimed(folder):
            shutil.rmtree(folder, ignore_errors=True)


def prepare() -> None:
    """Make the folder, once a run, and point all that is started from here at it."""
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker is None:
        os.environ[_LOGS_NAMED] = tempfile.mkdtemp(prefix=f"{_PREFIX}logs-")
        if memory := in_memory():
            sweep(memory)
        os.environ[_NAMED] = str(_made(memory))
        place().chmod(0o755)  # PostgreSQL runs as somebody else
        (place() / "tmp").mkdir()
        (place() / "tmp").chmod(0o1777)
    os.environ["TMPDIR"] = tempfile.tempdir = str(place() / "tmp")
    # Runs that tests record by default go nowhere near the user's own; no worker takes another's for the last.
    os.environ["XDG_STATE_HOME"] = str(place() / "state" / (worker or "main"))
    # The tests start some fifty JVMs, most for seconds: the better compiler would cost them more than it gives, and so
    # would a collector with threads of its own: a sixth of the CPU that streaming queries take here.
    quick = f"-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:ErrorFile={place() / 'tmp'}/hs_err_%p.log"
    os.environ.setdefault("JDK_JAVA_OPTIONS", f"{quick} {class_archive.options()}")


def _made(where: Path | None) -> Path:
    """A new folder, its own before anybody can sweep it away."""
    made = Path(tempfile.mkdtemp(prefix=f"new-{_PREFIX}", dir=where))
    claimed(made)
    return made.rename(made.with_name(made.name.removeprefix("new-")))


def _available() -> int:
    """How many bytes of memory nobody needs."""
    lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable"))


@pytest.hookimpl(tryfirst=True)  # before pytest chooses a place
def pytest_configure(config: pytest.Config) -> None:
    """`tmp_path` is below the folder too, by a name no longer than pytest's own: messages cut long ones."""
    prepare()
    if config.option.basetemp is None:
        config.option.basetemp = str(place() / "t")
