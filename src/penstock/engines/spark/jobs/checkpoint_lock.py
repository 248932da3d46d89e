"""Locks on checkpoints: one driver writes to a checkpoint, and a second one is refused before it writes anything.

The lock is the operating system's, on a file in the checkpoint. It lasts as long as the process that took it: a driver
that was killed leaves none behind. It reaches as far as such locks do: this machine, and hosts that mount the same
directory over a protocol with locks. Where a checkpoint is kept elsewhere, as in an object store, nothing is locked:
there Spark notices a second writer when both commit the same batch.
"""

import fcntl
import logging
import os
import threading
from pathlib import Path

from penstock.errors import EngineError

LOCK_FILE = "penstock-driver.lock"

_log = logging.getLogger("penstock.spark")
_one_by_one = threading.Lock()
_held: dict[Path, int] = {}  # by file, for the life of this process: all its queries are of one driver


def lock_checkpoint(checkpoint: Path, job: str) -> None:
    """Make it ours; an EngineError where another process has it. Locking twice is locking once."""
    file = checkpoint / LOCK_FILE
    with _one_by_one:
        if file in _held and file.exists():
            return
        try:
            checkpoint.mkdir(parents=True, exist_ok=True)
            found = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError as error:  # whether a query can start there, Spark says better
            _log.warning("%s: its checkpoint cannot be locked: %s", job, error)
            return
        if _taken(found):
            os.close(found)
            raise EngineError(
                f"{job}: another driver runs on its checkpoint {checkpoint}; end that one first, or name another place"
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
