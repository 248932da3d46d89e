"""Answers of other programs' servers by HTTP: all of one within a time.

Python's own limit is for each byte: a server that says one now and then keeps whoever asks for ever.
"""

import http.client
import io
import time
import urllib.request
from contextlib import suppress
from functools import partial
from typing import Any

_PIECE = 1 << 20


class InTime(io.RawIOBase):
    """What comes from a socket within `within_s` from now, else within the socket's own limit.

    The socket's own limit is also for each silence, and stands again when this is closed. With a `piece` the time is
    for each so many bytes: nobody knows how long all takes of what is large.
    """

    def __init__(self, sock: Any, within_s: float | None = None, piece: int | None = None) -> None:
        self._sock, self._file = sock, sock.makefile("rb", buffering=0)
        self._silent_s: float | None = sock.gettimeout()
        self._within_s = self._silent_s if within_s is None else within_s
        self._since_s = time.monotonic()
        self._piece, self._came = piece, 0

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, into: Any) -> Any:
        """The next bytes; a TimeoutError where the time is over."""
        if self._within_s is not None:
            left_s = self._within_s - (time.monotonic() - self._since_s)
            if left_s <= 0.0:
                raise TimeoutError(f"the answer has not come to its end within {self._within_s:g} s")
            self._sock.settimeout(left_s if self._silent_s is None else min(left_s, self._silent_s))
        came = self._file.readinto(into)
        self._came += came or 0
        if self._piece is not None and self._came >= self._piece:
            self._since_s, self._came = time.monotonic(), 0
        return came

    def close(self) -> None:
        """Let go of it; the connection may be kept."""
        if not self.closed:
            with suppress(OSError):
                self._sock.settimeout(self._silent_s)
            self._file.close()
        super().close()


class _BoundedSocket:
    """A socket as a response has it."""

    def __init__(self, sock: Any, piece: int | None) -> None:
        self._sock, self._piece = sock, piece

    def makefile(self, mode: str) -> io.BufferedReader:
        return io.BufferedReader(InTime(self._sock, piece=self._piece))


class _Answer(http.client.HTTPResponse):
    def __init__(self, sock: Any, *args: Any, piece: int | None = None, **how: Any) -> None:
        super().__init__(_BoundedSocket(sock, piece), *args, **how)  # type: ignore[arg-type]


_large = partial(_Answer, piece=_PIECE)


class _Limited:
    """One whose limit is for each answer as a whole; for each MiB of it where it may be `large`."""

    def __init__(self, *args: Any, large: bool = False, **how: Any) -> None:
        super().__init__(*args, **how)
        self.response_class: Any = _large if large else _Answer


class Connection(_Limited, http.client.HTTPConnection):
    """By HTTP."""


class SafeConnection(_Limited, http.client.HTTPSConnection):
    """The same by TLS."""


class _StaysHere(urllib.request.HTTPRedirectHandler):
    """Sent on, a POST becomes a request without its message, and shows its key to whatever host is named."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


class _Http(urllib.request.HTTPHandler):
    def __init__(self, large: bool) -> None:
        super().__init__()
        self._large = large

    def http_open(self, req: urllib.request.Request) -> Any:
        return self.do_open(Connection, req, large=self._large)


class _Https(urllib.request.HTTPSHandler):
    def __init__(self, tls: Any, large: bool) -> None:
        super().__init__(context=tls)
        self._large = large

    def https_open(self, req: urllib.request.Request) -> Any:
        return self.do_open(SafeConnection, req, context=self._context, large=self._large)  # type: ignore[attr-defined]


def opened(
    request: urllib.request.Request | str,
    within_s: float,
    tls: Any = None,
    *,
    large: bool = False,
    goes_elsewhere: bool = False,
) -> Any:
    """As `urllib.request.urlopen`; the whole answer is there within so many seconds, or a TimeoutError is raised.

    Of an answer that may be `large` each MiB is. Whoever sends the request on is an error, unless it `goes_elsewhere`:
    what it carries is for the server that it is sent to.
    """
    handlers = [_Http(large), _Https(tls, large), *([] if goes_elsewhere else [_StaysHere()])]
    return urllib.request.build_opener(*handlers).open(request, timeout=within_s)
