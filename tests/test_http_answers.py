"""A server that says a byte now and then keeps nobody; each answer that comes in time is heard whole."""

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from itertools import chain, repeat
from socketserver import StreamRequestHandler, ThreadingTCPServer
from threading import Thread
from types import SimpleNamespace
from typing import Any
from urllib.error import HTTPError

import pytest

from penstock import http_answers
from penstock.http_answers import Connection, InTime, opened
from tests.patience import patience_s

WITHIN_S = 0.2
DRIPS_S = 5.0  # then it comes to its end all the same
WHOLE = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


@contextmanager
def saying(parts: Callable[[], Iterator[bytes]]) -> Iterator[int]:
    """A server that says this to each request, part by part."""

    class Handler(StreamRequestHandler):
        def handle(self) -> None:
            while self.rfile.readline():
                while self.rfile.readline().strip():
                    pass
                try:
                    for part in parts():
                        self.wfile.write(part)
                except OSError:
                    return

    with ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()


def dripping(before: bytes, each: bytes, after: bytes) -> Callable[[], Iterator[bytes]]:
    def parts() -> Iterator[bytes]:
        yield before
        ends_s = time.monotonic() + DRIPS_S
        for part in repeat(each):
            if time.monotonic() > ends_s:
                break
            yield part
            time.sleep(WITHIN_S / 10)
        yield after

    return parts


def read_whole(answer: Any) -> bytes:
    """One that is given up holds its socket until somebody closes it."""
    with answer:
        said: bytes = answer.read()
        return said


DRIPS = {
    "its first line": (b"", b"H", b""),
    "a header": (b"HTTP/1.1 200 OK\r\nX: ", b"x", b"\r\nContent-Length: 0\r\n\r\n"),
    "that it goes on": (b"", b"HTTP/1.1 100 Continue\r\n\r\n", WHOLE),
    "what it says": (b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", b"x", b""),
}


@pytest.mark.parametrize("drip", DRIPS.values(), ids=DRIPS)
def test_an_answer_that_drips_is_given_up(drip: tuple[bytes, bytes, bytes]) -> None:
    with saying(dripping(*drip)) as port, pytest.raises(TimeoutError):
        read_whole(opened(f"http://127.0.0.1:{port}/", WITHIN_S))


def test_of_what_is_large_each_piece_has_the_whole_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(http_answers, "time", SimpleNamespace(monotonic=lambda: now[0]))
    ours, theirs = socket.socketpair()
    ours.settimeout(patience_s())
    with closing(ours), closing(theirs), InTime(ours, within_s=10.0, piece=4) as found:
        for now[0], part in ((6.0, b"1234"), (15.0, b"56")):  # 9 s after the first piece
            theirs.sendall(part)
            assert found.read(4) == part
        now[0] = 17.0
        theirs.sendall(b"78")
        with pytest.raises(TimeoutError, match="within 10 s"):
            found.read(4)


def test_a_large_answer_that_drips_is_given_up() -> None:
    drip = dripping(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", b"x", b"")
    with saying(drip) as port, pytest.raises(TimeoutError):
        read_whole(opened(f"http://127.0.0.1:{port}/", WITHIN_S, large=True))


def test_on_a_connection_that_is_kept_each_answer_has_the_whole_time() -> None:
    with (
        saying(lambda: iter((WHOLE,))) as port,
        closing(Connection("127.0.0.1", port, timeout=patience_s())) as connection,
    ):
        for _ in range(2):
            connection.request("GET", "/")
            assert connection.getresponse().read() == b"ok"
        assert connection.sock is not None
        assert connection.sock.gettimeout() == pytest.approx(patience_s())  # a socket keeps whole nanoseconds


SENT_ON = b"HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n"


def test_whoever_is_sent_on_goes_there_only_where_that_is_wanted() -> None:
    answers = chain((SENT_ON, SENT_ON), repeat(WHOLE))
    with saying(lambda: iter((next(answers),))) as port:
        with pytest.raises(HTTPError, match="302") as sent_on:
            opened(f"http://127.0.0.1:{port}/", patience_s())
        sent_on.value.close()  # it holds the answer's socket, and the next test's time is not for that
        assert opened(f"http://127.0.0.1:{port}/", patience_s(), goes_elsewhere=True).read() == b"ok"
