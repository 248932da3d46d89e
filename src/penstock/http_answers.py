"""Answers of other programs' servers by HTTP: all of one within a time.

Python's own limit is for each byte: a server that says one now and then keeps whoever asks for ever.
"""

import http.client
import io
import time
import urllib.request
from contextlib import suppress
from typing import Any


class _Until(io.RawIOBase):
    """What comes from a socket within its limit, reckoned from now; the limit stands again when it is closed."""

    def __init__(self, sock: Any) -> None:
        self._sock, self._file = sock, sock.makefile("rb", buffering=0)
        self._within_s: float | None = sock.gettimeout()
        self._since_s = time.monotonic()

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, into: Any) -> Any:
        """The next bytes; a TimeoutError where the time is over."""
        if self._within_s is not None:
            left_s = self._within_s - (time.monotonic() - self._since_s)
            if left_s <= 0.0:
                raise TimeoutError(f"the answer has not come to its end within {self._within_s:g} s")
            self._sock.settimeout(left_s)
        return self._file.readinto(into)

    def close(self) -> None:
        """Let go of it; the connection may be kept."""
        if not self.closed:
            with suppress(OSError):
                self._sock.settimeout(self._within_s)
            self._file.close()
        super().close()


class _BoundedSocket:
    """A socket as a response has it."""

    def __init__(self, sock: Any) -> None:
        self._sock = sock

    def makefile(self, mode: str) -> io.BufferedReader:
        return io.BufferedReader(_Until(self._sock))


class _Answer(http.client.HTTPResponse):
    def __init__(self, sock: Any, *args: Any, **how: Any) -> None:
        super().__init__(_BoundedSocket(sock), *args, **how)  # type: ignore[arg-type]


class Connection(http.client.HTTPConnection):
    """One whose limit is for each answer as a whole."""

    response_class = _Answer


class SafeConnection(http.client.HTTPSConnection):
    """The same by TLS."""

    response_class = _Answer


class _StaysHere(urllib.request.HTTPRedirectHandler):
    """Sent on, a POST becomes a request without its message, and shows its key to whatever host is named."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


class _Http(urllib.request.HTTPHandler):
    def http_open(self, req: urllib.request.Request) -> Any:
        return self.do_open(Connection, req)


class _Https(urllib.request.HTTPSHandler):
    def https_open(self, req: urllib.request.Request) -> Any:
        return self.do_open(SafeConnection, req, context=self._context)  # type: ignore[attr-defined]


def opened(
    request: urllib.request.Request | str, within_s: float, tls: Any = None, goes_elsewhere: bool = False
) -> Any:
    """As `urllib.request.urlopen`; the whole answer is there within so many seconds, or a TimeoutError is raised.

    Whoever sends it on is an error, unless it `goes_elsewhere`: what it carries is for the server that it is sent to.
    """
    handlers = [_Http(), _Https(context=tls), *([] if goes_elsewhere else [_StaysHere()])]
    return urllib.request.build_opener(*handlers).open(request, timeout=within_s)
