"""Connections are bounded, and whoever is slow keeps nobody else out."""

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from penstock.store.sql import SqlStore
from penstock.web.door import Door
from penstock.web.server import Site
from penstock.web.settings import WebSettings
from tests.cli.calling import command, environment
from tests.patience import eventually, patience_s
from tests.web import asking

pytestmark = pytest.mark.sockets

Serve = Callable[[WebSettings], Site]
SCENARIO = Path(__file__).parents[2] / "scenarios" / "spark" / "urgent.yaml"
HALF = b"GET /api/runs HTTP/1.1\r\nhost: 127.0.0.1\r\n"
BODY_TO_COME = (
    b"POST /api/control HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n"
)


class Clock:
    """Time as a test has it."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def door(clock: Clock) -> Iterator[Door]:
    with Door(socket.AF_INET, 3, silent_s=20.0, clock=clock) as opened:
        opened.bind(("127.0.0.1", 0))
        opened.listen()
        opened.settimeout(patience_s())
        yield opened


@pytest.fixture
def come(door: Door) -> Iterator[Callable[[], tuple[socket.socket, socket.socket, tuple[str, int]]]]:
    """Brings one more through the door: its own end, ours, and its address."""
    with ExitStack() as stack:

        def one_more() -> tuple[socket.socket, socket.socket, tuple[str, int]]:
            theirs = stack.enter_context(socket.create_connection(door.getsockname(), patience_s()))
            ours, address = door.accept()
            stack.enter_context(ours)
            return theirs, ours, address

        yield one_more


Come = Callable[[], tuple[socket.socket, socket.socket, tuple[str, int]]]


def ended(theirs: socket.socket) -> bool:
    theirs.settimeout(0.0)
    try:
        return theirs.recv(1) == b""
    except BlockingIOError:
        return False


def test_who_was_of_no_use_for_longest_goes_when_one_more_comes(come: Come) -> None:
    first, second, *_ = [come()[0] for _ in range(4)]
    assert [ended(first), ended(second)] == [True, False]


def test_who_is_being_answered_stays_and_counts_as_of_use_afterwards(door: Door, come: Come) -> None:
    came = [come() for _ in range(3)]
    with door.answering(came[0][2]):
        come()
    assert [ended(theirs) for theirs, *_ in came] == [False, True, False]
    come()
    assert [ended(theirs) for theirs, *_ in came] == [False, True, True]


def test_who_was_answered_once_keeps_a_place_in_a_crowd_that_asks_nothing(door: Door, come: Come) -> None:
    theirs, _, address = come()
    with door.answering(address):
        pass
    crowd = [come()[0] for _ in range(10)]
    assert not ended(theirs)
    assert [ended(one) for one in crowd] == [True] * 8 + [False] * 2


def test_those_who_were_answered_once_leave_half_of_all_places_to_others(door: Door, come: Come) -> None:
    came = [come() for _ in range(3)]
    for _, _, address in came:
        with door.answering(address):
            pass
    newer, newest = come()[0], come()[0]
    assert [ended(theirs) for theirs, *_ in came] == [True, True, False]
    assert [ended(newer), ended(newest)] == [False, False]


def test_where_all_are_being_answered_the_newest_finds_no_place(door: Door, come: Come) -> None:
    came = [come() for _ in range(3)]
    with door.answering(came[0][2]), door.answering(came[1][2]), door.answering(came[2][2]):
        newest, *_ = come()
    assert [ended(theirs) for theirs, *_ in came] == [False] * 3
    assert ended(newest)


def test_who_left_takes_no_place(come: Come) -> None:
    first, *others = [come() for _ in range(3)]
    others[0][1].close()
    come()
    assert not ended(first[0])


def test_who_says_nothing_for_long_goes(door: Door, come: Come, clock: Clock) -> None:
    silent, *_ = come()
    clock.now = 10.0
    later, *_ = come()
    clock.now = 20.5
    door.let_go_silent()
    assert [ended(silent), ended(later)] == [True, False]


# A process of its own, for it is one without descriptors.
KNOCKING = """
import errno, os, socket
from penstock.store.sql import SqlStore
from penstock.web.door import Door
door = Door(socket.AF_INET, 100, 20.0)
door.bind(("127.0.0.1", 0))
door.listen()
door.settimeout(60.0)
knock = lambda: socket.create_connection(door.getsockname(), 60.0)
first, inside = knock(), door.accept()
knocking, taken = [knock() for _ in range(3)], []
try:
    while True:
        taken.append(os.open(os.devnull, os.O_RDONLY))
except OSError as error:
    assert error.errno == errno.EMFILE
for one in knocking:
    try:
        door.accept()
    except BlockingIOError:
        print("turned away", one.recv(1) == b"")
os.close(taken.pop())
last = knock() if not os.close(taken.pop()) else None
print("came in", door.accept()[0].fileno() > 0)
"""


def test_where_no_descriptor_is_left_the_newest_is_turned_away_and_that_is_said_once() -> None:
    limited = ["sh", "-c", 'ulimit -n 64; exec "$@"', "sh", sys.executable, "-c", KNOCKING]
    done = subprocess.run(limited, env=environment(), capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == ["turned away True"] * 3 + ["came in True"]
    assert done.stderr.splitlines() == ["no descriptors are left in this process: connections are turned away"]


@pytest.mark.parametrize("said", [b"", HALF], ids=["nothing", "half a request"])
def test_many_that_are_slow_keep_nobody_out(serve: Serve, settings: WebSettings, said: bytes) -> None:
    site = serve(replace(settings, connections=16))
    with ExitStack() as stack:
        for _ in range(100):
            slow = stack.enter_context(socket.create_connection(("127.0.0.1", site.settings.port), patience_s()))
            slow.sendall(said)
        assert asking.get(f"{site.url}api/runs").status_code == 200


@pytest.mark.parametrize("most", [16, 64])
def test_whoever_comes_in_a_crowd_is_heard_before_the_next_take_the_place(
    store: SqlStore, settings: WebSettings, most: int
) -> None:
    site = Site(store, replace(settings, connections=most), lambda line: None)  # it listens, and lets nobody in yet
    with ExitStack() as stack:

        def comes(said: bytes) -> socket.socket:
            one = stack.enter_context(socket.create_connection(("127.0.0.1", site.settings.port), patience_s()))
            one.sendall(said)
            return one

        askers = []
        for _ in range(5):
            askers.append(comes(HALF + b"\r\n"))
            for _ in range(60):
                comes(HALF)
        with site.beside():
            assert [asker.recv(12) for asker in askers] == [b"HTTP/1.1 200"] * 5


@pytest.mark.parametrize("said", [b"", HALF, BODY_TO_COME], ids=["nothing", "half a request", "no body"])
def test_who_does_not_go_on_is_let_go(serve: Serve, settings: WebSettings, said: bytes) -> None:
    site = serve(replace(settings, silent_s=0.2))
    door = ("127.0.0.1", site.settings.port)
    # It is reset where it was let go before it had said so much.
    with closing(socket.create_connection(door, patience_s())) as slow, suppress(BrokenPipeError, ConnectionResetError):
        slow.sendall(said)
        while slow.recv(65536):
            pass


def ask_for_ever(slow: socket.socket, wanted: bytes) -> None:
    """Until all buffers on the way are full, and then until it is let go."""
    while True:
        slow.sendall(wanted)


def test_who_does_not_take_the_answer_is_let_go(serve: Serve, settings: WebSettings) -> None:
    # Another site tells the script's name: here whoever takes long to ask is let go too.
    script = next(name for name in re.findall(r'src="\./([^"]+)"', asking.get(serve(settings).url).text))
    site = serve(replace(settings, silent_s=0.2, connections=16))
    with closing(socket.socket()) as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.settimeout(patience_s())
        slow.connect(("127.0.0.1", site.settings.port))
        wanted = f"GET /{script} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n".encode()
        with pytest.raises((BrokenPipeError, ConnectionResetError)):
            ask_for_ever(slow, wanted)


@pytest.fixture
def crowded(tmp_path: Path) -> Iterator["tuple[subprocess.Popen[bytes], str, Path]"]:
    """A server with a governed simulation beside it, few descriptors, and more connections than those."""
    said = tmp_path / "said"
    simulated = ["--scenario", str(SCENARIO), "--speed", "10", "--policy", "henge"]
    kept = ["--store", str(tmp_path / "runs.sqlite"), "--tokens", str(tmp_path / "tokens.json"), "--port", "0"]
    limited = ["sh", "-c", 'ulimit -n 128; exec "$@"', "sh", *command("serve", *simulated, *kept)]
    with said.open("wb") as out:
        process = subprocess.Popen(limited, env=environment(), stderr=out, stdout=out)

    def url() -> str | None:
        assert process.poll() is None, said.read_text()
        found = re.search(r"dashboard: (http\S+)", said.read_text())
        return found.group(1) if found else None

    with ExitStack() as stack:
        try:
            found = eventually(url)
            port = int(found.rstrip("/").rpartition(":")[2])
            for _ in range(300):
                stack.enter_context(socket.create_connection(("127.0.0.1", port), patience_s())).sendall(HALF)
            yield process, found, said
        finally:
            process.kill()
            process.wait()


def test_a_crowd_ends_neither_governing_nor_the_pages_nor_floods_the_log(
    crowded: "tuple[subprocess.Popen[bytes], str, Path]",
) -> None:
    process, url, said = crowded

    def at_s() -> float | None:
        present = asking.get(f"{url}api/overview").json()["present"]
        return float(present["at_s"]) if present else None

    before_s = eventually(at_s)
    eventually(lambda: (at_s() or 0.0) > before_s or None)
    assert len(os.listdir(f"/proc/{process.pid}/fd")) < 128
    process.send_signal(signal.SIGINT)
    assert process.wait(patience_s()) == 0
    assert len(said.read_text()) < 2000
