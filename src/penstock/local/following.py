"""A process that does not outlive the one that started it: who is killed tells nobody, and leaves what it began."""

import logging
import os
import signal
import threading
import time
from collections.abc import Callable

_LOOK_EVERY_S = 1.0
_ENDS_WITHIN_S = 90.0

_log = logging.getLogger("penstock")


class Follower:
    """Ends this process as Ctrl-C does once its `leader` is gone, and by force if that takes too long.

    It looks until the process has ended: one may stand still at any step of its end. By force goes all that the process
    started as well, where it leads a group of its own: a JVM may stand still at its end, too.
    """

    def __init__(
        self,
        leader: int,
        ends_within_s: float = _ENDS_WITHIN_S,
        clock: Callable[[], float] = time.monotonic,
        parent: Callable[[], int] = os.getppid,
        end: Callable[[signal.Signals], None] | None = None,
    ) -> None:
        self._leader = leader
        self._ends_within_s = ends_within_s
        self._clock = clock
        self._parent = parent
        self._end = end or _end_this
        self._alone_since_s: float | None = None

    def start(self) -> None:
        """Begin to look, in a thread that keeps nobody from ending."""
        threading.Thread(target=self._run, name="penstock-follower", daemon=True).start()

    def look(self) -> None:
        """Once: whoever is not our parent any more is gone."""
        if self._parent() == self._leader:
            return
        if self._alone_since_s is None:
            self._alone_since_s = self._clock()
            _log.warning("the process that started this one is gone, so it ends")
            self._end(signal.SIGINT)
        elif self._clock() - self._alone_since_s > self._ends_within_s:
            self._end(signal.SIGKILL)

    def _run(self) -> None:
        while True:
            self.look()
            time.sleep(_LOOK_EVERY_S)


def _end_this(number: signal.Signals) -> None:
    if number is signal.SIGKILL and os.getpgrp() == os.getpid():
        os.killpg(os.getpgrp(), number)
    else:
        os.kill(os.getpid(), number)
