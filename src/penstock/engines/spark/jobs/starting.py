"""Tenants' code in threads of its own: a job's function may sleep, hang or call sys.exit(), and nobody waits for it.

Starts take turns, for a function may change the session's settings for its own query. Who takes long loses his turn:
the next one begins.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from penstock.errors import EngineError, PenstockError, first_line
from penstock.threads import BesideThread

T = TypeVar("T")

TURN_S = 5.0  # a function that only builds its query takes a tenth of a second; imports take seconds
FUNCTION_WITHIN_S = 20.0  # in a planned restart, for its query is down meanwhile: then it starts as it was
FUNCTION_AT_MOST_S = 90.0  # the same, where it took long before
_TIMES = 5.0  # what a function took before: load comes and goes


@dataclass(frozen=True, slots=True)
class StartEnded(Generic[T]):
    """A start that is over, with what it made or why it failed, in words."""

    name: str
    made: T | None
    why: str | None = None


class Starts(Generic[T]):
    """Begins starts and hands out those that ended."""

    def __init__(self, turn_s: float = TURN_S, clock: Callable[[], float] = time.monotonic) -> None:
        self._turn_s = turn_s
        self._clock = clock
        self._ended: dict[str, StartEnded[T]] = {}
        self._lock = threading.Lock()
        self._under_way: dict[str, tuple[float, BesideThread, threading.Event]] = {}
        self._before: threading.Event | None = None

    def begin(self, name: str, start: Callable[[], T]) -> None:
        """Have it started when its turn comes; one that is under way already is left alone."""
        with self._lock:
            if name in self._under_way:
                return
            before, self._before = self._before, threading.Event()
            given = (name, start, before, self._before)
            thread = BesideThread(self._run, f"penstock-start-{name}", given)
            self._under_way[name] = (self._clock(), thread, self._before)
            try:
                thread.start()
            except RuntimeError as error:  # no room for another thread just now: it is tried again like one that failed
                self._ended[name] = StartEnded(name, None, first_line(error))
                self._before.set()

    def under_way_s(self, name: str) -> float | None:
        """For how long its start has been under way; None when it is not."""
        found = self._under_way.get(name)
        return None if found is None else self._clock() - found[0]

    def over_after(self, name: str, wait: Callable[[threading.Event], object]) -> StartEnded[T] | None:
        """What came of that start once its end was waited for; None while it is under way."""
        wait(self._under_way[name][2])
        with self._lock:
            ended = self._ended.pop(name, None)
            if ended is not None:
                del self._under_way[name]
            return ended

    def take(self) -> list[StartEnded[T]]:
        """Those that have ended since the last call."""
        with self._lock:
            found, self._ended = list(self._ended.values()), {}
            for ended in found:
                del self._under_way[ended.name]
        return found

    def wait(self) -> None:
        """Until all that were begun have ended."""
        for _, thread, _ in list(self._under_way.values()):
            thread.join()

    def _run(self, name: str, start: Callable[[], T], before: threading.Event | None, ended: threading.Event) -> None:
        if before is not None:
            before.wait(self._turn_s)
        try:
            came = StartEnded(name, start())
        except BaseException as error:  # sys.exit() in a tenant's code is that tenant's affair
            came = StartEnded(name, None, _why(error))
        with self._lock:
            self._ended[name] = came
        ended.set()


def _why(error: BaseException) -> str:
    """Here, for a tenant's error comes to its words by the tenant's code: that may take long, or fail itself."""
    return first_line(error) if isinstance(error, Exception) else f"its function ended the interpreter: {_shown(error)}"


def _shown(error: BaseException) -> str:
    try:
        return repr(error)
    except BaseException:
        return type(error).__name__


class Patience:
    """How long a planned restart waits for a job's function: longer where it took long before, as on a loaded machine.

    A job's first start, for which nobody waits, says how long its function takes here.

    >>> patience = Patience()
    >>> patience.of("ads", 20.0)
    20.0
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._took_s: dict[str, float] = {}  # the longest, by job

    def timed(self, job: str, function: Callable[[], T]) -> Callable[[], T]:
        """The function; how long it took is noted when it returns."""

        def timed() -> T:
            since_s = self._clock()
            made = function()
            self._took_s[job] = max(self._clock() - since_s, self._took_s.get(job, 0.0))
            return made

        return timed

    def of(self, job: str, least_s: float) -> float:
        """For how long to wait for this job's function."""
        return self._allowed(self._took_s.get(job, 0.0), least_s)

    def of_any(self, least_s: float) -> float:
        """For how long to wait where any job's function may be the one that takes long."""
        return self._allowed(max([0.0, *self._took_s.values()]), least_s)

    def _allowed(self, took_s: float, least_s: float) -> float:
        return max(least_s, min(_TIMES * took_s, FUNCTION_AT_MOST_S))


class CallError(Exception):
    """What a function raised where somebody waited for it, in words: to ask an error of a tenant's may take long."""


def called(who: str, function: Callable[[], T], within_s: float, late: Callable[[T], None] = lambda made: None) -> T:
    """What the function returns, or an EngineError when it does not in time; what it returns later goes to `late`.

    Errors of ours come as they are, others as a CallError: their words are had within that time, too.
    """
    call = _Call(function, late)
    thread = threading.Thread(target=call.run, name=f"penstock-call-{who}", daemon=True)
    thread.start()
    thread.join(within_s)
    return call.result(f"{who} has not returned within {within_s:g} s")


class _Call(Generic[T]):
    """One call, whose caller may have gone when it ends."""

    def __init__(self, function: Callable[[], T], late: Callable[[T], None]) -> None:
        self._function = function
        self._late = late
        self._lock = threading.Lock()
        self._made: list[T] = []
        self._error: Exception | None = None
        self._over = False
        self._left = False

    def run(self) -> None:
        try:
            made = self._function()
        except BaseException as error:
            self._error, self._over = _worded(error), True
            return
        with self._lock:
            self._made, self._over = [made], True
            left = self._left
        if left:
            self._late(made)

    def result(self, otherwise: str) -> T:
        with self._lock:
            self._left = not self._over
        if self._left:
            raise EngineError(otherwise)
        if self._error is not None:
            raise self._error
        return self._made[0]


def _worded(error: BaseException) -> Exception:
    if isinstance(error, PenstockError):
        return error
    return CallError(first_line(error)) if isinstance(error, Exception) else EngineError(_why(error))
