"""METIS, aside: it cuts graphs in a process of its own, and a signal to this one is heard meanwhile.

While METIS computes, it handles SIGTERM for its whole process, as an error of its own. Computing beside other threads,
the process died of it by SIGSEGV; on its main thread the signal was lost, and a useless cut could come of it without an
error. METIS also holds Python's lock, so that all other threads stand still: 5 s for a million pairs. Small graphs go
aside as well, for a signal may come at any moment; the process stays for the next one, so that only the first waits.

The same graph gives the same cuts, so whoever decides stays a function of what is seen.
"""

import atexit
import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from penstock.errors import EngineError
from penstock.extras import MissingExtraError
from penstock.local.cutting_process import Cuts, received, send

_AT_LEAST_S = 120.0  # its start takes 0.2 s where cores are free
_PER_NEIGHBOUR_S = 5e-5  # 20 times what METIS takes
_ENDS_WITHIN_S = 5.0
_MODULE = "penstock.local.cutting_process"
_REMEDY = "the greedy method needs no METIS"


def cut_aside(cuts: Cuts) -> NDArray[np.int64]:
    """The part of each vertex: a row for each try, weighting by weighting."""
    if find_spec("pymetis") is None:
        raise MissingExtraError("routing", "pymetis")
    return _cutter.cut(cuts)


class Cutter:
    """Asks the process, and starts it when there is none; one graph at a time."""

    def __init__(self, module: str = _MODULE) -> None:
        self._module = module
        self._turn = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int | None:
        """The process that is there, if any is."""
        return None if self._process is None else self._process.pid

    def cut(self, cuts: Cuts, within_s: float | None = None) -> NDArray[np.int64]:
        """As `cut_aside`; an EngineError where the process ends, or takes longer than METIS ever should."""
        edges = len(cuts.others) * len(cuts.weights) * len(cuts.seeds)
        with self._turn:
            answer = self._answer(cuts, within_s or _AT_LEAST_S + edges * _PER_NEIGHBOUR_S)
        if "words" in answer:
            raise EngineError(f"METIS could not cut the graph of keys ({answer['words']}); {_REMEDY}")
        return answer["parts"]

    def end(self) -> None:
        """End the process."""
        if self._process is not None:
            _ended(self._process)
            self._process = None

    def _answer(self, cuts: Cuts, within_s: float) -> dict[str, NDArray[Any]]:
        if self._process is not None and self._process.poll() is not None:  # nobody asked for a while
            self.end()
        process = self._process = self._process or _started(self._module)
        late = threading.Event()
        timer = threading.Timer(within_s, _kill_late, (process, late))
        timer.daemon = True  # it keeps nobody from ending
        try:
            timer.start()
            return _asked(process, cuts)
        except (OSError, EOFError):
            with suppress(subprocess.TimeoutExpired):  # then it has only closed its pipes
                process.wait(_ENDS_WITHIN_S)
            self.end()
            raise EngineError(_why(process, late.is_set(), within_s)) from None
        except BaseException:  # whoever asked is interrupted: the answer would be taken for the next one's
            self.end()
            raise
        finally:
            timer.cancel()


def _asked(process: "subprocess.Popen[bytes]", cuts: Cuts) -> dict[str, NDArray[Any]]:
    assert process.stdin is not None
    assert process.stdout is not None
    send(cuts._asdict(), process.stdin)
    return received(process.stdout)


def _started(module: str) -> "subprocess.Popen[bytes]":
    """With what this process can import. Its standard input is held by us alone: once we are gone, it ends."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-m", module]
    try:
        return subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, start_new_session=True
        )
    except OSError as error:
        why = f"METIS needs a process of its own, and none could be started ({error.strerror})"
        raise EngineError(f"{why}; allow more processes or memory, or else {_REMEDY}") from None


def _kill_late(process: "subprocess.Popen[bytes]", late: threading.Event) -> None:
    late.set()
    process.kill()


def _ended(process: "subprocess.Popen[bytes]") -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):  # of what it has not read
                pipe.close()


def _why(process: "subprocess.Popen[bytes]", late: bool, within_s: float) -> str:
    if late:
        return f"METIS has not cut the graph of keys within {within_s:.0f} s, and was ended; {_REMEDY}"
    code = process.returncode
    how = signal.strsignal(-code) if code < 0 else f"exit code {code}"
    return f"METIS ended while it cut the graph of keys ({how}); if memory is short, give it more, or else {_REMEDY}"


def _forked() -> None:
    """The process is our parent's, to ask and to end."""
    global _cutter
    process, _cutter = _cutter._process, Cutter()
    if process is not None and process.stdin is not None:
        process.returncode = 0
        process.stdin.raw.close()  # type: ignore[attr-defined]  # or it would not see its end when our parent is gone


_cutter = Cutter()
atexit.register(lambda: _cutter.end())
os.register_at_fork(after_in_child=_forked)
