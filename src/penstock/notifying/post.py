"""The post: messages on their way, in a thread for each notifier, so that one that hangs holds up nobody else.

What could not be delivered is tried again, later and later. What has waited too long, is too much, or will never be
taken is given up and said once in the log: governing goes on whatever becomes of its messages.
"""

import logging
import queue
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

from penstock.core.cycle import Cycle
from penstock.core.run import RunInfo
from penstock.core.seen.lineage import LineageRun
from penstock.errors import told
from penstock.notifying.happenings import Told, happened
from penstock.notifying.notifiers import Message, Notifier, UndeliverableError

FIRST_RETRY_S = 1.0  # each later one twice as late
LONGEST_RETRY_S = 60.0
GIVES_UP_AFTER_S = 3600.0
MOST_WAITING = 1000
_ENDS_WITHIN_S = 5.0

_log = logging.getLogger("penstock.notifying")


class Post:
    """Tells notifiers what happens in one run, cycle by cycle."""

    def __init__(self, notifiers: Sequence[Notifier], first_retry_s: float = FIRST_RETRY_S) -> None:
        self._deliveries = [_Deliveries(notifier, first_retry_s) for notifier in notifiers]
        self._told = Told()
        self._application: Callable[[], LineageRun | None] = lambda: None

    def within(self, application: Callable[[], LineageRun | None]) -> None:
        """From now on what happens is of that application, which only the notifiers that want it ask for its run."""
        self._application = application

    def take(self, run: RunInfo, cycle: Cycle) -> None:
        """What is new in a cycle goes on its way."""
        self._told, found = happened(self._told, cycle)
        for happening in found:
            for one in self._deliveries:
                one.take(Message(run, happening, self._application))

    def close(self) -> None:
        """What waits is tried for some seconds more."""
        ends_s = time.monotonic() + _ENDS_WITHIN_S
        for one in self._deliveries:
            one.close()
        for one in self._deliveries:
            one.join(max(0.0, ends_s - time.monotonic()))


class _Deliveries:
    """One notifier's messages, in their order."""

    def __init__(self, notifier: Notifier, first_retry_s: float) -> None:
        self._notifier = notifier
        self._wants = notifier.wants  # once: a package's own code has no place in a cycle
        self._first_retry_s = first_retry_s
        self._waiting: queue.Queue[Message | None] = queue.Queue(MOST_WAITING)
        self._closing = threading.Event()
        self._full = False
        self._thread = threading.Thread(target=self._run, name="penstock-post", daemon=True)
        self._thread.start()

    def take(self, message: Message) -> None:
        if message.happening.kind not in self._wants:
            return
        try:
            self._waiting.put_nowait(message)
            self._full = False
        except queue.Full:
            if not self._full:
                _log.warning("%s takes no messages: those from here on are left out", self._name)
            self._full = True

    def close(self) -> None:
        self._closing.set()
        with suppress(queue.Full):  # the thread looks at what closes, too
            self._waiting.put_nowait(None)

    def join(self, within_s: float) -> None:
        self._thread.join(within_s)

    @property
    def _name(self) -> str:
        return type(self._notifier).__name__

    def _run(self) -> None:
        while (message := self._waiting.get()) is not None:
            self._deliver(message)
            if self._closing.is_set() and self._waiting.empty():
                return

    def _deliver(self, message: Message) -> None:
        retry_s, gives_up_s = self._first_retry_s, time.monotonic() + GIVES_UP_AFTER_S
        while True:
            try:
                self._notifier.send(message)
                return
            except BaseException as error:  # of the network, of another's server, of another's package: sys.exit() too
                never = isinstance(error, UndeliverableError)
                if never or time.monotonic() + retry_s > gives_up_s or self._closing.is_set():
                    _log.warning("message %s was given up: %s: %s", message.id, self._name, told(error))
                    return
            self._closing.wait(retry_s)
            retry_s = min(2.0 * retry_s, LONGEST_RETRY_S)
