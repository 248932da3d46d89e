"""Ports for the servers that tests start: of this run alone for as long as it lasts.

A port that the kernel chose and that was let go again can be somebody's a moment later: an outgoing connection's, or
another test's. These lie below those that the kernel gives to connections, and a lock says whose each is.
"""

import fcntl
import os
import socket
from contextlib import ExitStack
from io import FileIO
from itertools import chain
from pathlib import Path

_FIRST, _LAST = 21_000, 29_999  # Linux's own begin at 32768
_taken: list[int] = []  # descriptors: as files they would be told of at the end of the run, unclosed


def own_port() -> int:
    """A port that nobody listens at and that no other test, of this run or another, is given."""
    begin = _FIRST + os.getpid() % (_LAST - _FIRST)
    found = next(filter(_take, chain(range(begin, _LAST), range(_FIRST, begin))), None)
    if found is None:
        raise RuntimeError(f"no port of {_FIRST} to {_LAST} is free; see who listens with `ss -lnt`")
    return found


def _take(port: int) -> bool:
    # One place for all runs of this machine, whatever their own temporary folder. The lock ends with its process; the
    # file stays, empty, for the next: were it removed, two could hold a lock of the same name.
    with ExitStack() as closed:
        try:
            lock = closed.enter_context(FileIO(Path("/tmp", f"penstock-port-{port}.lock"), "w"))
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            closed.enter_context(socket.socket()).bind(("127.0.0.1", port))
        except OSError:
            return False
        _taken.append(os.dup(lock.fileno()))  # a lock is held for as long as one copy is open
    return True
