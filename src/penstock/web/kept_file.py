"""A small file that somebody may replace while a server reads by it: read beside whoever asks, who waits for no disk.

A file system that stands still answers nobody, and an event loop that waits for it answers nobody either. What was read
last holds until it answers again.
"""

import logging
import os
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Generic, TypeVar

from penstock.engines.hand import Hand
from penstock.errors import ConfigError, EngineError

T = TypeVar("T")

STARTS_WITHIN_S = 10.0
FRESH_S = 0.25  # requests come a hundred a second
_WAITS_S = 0.1  # a look takes a tenth of a millisecond
_RESTS_S = 1.0  # after a look that took longer: an event loop waits for a tenth of its time at most
_TOLD_AFTER_S = 5.0

_FileMark = tuple[int, int, int]


class KeptFile(Generic[T]):
    """What is in the file now, or was when it was read last. `read` is given what is known, None before the first time.

    What changed counts `fresh_s` after a request at the latest.
    """

    def __init__(
        self,
        path: Path,
        field: str,
        read: Callable[[T | None], T],
        log: logging.Logger,
        fresh_s: float = FRESH_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """What `read` raises here is raised; a ConfigError that names the `field` where nothing answers."""
        self._path = path
        self._read = read
        self._log = log
        self._fresh_s = fresh_s
        self._clock = clock
        self._hand = Hand(pause=lambda over, _: over.wait(_WAITS_S))
        self._next_s = clock() + fresh_s
        self._late_since_s: float | None = None
        self._told = False
        self._mark: _FileMark | None = None
        self._found: T = answered(field, path, self._first)

    def __call__(self) -> T:
        now_s = self._clock()
        if now_s >= self._next_s:
            self._next_s = now_s + self._fresh_s
            try:
                self._hand.do(f"reading {self._path}", self._look, _WAITS_S, behind_s=0.0)
                self._in_time()
            except EngineError:
                self._late(now_s)
            finally:
                self._hand.close()  # its thread ends with the look
        return self._found

    def _first(self) -> T:
        self._mark = _mark_of(self._path)
        return self._read(None)

    def _look(self) -> None:
        """One that comes late counts, too."""
        mark = _mark_of(self._path)
        if mark != self._mark:
            self._found, self._mark = self._read(self._found), mark

    def _late(self, now_s: float) -> None:
        self._next_s = now_s + _RESTS_S
        if self._late_since_s is None:
            self._late_since_s = now_s
        elif not self._told and now_s - self._late_since_s >= _TOLD_AFTER_S:
            self._told = True
            self._log.warning(
                "%s has not been read for %.0f s: what was read before counts; see that its file system answers",
                self._path,
                now_s - self._late_since_s,
            )

    def _in_time(self) -> None:
        if self._told:
            self._log.warning("%s is read again", self._path)
        self._late_since_s, self._told = None, False


def answered(field: str, path: Path, ask: Callable[[], T], within_s: float = STARTS_WITHIN_S) -> T:
    """What it returns or raises; a ConfigError where the file system does not answer in time."""
    hand = Hand()
    try:
        return hand.do("reading it", ask, within_s)
    except EngineError as error:
        raise ConfigError(field, str(path), f"give a path whose file system answers ({error})") from None
    finally:
        hand.close()


@contextmanager
def written_whole(path: Path, text: str) -> Iterator[Path]:
    """The text in a file of its own, which only its owner may read; the block puts it at `path`.

    All of it is written before it lies there: nobody finds half of it, not even after a crash.
    """
    whole = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        with open(os.open(whole, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(text)
        yield whole
    finally:
        with suppress(OSError):
            whole.unlink()


def _mark_of(path: Path) -> _FileMark | None:
    """What tells a file from the one that was there; None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size
