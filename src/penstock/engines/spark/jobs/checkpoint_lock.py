"""Locks on checkpoints: one driver writes to a checkpoint, and a second one is refused before it writes anything.

The lock is the operating system's, on a file in the checkpoint. It lasts as long as the process that took it: a driver
that was killed leaves none behind. It reaches as far as such locks do: this machine, and hosts that mount the same
directory over a protocol with locks. A mount that answers nothing holds up its own jobs alone.
"""

import fcntl
import logging
import os
import threading
from pathlib import Path

from penstock.engines.spark.jobs.starting import called
from penstock.errors import EngineError

LOCK_FILE = "penstock-driver.lock"
LOCKS_WITHIN_S = 20.0  # as a job's function has: a round may wait for it

_log = logging.getLogger("penstock.spark")
_turns: dict[Path, threading.Lock] = {}  # by file: two starts of one job lock it one after the other
_held: dict[Path, int] = {}  # by file, for the life of this process: all its queries are of one driver


def lock_checkpoint(checkpoint: Path, job: str, within_s: float = LOCKS_WITHIN_S) -> None:
    """Make it ours; an EngineError where another process has it. Locking twice is locking once."""
    called(f"{job}: the lock on its checkpoint {checkpoint}", lambda: _lock(checkpoint, job, within_s), within_s)


def _lock(checkpoint: Path, job: str, within_s: float) -> None:
    file = checkpoint / LOCK_FILE
    turn = _turns.setdefault(file, threading.Lock())
    if not turn.acquire(timeout=within_s):
        return  # nobody waits for it any more
    try:
        if file not in _held or not file.exists():
            _take(file, job)
    finally:
        turn.release()


def _take(file: Path, job: str) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        found = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError as error:  # whether a query can start there, Spark says better
        _log.warning("%s: its checkpoint cannot be locked: %s", job, error)
        return
    if _taken(found):
        os.close(found)
        raise EngineError(
            f"{job}: another driver runs on its checkpoint {file.parent}; end that one first, or name another place"
        )
    _held[file] = found


def _taken(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError as error:  # a file system without locks
        _log.warning("a checkpoint cannot be locked: %s", error)
    return False
