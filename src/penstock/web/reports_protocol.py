"""HTTP for agents: one request after the other on a connection, each answered at once and in one piece.

A report must not wait for a round of the coordinator's loop, which computes beside it. It does each time that this
thread asks for the interpreter: after each call to the system, and each half millisecond while it works. So a report is
read, heard and answered in one call: 0.30 ms of CPU, of which 0.17 are for what it says. As a task of uvicorn's own
protocol, which goes round its loop twice and sends twice, it took 0.67. uvicorn still listens, speaks TLS, and ends.
"""

import asyncio
import logging
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Protocol, TypeVar, cast

from uvicorn import Config
from uvicorn.server import ServerState

from penstock.engines.applications.wire import MOST_BYTES
from penstock.web.door import Peer
from penstock.web.request_head import MOST_HEAD_BYTES, Head, HeadError, read_head

_ENDS = b"\r\n\r\n"
REPORTS_LOG = "penstock.fleet.reports"
_MOST_UNFINISHED_BYTES = 64 * 2**20  # a report takes milliseconds: 16 of the largest at once
_log = logging.getLogger(REPORTS_LOG)
A = TypeVar("A")


ReportAnswer = tuple[int, bytes]  # a status, and what is said
TakesBody = Callable[[bytes], ReportAnswer]  # a body, once it is there


class Unfinished:
    """Bodies of which more is to come. Where they take too much memory together, those go that began first."""

    def __init__(self, most_bytes: int = _MOST_UNFINISHED_BYTES) -> None:
        self._most_bytes = most_bytes
        self._sizes: dict[ReportsProtocol, int] = {}
        self._bytes = 0

    def holds(self, connection: "ReportsProtocol", size: int) -> None:
        """So much of a body is there."""
        self._bytes += size - self._sizes.get(connection, 0)
        self._sizes[connection] = size
        while self._bytes > self._most_bytes:
            next(iter(self._sizes)).shutdown()

    def done(self, connection: "ReportsProtocol") -> None:
        """All of it is there, or no more will come."""
        self._bytes -= self._sizes.pop(connection, 0)


class ReportsDoor(Protocol):
    """Who answers; it must not block. `silent_s` is how long a connection may be silent."""

    silent_s: float
    unfinished: Unfinished

    def asked(self, head: Head) -> ReportAnswer | TakesBody:
        """The answer, or who gives it once the body is there: only of those who may report it is kept until then."""

    def of_use(self, peer: Peer) -> None:
        """A report was taken over that connection."""


class ReportsProtocol(asyncio.Protocol):
    """One connection; `config.app` is asked."""

    def __init__(self, config: Config, server_state: ServerState, **_: Any) -> None:
        self._door = cast(ReportsDoor, config.app)
        self._open = server_state.connections
        self._transport: asyncio.Transport | None = None
        self._silence: asyncio.TimerHandle | None = None
        self._heard_s = 0.0
        self._read = bytearray()
        self._waits: tuple[Head, ReportAnswer | TakesBody] | None = None  # the request whose body is not there yet
        self._unread = 0  # bytes of a body that nobody needs, which are still to come
        self._ended = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Somebody is there."""
        self._transport = cast(asyncio.Transport, transport)
        self._open.add(self)  # type: ignore[arg-type]  # uvicorn names its own kinds
        self._heard_s = asyncio.get_running_loop().time()
        self._look_after(self._door.silent_s)

    def connection_lost(self, error: Exception | None) -> None:
        """They are gone."""
        self._open.discard(self)
        self._door.unfinished.done(self)
        self._transport = None
        if self._silence is not None:
            self._silence.cancel()

    def data_received(self, data: bytes) -> None:
        """A part of a request, or several of them."""
        if self._ended:
            return
        now_s = asyncio.get_running_loop().time()
        if not (self._read or self._waits or self._unread):
            self._heard_s = now_s  # a request begins: whoever sends a byte of it now and then is silent, too
        unread = min(self._unread, len(data))
        self._unread -= unread
        self._read += data[unread:]
        try:
            while not self._ended and self._took_one():
                self._heard_s = now_s
        except HeadError as error:
            self._say(error.status, str(error).encode(), goes_on=False)
        if self._waits is None or self._ended:
            self._door.unfinished.done(self)
        else:
            self._door.unfinished.holds(self, len(self._read))

    def pause_writing(self) -> None:
        """Answers are not taken: nothing more is read."""
        if self._transport is not None:
            self._transport.pause_reading()

    def resume_writing(self) -> None:
        """They are again."""
        if self._transport is not None:
            self._transport.resume_reading()

    def shutdown(self) -> None:
        """Let go."""
        self._ended = True
        self._door.unfinished.done(self)
        self._read.clear()
        self._waits = None
        if self._transport is not None:
            self._transport.close()

    def _took_one(self) -> bool:
        """Whether a request was there, which is answered now."""
        if self._waits is None:
            begun = self._next_head()
            if begun is None:
                return False
            self._waits = begun, self._without_fail(lambda: self._door.asked(begun))
        head, answer = self._waits
        if callable(answer):
            if len(self._read) < head.length:
                return False
            takes, body = answer, bytes(self._read[: head.length])
            answer = self._without_fail(lambda: takes(body))
            if answer[0] == HTTPStatus.OK and self._transport is not None:
                self._door.of_use(self._transport.get_extra_info("peername")[:2])
        self._unread = max(0, head.length - len(self._read))
        del self._read[: head.length]
        self._waits = None
        status, said = answer
        self._say(status, b"" if head.method == "HEAD" else said, head.goes_on)
        return True

    def _next_head(self) -> Head | None:
        end = self._read.find(_ENDS)
        if (len(self._read) if end < 0 else end) > MOST_HEAD_BYTES:
            raise HeadError(431, f"the head of a request holds {MOST_HEAD_BYTES:,} bytes at most")
        if end < 0:
            return None
        head = read_head(bytes(self._read[:end]))
        if head.length > MOST_BYTES:
            raise HeadError(413, f"a report holds {MOST_BYTES:,} bytes at most")
        del self._read[: end + len(_ENDS)]
        if head.waits and len(self._read) < head.length and self._transport is not None:
            self._transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        return head

    def _without_fail(self, answers: Callable[[], A]) -> A | ReportAnswer:
        try:
            return answers()
        except Exception:  # the next report may go well
            _log.exception("a report could not be answered")
            return 500, b"the coordinator stumbled over this; its log says more"

    def _say(self, status: int, body: bytes, goes_on: bool) -> None:
        if self._transport is None:
            return
        kind = "application/json" if status == HTTPStatus.OK else "text/plain; charset=utf-8"
        lines = (
            f"HTTP/1.1 {status} {HTTPStatus(status).phrase}",
            f"content-type: {kind}",
            f"content-length: {len(body)}",
            "cache-control: no-store",
            *(() if goes_on else ("connection: close",)),
        )
        self._transport.write("\r\n".join(lines).encode() + _ENDS + body)
        if not goes_on:
            self._end()

    def _end(self) -> None:
        """Say that nothing follows. Who closed at once, with something unread, would take the answer back."""
        self._ended = True
        self._read.clear()
        if self._transport is not None and self._transport.can_write_eof():
            self._transport.write_eof()
        else:
            self.shutdown()

    def _look_after(self, after_s: float) -> None:
        """One timer for as long as it lasts, not one for each request."""
        self._silence = asyncio.get_running_loop().call_later(after_s, self._let_go_if_silent)

    def _let_go_if_silent(self) -> None:
        left_s = self._heard_s + self._door.silent_s - asyncio.get_running_loop().time()
        if left_s <= 0.0:
            transport = self._transport
            self.shutdown()
            if transport is not None:
                transport.abort()  # one that leaves our answers where they are would never let it close
        else:
            self._look_after(left_s)
