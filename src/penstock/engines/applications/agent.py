"""The agent: reports what its application does, and has orders about its executors carried out.

Reports go out from one thread, orders are carried out in another: a cluster manager that is away can hold up the
latter for as long as it likes. Where no coordinator answers, nothing is done: the application keeps what it has.
"""

import logging
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from penstock.engines.applications.conversation import Conversation
from penstock.engines.applications.wire import Order, SaidState, encode_report, read_answer
from penstock.errors import PenstockError, told
from penstock.threads import BesideThread

_log = logging.getLogger("penstock.agent")
_STOPS_WITHIN_S = 10.0


class GovernedApplication(Protocol):
    """The application, as an agent sees it."""

    def state(self) -> SaidState:
        """What there is to report."""

    def give(self, order: Order) -> None:
        """Hold so many executors from now on; a PenstockError where that cannot be."""


class Says(Protocol):
    """The way to a coordinator; see `Link`."""

    def say(self, raw: bytes) -> bytes:
        """The answer to a report."""

    def close(self) -> None:
        """Let go of it."""


@dataclass(frozen=True, slots=True)
class _Taken:
    """An order that was taken up, and until when it may be carried out."""

    order: Order
    until_s: float


class Agent:
    """Reports until it is stopped."""

    def __init__(
        self,
        name: str,
        application: GovernedApplication,
        link: Says,
        even: Callable[[], float] = time.monotonic,
    ) -> None:
        self._application = application
        self._link = link
        self._even = even
        self._talk = Conversation(name, uuid.uuid4().hex)
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._taken: _Taken | None = None  # the newest that is to be carried out
        self._saying = threading.Lock()
        self._ordered = threading.Event()
        self._said = ""
        self._threads = [
            BesideThread(target, f"penstock-agent-{role}")
            for role, target in (("reports", self._report), ("orders", self._obey))
        ]

    @property
    def talk(self) -> Conversation:
        """How far it has come."""
        with self._lock:
            return self._talk

    def start(self) -> None:
        """Begin to report."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Say good-bye, if anybody hears it, and report no more."""
        self._over.set()
        self._ordered.set()
        for thread in self._threads:
            thread.join(_STOPS_WITHIN_S)
        self._link.close()

    def once(self, leaving: bool = False) -> None:
        """One report, and what its answer asks for; a PenstockError where there is none.

        One after the other, whoever calls: the link has one connection.
        """
        with self._saying:
            self._once(leaving)

    def _once(self, leaving: bool) -> None:
        state = self._application.state()
        with self._lock:
            report, self._talk = self._talk.reporting(state, leaving)
        sent_s = self._even()
        answer = read_answer(self._link.say(encode_report(report)))
        with self._lock:
            order, self._talk = self._talk.answered(answer, self._even() - sent_s)
            if order is not None:
                self._taken = _Taken(order, sent_s + answer.lease_s)
                self._ordered.set()

    def carry_out(self) -> None:
        """The newest order, if one waits: behind one that was carried out for long it may have waited for too long."""
        with self._lock:
            taken, self._taken = self._taken, None
            self._ordered.clear()
        if taken is None:
            return
        late_s = self._even() - taken.until_s
        if late_s > 0.0:
            self._fails(taken.order, f"its turn came {late_s:.1f} s after its lease had run out")
            return
        try:
            self._application.give(taken.order)
        except Exception as error:  # Spark and py4j raise many kinds; the coordinator is told, and asks again
            self._fails(taken.order, told(error)[:400])

    def _fails(self, order: Order, why: str) -> None:
        _log.warning("%d executors could not be had: %s", order.executors, why)
        with self._lock:
            self._talk = self._talk.failed(order, why)

    def _report(self) -> None:
        while not self._over.wait(self.talk.every_s):
            self._say()
        self._say(leaving=True)

    def _say(self, leaving: bool = False) -> None:
        try:
            self.once(leaving)
        except PenstockError as error:
            self._note(str(error))
        except Exception as error:  # whatever it is, the next report may go through
            self._note(told(error))
        else:
            self._note(self.talk.trouble)

    def _note(self, said: str) -> None:
        """Told once, until it is another thing or over."""
        if said != self._said:
            _log.warning("%s", f"{said}; this application keeps its executors" if said else "a coordinator answers")
        self._said = said

    def _obey(self) -> None:
        while not self._over.is_set():
            self._ordered.wait()
            if not self._over.is_set():
                self.carry_out()
