"""The heart of a lease: beats while a deed is done, which may block for longer than the lease lasts."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Lock, Thread
from weakref import ReferenceType, finalize, ref


class LeaseHeart:
    """One thread for all deeds, for there is one every half second; it ends with the heart, or when that is stopped."""

    def __init__(self, beat: Callable[[], None], every_s: float, pause: Callable[[Event, float], bool]) -> None:
        self._beat = beat
        self._every_s = every_s
        self._pause = pause
        self._lock = Lock()
        self._deeds = 0  # that are being done
        self._over: Event | None = None  # of the thread; None while there is none

    @contextmanager
    def beating(self) -> Iterator[None]:
        """While the block lasts."""
        with self._lock:
            if self._over is None:
                self._over = self._begun()
            self._deeds += 1  # not before: there may be no room for another thread just now
        try:
            yield
        finally:
            with self._lock:
                self._deeds -= 1

    def stop(self) -> None:
        """Let the thread end; another begins with the next deed."""
        with self._lock:
            over, self._over = self._over, None
        if over is not None:
            over.set()

    def beat(self) -> None:
        """Once, where a deed is being done."""
        if self._deeds:
            self._beat()

    def _begun(self) -> Event:
        over = Event()
        given = (ref(self), over, self._every_s, self._pause)
        Thread(target=_beats, args=given, name="penstock-lease", daemon=True).start()
        finalize(self, over.set)
        return over


def _beats(
    heart: "ReferenceType[LeaseHeart]", over: Event, every_s: float, pause: Callable[[Event, float], bool]
) -> None:
    while not pause(over, every_s):
        _beat(heart)


def _beat(heart: "ReferenceType[LeaseHeart]") -> None:
    """Not in the loop, whose rest would keep the heart."""
    found = heart()
    if found is not None:
        found.beat()
