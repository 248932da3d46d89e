"""Ports for the servers that tests start: of this run alone for as long as it lasts.

A port that the kernel chose and that was let go again can be somebody's a moment later: an outgoing connection's, or
another test's. These lie below those that the kernel gives to connections, and a lock says whose each is.
"""

import fcntl
import os
import socket
from io import FileIO
from pathlib import Path

_FIRST, _LAST = 21_000, 29_999  # Linux's own begin at 32768
_taken: list[FileIO] = []


def own_port() -> int:
    """A port that nobody listens at and that no other test, of this run or another, is given."""
    begin = os.getpid() % (_LAST - _FIRST)
    for port in (*range(_FIRST + begin, _LAST), *range(_FIRST, _FIRST + begin)):
        if _take(port):
            return port
    raise RuntimeError(f"no port of {_FIRST} to {_LAST} is free; see who listens with `ss -lnt`")


def _take(port: int) -> bool:
    # One place for all runs of this machine, whatever their own temporary folder. A lock ends with its process, and is
    # taken from a file rather than made as one: what a run leaves is empty.
    lock = FileIO(Path("/tmp", f"penstock-port-{port}.lock"), "w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
    except OSError:
        lock.close()
        return False
    _taken.append(lock)
    return True
