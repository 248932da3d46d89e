"""A hand of the controller: does in a thread of its own what is asked of it, one thing after the other.

A JVM that stands still answers nobody and refuses nobody. Who asks through a hand waits no longer than a limit, and
goes on.
"""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from queue import SimpleQueue
from typing import Any, Generic, Protocol, TypeVar

from penstock.errors import EngineError, NothingDoneError, PenstockError, told

T = TypeVar("T")

ANSWERS_WITHIN_S = 10.0  # the JVM; a full collection of a large heap takes seconds
_LOOK_EVERY_S = 0.25

_log = logging.getLogger("penstock")


class Limit(Protocol):
    """How long whoever asks may wait for calls of one kind."""

    def do(self, what: str, call: Callable[[], T]) -> T:
        """What the call returns or raises; an EngineError that names what was asked where that takes too long."""


class NoLimit:
    """As long as it takes: a simulation ends by itself."""

    def do(self, what: str, call: Callable[[], T]) -> T:
        """What the call returns or raises."""
        return call()


@dataclass(frozen=True, slots=True)
class CycleLimits:
    """Those of a round of the loop."""

    starting: Limit = NoLimit()  # a job by hand
    seeing: Limit = NoLimit()
    deciding: Limit = NoLimit()
    acting: Limit = NoLimit()


class Hand:
    """`silent_s` tells for how long the JVM has owed an answer to somebody who asks it next to nothing, see `Pulse`."""

    def __init__(
        self,
        silent_s: Callable[[], float] = lambda: 0.0,
        clock: Callable[[], float] = time.monotonic,
        pause: Callable[[threading.Event, float], bool] = threading.Event.wait,
    ) -> None:
        self._silent_s = silent_s
        self._clock = clock
        self._pause = pause
        self._lock = threading.Lock()
        self._asked: SimpleQueue[_Task[Any] | None] | None = None
        self._overdue: _Task[Any] | None = None  # that was begun last and not waited for to its end

    def do(
        self,
        what: str,
        call: Callable[[], T],
        within_s: float,
        behind_s: float = inf,
        late: "Callable[[Awaited[T]], None] | None" = None,
    ) -> T:
        """What the call returns or raises; an EngineError when it has not after so long, or the JVM does not answer.

        Then it may still be done, for nobody can take it back; a NothingDoneError where it never is. `late` hears what
        it comes to then, before anything else is done. Behind something that is still done though nobody waits for it
        any more it waits no longer than `behind_s`.
        """
        since_s = self._clock()
        task = _Task(what, call, since_s, late)
        try:
            self._refuse_silence()
            self._refuse_to_wait_behind(what, since_s, behind_s)
            self._put(task)
            while not self._pause(task.over, _LOOK_EVERY_S):
                self._refuse_silence()
                if self._clock() - since_s > within_s:
                    raise EngineError(f"{what} has not come to an end within {within_s:.0f} s")
                if not task.begun:
                    self._refuse_to_wait_behind(what, since_s, behind_s)
        except EngineError as error:
            if not task.give_up():
                return task.result()  # it came to its end this very moment
            self._left(task)
            if not task.begun:
                raise NothingDoneError(str(error)) from None
            raise
        except BaseException:
            task.give_up()
            self._left(task)
            raise
        return task.result()

    def overdue_s(self) -> float:
        """How long ago something was asked for that still goes on, and that nobody waits for; 0 when nothing does."""
        before = self._overdue
        return 0.0 if before is None or before.over.is_set() else self._clock() - before.since_s

    def close(self) -> None:
        """Let the thread end after what it does now; another begins if more is asked."""
        with self._lock:
            asked, self._asked = self._asked, None
        if asked is not None:
            asked.put(None)

    def _left(self, task: "_Task[Any]") -> None:
        if task.begun:
            self._overdue = task

    def _put(self, task: "_Task[Any]") -> None:
        with self._lock:
            if self._asked is None:
                self._asked = _begun()
            if self._asked is not None:
                self._asked.put(task)
                return
        task.run()

    def _refuse_silence(self) -> None:
        silent_s = self._silent_s()
        if silent_s > ANSWERS_WITHIN_S:
            raise EngineError(f"Spark's JVM has not answered for {silent_s:.0f} s")

    def _refuse_to_wait_behind(self, what: str, since_s: float, behind_s: float) -> None:
        before, now_s = self._overdue, self._clock()
        if before is not None and not before.over.is_set() and now_s - since_s >= behind_s:
            raise EngineError(f"{what} waits for {before.what}, which has gone on for {now_s - before.since_s:.0f} s")


def as_long(within_s: float) -> float:
    """Where nothing else bounds it."""
    return within_s


@dataclass(frozen=True, slots=True)
class Within:
    """Calls that a hand does, each within so many seconds, or what `left` says of them; see `Hand.do`."""

    hand: Hand
    within_s: float
    behind_s: float = inf
    left: Callable[[float], float] = as_long

    def do(self, what: str, call: Callable[[], T]) -> T:
        """What the call returns or raises."""
        return self.hand.do(what, call, self.left(self.within_s), self.behind_s)


def _begun() -> "SimpleQueue[_Task[Any] | None] | None":
    """What a new thread takes tasks from; None while the interpreter ends: from Python 3.12 on none begins then."""
    asked: SimpleQueue[_Task[Any] | None] = SimpleQueue()
    try:
        threading.Thread(target=_work, args=(asked,), name="penstock-hand", daemon=True).start()
    except RuntimeError:
        return None
    return asked


def _work(asked: "SimpleQueue[_Task[Any] | None]") -> None:
    while (task := asked.get()) is not None:
        task.run()


class Awaited(Generic[T]):
    """What one call comes to, for whoever waits for it in another thread."""

    def __init__(self, call: Callable[[], T]) -> None:
        self._call = call
        self._made: list[T] = []
        self._error: PenstockError | None = None
        self.over = threading.Event()

    def find(self) -> None:
        """Do it, and keep what it returns or raises: whatever that is, it ends no thread."""
        try:
            self._made = [self._call()]
        except NothingDoneError as error:
            self._error = EngineError(str(error))  # what it asked for in its turn was not begun, but it was
        except PenstockError as error:
            self._error = error
        except BaseException as error:
            # Here, for a Java error asks the JVM for its words.
            self._error = EngineError(told(error))
            self._error.__cause__ = error
        finally:
            self.over.set()

    def result(self) -> T:
        """What it returned; a PenstockError where it raised anything."""
        if self._error is not None:
            raise self._error
        return self._made[0]


class _Task(Awaited[T]):
    """One call, whose caller may go before it begins, or before it ends: then `late` is told what it came to."""

    def __init__(
        self, what: str, call: Callable[[], T], since_s: float, late: Callable[[Awaited[T]], None] | None = None
    ) -> None:
        super().__init__(call)
        self.what = what
        self.since_s = since_s
        self.begun = False
        self._late = late
        self._lock = threading.Lock()
        self._nobody_waits = False

    def run(self) -> None:
        with self._lock:
            if self._nobody_waits:
                return
            self.begun = True
        self.find()
        self._tell_if_late()

    def give_up(self) -> bool:
        """Nobody waits for it any more; False where it is over already."""
        with self._lock:
            self._nobody_waits = not self.over.is_set()
            return self._nobody_waits

    def _tell_if_late(self) -> None:
        with self._lock:
            is_late = self._nobody_waits
        if is_late and self._late is not None:
            try:
                self._late(self)
            except Exception as error:
                _log.warning("what came of %s could not be told: %s", self.what, told(error))
