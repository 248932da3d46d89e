"""The server of the pages beside a controller ends, whatever ended it: it begins again, and that is told."""

import asyncio
import errno
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field, replace

import pytest

from penstock.store.sql import SqlStore
from penstock.web import absence, server
from penstock.web.door import Door
from penstock.web.server import Site
from penstock.web.settings import WebSettings
from tests.patience import eventually, patience_s
from tests.web import asking
from tests.web.striking import Strike, striking

pytestmark = pytest.mark.sockets

NOBODY_FORESAW = RuntimeError("nobody foresaw this")
ENDED = "the pages are gone: their server has ended (RuntimeError: nobody foresaw this)"


@pytest.fixture
def strike(monkeypatch: pytest.MonkeyPatch) -> Strike:
    return striking(monkeypatch)


@dataclass(slots=True)
class Beside:
    """A site beside something else, and what it tells of itself."""

    site: Site
    told: list[str] = field(default_factory=list)

    def is_back(self) -> bool:
        return bool(self.told) and self.told[-1].startswith("the pages were gone for ")

    def status(self) -> int:
        return asking.get(f"{self.site.url}api/runs").status_code


@pytest.fixture
def begin(store: SqlStore, settings: WebSettings) -> Iterator[Callable[..., Beside]]:
    """Starts one, which ends with the test, or with what it returns."""
    with ExitStack() as stack:

        def begun(until: ExitStack = stack, watchers: int = 64) -> Beside:
            beside = Beside(Site(store, replace(settings, watchers=watchers), lambda line: None))
            until.enter_context(beside.site.beside(beside.told.append))
            return beside

        yield begun


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (NOBODY_FORESAW, "RuntimeError: nobody foresaw this"),
        (asyncio.CancelledError(), "CancelledError"),
        (SystemExit(0), "SystemExit: 0"),
        (None, "by itself"),
    ],
)
def test_whatever_ends_their_server_pages_answer_again_at_the_same_address_and_that_is_told(
    error: BaseException | None,
    why: str,
    begin: Callable[..., Beside],
    strike: Strike,
    caplog: pytest.LogCaptureFixture,
) -> None:
    beside = begin()
    for _ in range(2):  # what ended once may end again
        assert (beside.status(), beside.told) == (200, [])
        strike(error)
        eventually(beside.is_back)
        assert beside.status() == 200
        assert beside.told[0] == f"the pages are gone: their server has ended ({why})"
        assert beside.told[1].endswith(f" s: their server has ended ({why})")
        beside.told.clear()
    assert [line for line in caplog.messages if "pages" in line] == [
        f"the pages are gone: their server has ended ({why}); they are begun again",
        f"the pages are back at {beside.site.url}",
    ] * 2


def test_who_watched_is_let_go_and_may_watch_again(begin: Callable[..., Beside], strike: Strike) -> None:
    beside = begin(watchers=1)
    live = f"{beside.site.url}api/live"
    with asking.streamed(live) as answer:
        lines = answer.iter_lines()
        next(line for line in lines if line == "event: news")
        strike(NOBODY_FORESAW)
        list(lines)  # its end: a stream that is cut off in the middle raises here
    eventually(beside.is_back)
    with asking.streamed(live) as answer:
        assert answer.status_code == 200  # the only seat is free
        lines = answer.iter_lines()
        assert next(line for line in lines if line == "event: news")
        assert next(line for line in lines if line == "event: life")


def test_questions_to_the_simulator_are_answered_again(begin: Callable[..., Beside], strike: Strike) -> None:
    beside = begin()
    strike(NOBODY_FORESAW)
    eventually(beside.is_back)
    aside = beside.site.aside
    aside.begin()
    assert aside._process is not None
    assert aside._process.poll() is None


def test_who_was_connected_is_let_go_also_where_the_server_cannot_even_end(
    begin: Callable[..., Beside], strike: Strike, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails(server: object, sockets: object = None) -> None:
        raise NOBODY_FORESAW

    beside = begin()
    with monkeypatch.context() as broken:
        broken.setattr(server._PagesServer, "shutdown", fails)
        door = ("127.0.0.1", beside.site.settings.port)
        with closing(socket.create_connection(door, patience_s())) as connection:
            connection.sendall(b"GET /api/runs HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            assert connection.recv(12) == b"HTTP/1.1 200"
            strike(None)
            with suppress(ConnectionResetError):
                while connection.recv(65536):
                    pass
        eventually(beside.is_back)
    assert beside.status() == 200


@dataclass(slots=True)
class Taken:
    """Somebody else listens at the port as soon as it is free."""

    place: tuple[str, int]
    tries: int = 0
    other: socket.socket | None = None

    def listening(self, settings: WebSettings) -> Door:
        self.tries += 1
        if self.other is None:
            self.other = socket.socket()
            self.other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self.other.bind(self.place)
            self.other.listen()
        return LISTENING(settings)


LISTENING = server._listening


@pytest.fixture
def takes(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Beside], Taken]]:
    """Lets somebody else take the port of one that is struck then."""
    all_taken: list[Taken] = []

    def takes(beside: Beside) -> Taken:
        all_taken.append(Taken(("127.0.0.1", beside.site.settings.port)))
        monkeypatch.setattr(server, "_listening", all_taken[-1].listening)
        return all_taken[-1]

    yield takes
    for taken in all_taken:
        if taken.other is not None:
            taken.other.close()


def test_a_port_that_somebody_else_took_is_tried_again_and_told_once(
    begin: Callable[..., Beside],
    takes: Callable[[Beside], Taken],
    strike: Strike,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(absence, "_AGAIN_S", 0.01)
    beside = begin()
    taken = takes(beside)
    strike(NOBODY_FORESAW)
    eventually(lambda: taken.tries > 3)
    port = f"--port: '127.0.0.1:{beside.site.settings.port}' cannot be used; it cannot be listened on"
    assert [line[: 20 + len(port)] for line in beside.told] == [ENDED[: 20 + len(port)], f"the pages are gone: {port}"]
    assert taken.other is not None
    monkeypatch.setattr(server, "_listening", LISTENING)
    taken.other.close()
    eventually(beside.is_back)
    assert beside.status() == 200


def test_what_they_are_beside_ends_also_while_they_are_gone(
    begin: Callable[..., Beside], strike: Strike, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(absence, "_AGAIN_S", 100.0 * patience_s())
    before = set(threading.enumerate())
    with ExitStack() as until:
        beside = begin(until)
        strike(NOBODY_FORESAW)
        eventually(lambda: beside.told)
        mine = [one for one in set(threading.enumerate()) - before if one.name == "penstock-web"]
    assert len(mine) == 1
    eventually(lambda: not mine[0].is_alive())


def test_a_moment_without_descriptors_is_got_over(
    begin: Callable[..., Beside], strike: Strike, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none_left(settings: WebSettings) -> Door:
        monkeypatch.setattr(server, "_listening", LISTENING)
        raise OSError(errno.EMFILE, "Too many open files")

    beside = begin()
    monkeypatch.setattr(server, "_listening", none_left)
    strike(NOBODY_FORESAW)
    eventually(beside.is_back)
    assert beside.told[1] == "the pages are gone: OSError: [Errno 24] Too many open files"
    assert beside.status() == 200
