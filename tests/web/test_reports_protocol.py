"""Requests of agents as they come over a connection: in parts, in crowds, too long, from whoever has no token."""

import os
import socket
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from penstock.engines.applications.link import PATH, Link, RefusedReportError
from penstock.engines.applications.wire import MOST_BYTES, Report, encode_report
from penstock.errors import ConfigError
from penstock.web import agents_door
from penstock.web.agents_door import AgentsDoor, AgentTokens, _hash, fresh_tokens, new_agent_token
from penstock.web.reports_protocol import Unfinished
from penstock.web.tokens import tokens_at
from tests.patience import eventually, patience_s

pytestmark = pytest.mark.sockets

ENDS = b"\r\n\r\n"


def hear(report: Report) -> bytes:
    if report.number == 0:
        raise ZeroDivisionError
    return b"%d" % report.number


@pytest.fixture
def caller() -> Iterator[socket.socket]:
    with AgentsDoor(hear, lambda: AgentTokens({_hash("ours"): "fraud"})).open() as door:
        place = urlsplit(door.url)
        with socket.create_connection((place.hostname or "", place.port or 0), timeout=patience_s()) as found:
            yield found


def report(number: int, token: str = "ours", *lines: str) -> bytes:
    """A report as it travels."""
    body = encode_report(Report("fraud", "one", number, {}))
    head = [f"POST {PATH} HTTP/1.1", f"Authorization: Bearer {token}", f"Content-Length: {len(body)}", *lines]
    return "\r\n".join(head).encode() + ENDS + body


def answer(caller: socket.socket) -> tuple[int, bytes]:
    """The next one; nothing where the connection ended."""
    raw = b""
    while not raw.endswith(ENDS):
        part = caller.recv(1)
        if not part:
            return 0, raw
        raw += part
    length = next((int(line[16:]) for line in raw.split(b"\r\n") if line.startswith(b"content-length: ")), 0)
    return int(raw.split()[1]), caller.recv(length, socket.MSG_WAITALL) if length else b""


def test_a_report_is_answered_however_it_comes_apart(caller: socket.socket) -> None:
    for byte in report(7):
        caller.sendall(bytes([byte]))
    assert answer(caller) == (200, b"7")


def test_one_that_sends_a_byte_now_and_then_is_let_go_as_one_that_is_silent() -> None:
    door = AgentsDoor(hear, lambda: AgentTokens({}))
    door.silent_s = 0.3
    with door.open():
        place = urlsplit(door.url)
        with socket.create_connection((place.hostname or "", place.port or 0)) as slow:
            slow.setblocking(False)

            def let_go() -> bool:
                try:
                    slow.send(b"x")
                    said = slow.recv(100)
                except BlockingIOError:
                    return False
                except OSError:
                    return True
                assert said == b""  # not that its request is too long
                return True

            eventually(let_go)


def test_one_that_leaves_its_answers_where_they_are_is_let_go() -> None:
    door = AgentsDoor(hear, lambda: AgentTokens({}))
    door.silent_s = 0.3
    with door.open():
        place = urlsplit(door.url)
        with socket.create_connection((place.hostname or "", place.port or 0)) as silent:
            silent.setblocking(False)

            def let_go() -> bool:
                try:
                    silent.send((b"GET /" + b"x" * 80 + b" HTTP/1.1" + ENDS) * 100)
                except BlockingIOError:  # it reads no more as long as its answers are not taken
                    return False
                except OSError:
                    return True
                return False

            eventually(let_go)


def test_several_at_once_are_answered_in_their_order(caller: socket.socket) -> None:
    caller.sendall(report(1) + b"GET /health HTTP/1.1" + ENDS + report(2))
    assert [answer(caller) for _ in range(3)] == [(200, b"1"), (200, b'"listens"'), (200, b"2")]


def test_without_a_token_the_answer_does_not_wait_for_the_body_and_the_next_request_is_heard(
    caller: socket.socket,
) -> None:
    head, _, body = report(1, "theirs").partition(ENDS)
    caller.sendall(head + ENDS)
    assert answer(caller)[0] == 401
    caller.sendall(body + report(2))
    assert answer(caller) == (200, b"2")


@pytest.mark.parametrize(
    ("raw", "status"),
    [
        (f"POST {PATH} HTTP/1.1\r\nContent-Length: {MOST_BYTES + 1}\r\n\r\n".encode(), 413),
        (b"GET /" + b"a" * 20_000, 431),
        (b"nothing of the kind" + ENDS, 400),
        (report(1, "ours", "Connection: close"), 200),
        (b"GET /health HTTP/1.0" + ENDS, 200),
    ],
)
def test_after_some_the_connection_ends(caller: socket.socket, raw: bytes, status: int) -> None:
    caller.sendall(raw)
    assert answer(caller)[0] == status
    assert answer(caller) == (0, b"")


def test_who_waits_to_be_told_so_is_told_to_send(caller: socket.socket) -> None:
    head, _, body = report(5, "ours", "Expect: 100-continue").partition(ENDS)
    caller.sendall(head + ENDS)
    assert answer(caller) == (100, b"")
    caller.sendall(body)
    assert answer(caller) == (200, b"5")


def test_an_agent_that_says_fifty_megabytes_is_told_so_and_the_next_report_is_heard() -> None:
    with ExitStack() as stack:
        door = stack.enter_context(AgentsDoor(hear, lambda: AgentTokens({_hash("ours"): "fraud"})).open())
        link = stack.enter_context(closing(Link([door.url], "ours", within_s=60.0)))
        with pytest.raises(RefusedReportError, match=r"refuses: a report holds 4,194,304 bytes at most"):
            link.say(b"x" * 50_000_000)
        assert link.say(encode_report(Report("fraud", "one", 2, {}))) == b"2"


def test_a_report_over_which_the_coordinator_stumbles_is_not_the_last(caller: socket.socket) -> None:
    caller.sendall(report(0) + report(1))
    assert [answer(caller)[0] for _ in range(2)] == [500, 200]


def test_a_crowd_that_says_nothing_keeps_no_agent_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each connection takes a descriptor, which the coordinator needs; nobody needs a token to connect."""
    monkeypatch.setattr(agents_door, "_MOST", 3)
    with AgentsDoor(hear, lambda: AgentTokens({_hash("ours"): "fraud"})).open() as door, ExitStack() as stack:
        place = urlsplit(door.url)

        def one_more() -> socket.socket:
            found = socket.create_connection((place.hostname or "", place.port or 0), timeout=patience_s())
            return stack.enter_context(found)

        first, agent = one_more(), one_more()
        agent.sendall(report(1))
        assert answer(agent) == (200, b"1")
        crowd = [one_more() for _ in range(2)]
        assert first.recv(1) == b""  # let go
        agent.sendall(report(2))
        assert answer(agent) == (200, b"2")
        crowd += [one_more(), one_more()]
        assert [one.recv(1) for one in crowd[:2]] == [b"", b""]
        agent.sendall(report(3))
        assert answer(agent) == (200, b"3")


def test_many_bodies_that_never_become_whole_take_no_more_memory_than_is_for_them() -> None:
    """Whoever has a token may have a thousand connections, and each of them four MiB of a report."""
    with AgentsDoor(hear, lambda: AgentTokens({_hash("ours"): "fraud"})).open() as door, ExitStack() as stack:
        door.unfinished = Unfinished(5000)
        place = urlsplit(door.url)

        def one_more() -> socket.socket:
            found = socket.create_connection((place.hostname or "", place.port or 0), timeout=patience_s())
            return stack.enter_context(found)

        head = f"POST {PATH} HTTP/1.1\r\nAuthorization: Bearer ours\r\nContent-Length: 4000\r\n\r\n".encode()
        slow = [one_more() for _ in range(3)]
        for one in slow:
            one.sendall(head + b" " * 2000)
            agent = one_more()
            agent.sendall(report(1))
            assert answer(agent) == (200, b"1")
        assert slow[0].recv(1) == b""  # it began first
        slow[1].sendall(b" " * 2000)
        assert answer(slow[1])[0] == 400  # it is whole now, and no report


def test_tokens_that_were_known_count_while_their_file_is_damaged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "tokens.json"
    header = f"Bearer {new_agent_token(file, 'fraud')}"
    current = fresh_tokens(file, 0.0)
    assert current().pattern_of(header) == "fraud"
    whole = file.read_text()
    file.write_text(whole[:-5])
    os.utime(file, ns=(1, 1))
    assert [current().pattern_of(header) for _ in range(3)] == ["fraud"] * 3
    assert len(caplog.messages) == 1  # not once for each report
    file.write_text("[" * 100_000)
    os.utime(file, ns=(2, 2))
    assert current().pattern_of(header) == "fraud"
    file.write_text("{}")
    os.utime(file, ns=(3, 3))
    assert current().pattern_of(header) is None


@pytest.mark.parametrize("said", ["[", "[" * 100_000, "null", "9" * 5000, '"x"'], ids=lambda said: said[:3])
def test_a_file_that_holds_no_tokens_is_told_in_one_line(tmp_path: Path, said: str) -> None:
    file = tmp_path / "tokens.json"
    file.write_text(said)
    with pytest.raises(ConfigError, match="it holds no tokens of agents"):
        fresh_tokens(file)()
    with pytest.raises(ConfigError, match="it holds no tokens"):
        tokens_at(file)


def test_a_path_that_nobody_listens_at_says_which_is(caller: socket.socket) -> None:
    caller.sendall(b"GET / HTTP/1.1" + ENDS + b"HEAD / HTTP/1.1" + ENDS)
    assert [answer(caller) for _ in range(2)] == [(404, f"agents report by POST to {PATH}".encode()), (404, b"")]
