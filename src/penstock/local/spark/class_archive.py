"""Spark's classes, read and checked once for every JVM of this user that follows (Java's class-data sharing).

A driver's JVM spends seconds on it, most of them before the first batch. The archive is in the user's cache folder,
under a name of its own for each Java and each Spark; it may be deleted at any time. Nothing fails without one: Java
leaves an archive aside that does not fit, and whoever has none starts as always.

`python -m penstock.local.spark.class_archive` makes it, with the least right to the cores, and no longer than
whoever started that is there; with `--if-room` only where nobody could miss what it takes.
"""

import fcntl
import hashlib
import logging
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyspark

from penstock.local.allowance import cores_are_counted, left_mib
from penstock.local.following import Follower
from penstock.local.java import found_java
from penstock.user_folders import cache_folder

_MADE_WITHIN_S = 3600.0  # 64 s of a core; whoever makes it lets all others go first
_PLAINLY_NICE = 19
IF_ROOM = "--if-room"
_ROOM_MIB = 3072.0  # the JVM and its Python take 1.5 GiB; as much again is left to others
_TOLD_TO_ALL = ("JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS")

_log = logging.getLogger("penstock.spark")


def options() -> str:
    """What a JVM on this machine is told to use the archive; nothing while there is none."""
    found = _archive()
    if found is None or not found.exists():
        return ""
    # Silent: a JVM with other classes would say on its standard output that it leaves the archive aside.
    return f"-XX:SharedArchiveFile={found} -Xshare:auto -Xlog:cds*=off"


def is_lacking() -> bool:
    """Whether there is none, though there could be one."""
    found = _archive()
    return found is not None and not found.exists()


def has_room(root: Path = Path("/")) -> bool:
    """Whether making one takes nothing from anybody: there is memory for it, and nobody counts what it has of cores.

    `root` is where the kernel tells.
    """
    left = left_mib(root)
    return left is not None and left >= _ROOM_MIB and not cores_are_counted(root)


def make() -> bool:
    """Whether there is one now. It takes about a minute of a core, once; who finds it being made does not wait."""
    found = _archive()
    if found is None or found.exists():
        return found is not None
    try:
        found.parent.mkdir(parents=True, exist_ok=True)
        with _alone(found.with_suffix(".lock")) as alone:
            return alone and _made(found)
    except OSError as error:
        _log.info("no archive of classes: %s", error)
        return False


def _made(found: Path) -> bool:
    making = f"making-{found.stem}-"
    for left in found.parent.glob(f"{making}*"):  # of one that was killed: nobody else makes it now
        shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=making, dir=found.parent, ignore_cleanup_errors=True) as place:
        made = Path(place, "spark.jsa")
        command = [sys.executable, "-m", "penstock.engines.spark.jvm.warming", str(made)]
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=_MADE_WITHIN_S)
        except (subprocess.SubprocessError, OSError) as error:
            _log.info("no archive of classes: %s", error)
            return False
        if not made.exists():  # a Java before 13, or folders among its classes
            return False
        made.replace(found)
    return True


@contextmanager
def _alone(lock: Path) -> Iterator[bool]:
    """Whether nobody else makes it just now."""
    with lock.open("w") as held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True


def _archive() -> Path | None:
    """Its place, by what its classes are of; None without Java or Spark, or where all JVMs are told of another one."""
    if any("-XX:SharedArchiveFile" in os.environ.get(name, "") for name in _TOLD_TO_ALL):
        return None
    java = found_java()
    jars = Path(os.environ.get("SPARK_HOME") or Path(pyspark.__file__).parent, "jars")
    if java is None or not jars.is_dir():
        return None
    of = [str(_stamp(java.resolve())), str(_stamp(jars)), pyspark.__version__]
    return cache_folder() / "spark-classes" / f"{hashlib.sha256(' '.join(of).encode()).hexdigest()[:16]}.jsa"


def _stamp(path: Path) -> tuple[str, int, int]:
    """It, and when it was last changed: an upgrade in the same place is another one."""
    found = path.stat()
    return str(path), found.st_mtime_ns, found.st_size


def _leave_nobody() -> None:
    """At once, where we lead a group of our own: a JVM that is to archive its classes as it ends takes a minute to."""
    if os.getpgrp() == os.getpid():
        os.killpg(os.getpgrp(), signal.SIGKILL)


if __name__ == "__main__":
    if IF_ROOM in sys.argv[1:] and not has_room():
        sys.exit(1)
    os.nice(_PLAINLY_NICE)
    Follower(os.getppid()).start()
    try:
        sys.exit(0 if make() else 1)
    except KeyboardInterrupt:
        _leave_nobody()
        raise
