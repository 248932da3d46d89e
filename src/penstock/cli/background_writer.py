"""Words written in the background: who says them never waits for who reads them.

A pager that nobody scrolls, a terminal that Ctrl-S holds, a log whose driver waits: a pipe that is full blocks whoever
writes to it, be it the thread that governs.
"""

import atexit
import os
import threading
from collections import deque
from contextlib import suppress
from errno import EIO, EPIPE
from typing import IO, Any, TextIO

import click

from penstock.core.safe_text import visible

NOBODY_THERE = (EPIPE, EIO)  # a pipe without a reader, a terminal that was closed
_MOST = 1_000_000  # characters that wait; what is told then is left out
_ENDS_WITHIN_S = 60.0  # who reads has so long, once the work is over


def in_background(stream: TextIO) -> "BackgroundStream":
    """Words for that stream; the command that runs does not end before they are read, or a minute is over."""
    words, command = BackgroundStream(stream), click.get_current_context(silent=True)
    (atexit.register if command is None else command.call_on_close)(words.drain)
    return words


class BackgroundStream:
    """A stream that a thread of its own writes to; what cannot be written is dropped, and nothing ends by it."""

    def __init__(self, stream: TextIO, most: int = _MOST) -> None:
        self._stream = stream
        self._most = most
        self._changed = threading.Condition()
        self._waiting: deque[str] = deque()
        self._writes = False
        self._size = 0
        self._left_out = 0
        self._thread: threading.Thread | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """On its way; or left out where too much waits, which is said as soon as there is room."""
        with self._changed:
            if self._waiting and self._size + len(text) > self._most:
                self._left_out += 1
                return len(text)
            if self._left_out:
                self._put_down(f"... {self._left_out} more were not written: nobody read them\n")
                self._left_out = 0
            self._put_down(text)
            self._begin()
            self._changed.notify_all()
        return len(text)

    def say(self, text: str) -> None:
        """Words of ours, in lines."""
        self.write(f"{visible(text, lines=True)}\n")

    def flush(self) -> None:
        """What was written is flushed by who writes it."""

    def drain(self, within_s: float = _ENDS_WITHIN_S) -> bool:
        """Wait until all is written, but no longer than that; whether it is."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._waiting and not self._writes, within_s)

    def _put_down(self, text: str) -> None:
        self._waiting.append(text)
        self._size += len(text)

    def _begin(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="penstock-words", daemon=True)
            self._thread.start()

    def _work(self) -> None:
        while True:
            with self._changed:
                self._writes = False
                self._changed.notify_all()
                self._changed.wait_for(lambda: bool(self._waiting))
                text = self._waiting.popleft()
                self._size -= len(text)
                self._writes = True
            self._put(text)

    def _put(self, text: str) -> None:
        try:
            _written(self._stream, text)
        except OSError as error:
            if error.errno in NOBODY_THERE:
                speak_to_nobody(self._stream)
        except ValueError:  # it was closed
            pass


def _written(stream: TextIO, text: str) -> None:
    try:
        file = stream.fileno()
    except OSError:  # it has none, as in a test
        stream.write(text)
        return
    # Not by the stream: whoever waits in it as the interpreter ends holds its lock, and the program ends by SIGABRT.
    left = text.encode(stream.encoding, stream.errors or "strict")
    while left:
        left = left[os.write(file, left) :]


def speak_to_nobody(stream: IO[str]) -> None:
    """From now on what is written there goes nowhere."""
    with suppress(OSError):  # what is still in Python's buffer would make an exit code of its own
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
