"""Questions to the simulator, aside: answered by a process of their own, one at a time, and few may wait.

A simulation is seconds of pure Python. In a thread of the server, which may be the controller's process too, three of
them held up acts by a minute and cycles by 5 s; in a process of low priority they hold up each other only.
"""

import json
import logging
import os
import subprocess
import sys
import threading
from contextlib import suppress
from typing import Any, ClassVar, Protocol

from penstock.errors import ConfigError, PenstockError
from penstock.store.archive import StoreError

WAITING = 4  # questions beside the one that is being answered
AGAIN_S = 5.0  # after which one that found no place may come again
_STARTS_WITHIN_S = 30.0  # on a busy machine, at a low priority
_MODULE = "penstock.web.what_if_process"

_log = logging.getLogger("penstock.web")


class Asked(Protocol):
    """A question, by its kind as the process knows it: what if, what would help, how it had been without."""

    kind: ClassVar[str]

    def model_dump_json(self, *, exclude_unset: bool) -> str:
        """As JSON."""


class FullError(PenstockError):
    """As many questions wait as may, or none can be answered just now."""


class WhatIfFailedError(RuntimeError):
    """The process failed where it should not; its traceback."""


class Aside:
    """Asks the process, and starts it when there is none."""

    def __init__(self, target: str, waiting: int = WAITING) -> None:
        self._target = target
        self._places = threading.BoundedSemaphore(1 + waiting)
        self._turn = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._over = False

    def begin(self) -> None:
        """Start the process, for somebody is about to ask: its imports take seconds."""
        if self._turn.acquire(blocking=False):  # else it is there
            try:
                self._start()
            except FullError as error:  # who asks will be told
                _log.warning("%s", error)
            finally:
                self._turn.release()

    def answer(self, run_id: str, asked: Asked, within_s: float) -> str:
        """The answer as JSON: that of a what-if is a `WhatIfOut`.

        Waits for its turn as long as an answer may take, and no longer.
        """
        if not self._places.acquire(blocking=False):
            raise FullError(f"{1 + WAITING} what-ifs are being answered or wait; ask again in a moment")
        try:
            if not self._turn.acquire(timeout=within_s):
                raise FullError("the what-ifs before this one take long; ask again in a moment")
            try:
                what = {"kind": asked.kind, "asked": asked.model_dump_json(exclude_unset=True)}
                question = {"store": self._target, "run": run_id, **what}
                return _told(self._asked(json.dumps({**question, "within_s": within_s}), within_s))
            finally:
                self._turn.release()
        finally:
            self._places.release()

    def end(self) -> None:
        """End the process; who still waits for it is told so."""
        self._over = True
        if self._process is not None:
            self._process.kill()
        with self._turn:  # whoever reads from it stops reading first
            if self._process is not None:
                self._process.kill()  # it may have been started a moment ago
                _closed(self._process)

    def again(self) -> None:
        """After an end: start it for whoever asks."""
        self._over = False

    def _start(self) -> None:
        if self._process is not None and self._process.poll() is not None:  # nobody asked for a while, or it failed
            _closed(self._process)
            self._process = None
        if self._process is None and not self._over:
            try:
                self._process = _started()
            except OSError as error:
                why = f"no process could be started to answer ({error.strerror})"
                raise FullError(f"{why}; ask again in a moment") from None

    def _asked(self, question: str, within_s: float) -> bytes:
        self._start()
        line = b"" if self._process is None else _line_of(self._process, question, within_s)
        if not line:
            raise FullError("it was not answered in time; ask for fewer minutes, or when the machine is less busy")
        return line


def _started() -> "subprocess.Popen[bytes]":
    """With what this process can import, and one thread for its arithmetic."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(
        [sys.executable, "-m", _MODULE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**environment, "OPENBLAS_NUM_THREADS": "1"},
        start_new_session=True,
    )


def _line_of(process: "subprocess.Popen[bytes]", question: str, within_s: float) -> bytes:
    """Its answer; empty where it has ended, or is ended because it takes too long."""
    assert process.stdin is not None
    assert process.stdout is not None
    late = threading.Timer(_STARTS_WITHIN_S + 2.0 * within_s, process.kill)
    late.start()
    try:
        process.stdin.write(question.encode() + b"\n")
        process.stdin.flush()
        line = process.stdout.readline()
    except (OSError, ValueError):  # its end of the pipe is closed, or ours
        line = b""
    finally:
        late.cancel()
    if not line.endswith(b"\n"):
        process.kill()
        process.wait()
        return b""
    return line


def _closed(process: "subprocess.Popen[bytes]") -> None:
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()


def _told(line: bytes) -> str:
    found: dict[str, Any] = json.loads(line)
    if "config" in found:
        raise ConfigError(*found["config"])
    if "store" in found:
        raise StoreError(found["store"])
    if "mend" in found:
        raise PenstockError(found["mend"])
    if "fault" in found:
        raise WhatIfFailedError(found["fault"])
    return str(found["answer"])
