"""The server of the agents' door ends, whatever ended it: it is opened again, and whoever governs is told."""

import asyncio
import errno
import socket
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import yaml

import penstock as ps
from penstock.calls.coordinated import beside, with_door
from penstock.config.coordination import read_coordination
from penstock.engines.applications.link import Link
from penstock.engines.applications.wire import Report, encode_report
from penstock.errors import ConfigError, OutageError
from penstock.governing.coordinating import Coordination
from penstock.running.not_yet_told import NotYetTold
from penstock.store.open import open_store
from penstock.web import agents_door
from penstock.web.agents_door import AgentsDoor, AgentTokens, _hash
from penstock.web.until_over import UntilOver
from tests.patience import eventually, patience_s

pytestmark = pytest.mark.sockets

REPORT = encode_report(Report("fraud", "i-1", 1, {}))
Strike = Callable[[BaseException | None], None]


@pytest.fixture
def strike(monkeypatch: pytest.MonkeyPatch) -> Strike:
    """Ends the door's server, by an error or without any; pages that other tests share have servers, too."""
    tick = UntilOver.on_tick
    strikes: list[BaseException | None] = []

    async def struck(server: UntilOver, counter: int) -> bool:
        error = strikes.pop() if strikes and type(server) is UntilOver else False
        if isinstance(error, BaseException):
            raise error
        return error is None or await tick(server, counter)

    monkeypatch.setattr(UntilOver, "on_tick", struck)
    return strikes.append


def an_agents_door(hear: Callable[[Report], bytes]) -> AgentsDoor:
    return AgentsDoor(hear, lambda: AgentTokens({_hash("ours"): "fraud"}))


def a_door() -> AgentsDoor:
    return an_agents_door(lambda report: b"heard")


def told_by(door: AgentsDoor, until: str) -> list[str]:
    """All that it tells, until it tells that."""
    told: list[str] = []

    def tells() -> bool:
        told.extend(door.troubles())
        return bool(told) and until in told[-1]

    eventually(tells)
    return told


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (RuntimeError("nobody foresaw this"), "RuntimeError: nobody foresaw this"),
        (asyncio.CancelledError(), "CancelledError"),
        (SystemExit(3), "SystemExit: 3"),
        (None, "by itself"),
    ],
)
def test_whatever_ends_its_server_agents_are_heard_again_at_the_same_address_and_that_is_told(
    error: BaseException | None, why: str, strike: Strike, caplog: pytest.LogCaptureFixture
) -> None:
    with a_door().open() as door, closing(Link([door.url], "ours", patience_s())) as link:
        assert (link.say(REPORT), door.troubles(), door.shut_s) == (b"heard", (), 0.0)
        strike(error)
        told = told_by(door, "no agent was heard for ")
        assert told[-1].endswith(f" s: the server for agents has ended ({why})")
        assert (link.say(REPORT), door.troubles(), door.shut_s) == (b"heard", (), 0.0)
        url = door.url
    assert caplog.messages == [
        f"no agent is heard: the server for agents has ended ({why}); the door is opened again",
        f"agents are heard again at {url}",
    ]


def test_whoever_was_connected_is_let_go_and_does_not_wait_for_an_answer_in_vain(strike: Strike) -> None:
    with a_door().open() as door:
        place = urlsplit(door.url)
        with socket.create_connection((place.hostname or "", place.port or 0), timeout=patience_s()) as connection:
            connection.sendall(b"GET /health HTTP/1.1\r\n\r\n")
            assert connection.recv(1024).endswith(b'"listens"')
            strike(RuntimeError("nobody foresaw this"))
            with suppress(ConnectionResetError):
                assert connection.recv(1024) == b""


def test_while_its_port_is_somebody_elses_it_is_told_for_how_long_nobody_is_heard(
    strike: Strike, monkeypatch: pytest.MonkeyPatch
) -> None:
    listening, now = agents_door._listening, [10.0]

    def taken(host: str, port: int) -> socket.socket:
        raise ConfigError("--agents-port", f"{host}:{port}", "it cannot be listened on")

    door = AgentsDoor(lambda report: b"heard", lambda: AgentTokens({}), clock=lambda: now[0])
    monkeypatch.setattr(agents_door, "_listening", taken)
    with door.open():
        strike(None)
        told_by(door, "it cannot be listened on")
        now[0] = 70.0
        assert (door.shut_s, door.troubles()[0][:38]) == (60.0, "no agent has been heard for 60 s: --ag")
        monkeypatch.setattr(agents_door, "_listening", listening)
        told_by(door, "no agent was heard for 60 s")
        assert door.shut_s == 0.0


def test_a_moment_without_descriptors_is_got_over(strike: Strike, monkeypatch: pytest.MonkeyPatch) -> None:
    listening = agents_door._listening

    def none_left(host: str, port: int) -> socket.socket:
        monkeypatch.setattr(agents_door, "_listening", listening)
        raise OSError(errno.EMFILE, "Too many open files")

    with a_door().open() as door, closing(Link([door.url], "ours", patience_s())) as link:
        monkeypatch.setattr(agents_door, "_listening", none_left)
        strike(None)
        assert told_by(door, "no agent was heard for ")[-1].endswith(" s: OSError: [Errno 24] Too many open files")
        assert link.say(REPORT) == b"heard"


def test_a_coordinator_in_somebodys_program_tells_of_it_in_its_next_round(strike: Strike, tmp_path: Path) -> None:
    file, store = tmp_path / "fleet.yaml", tmp_path / "runs.sqlite"
    file.write_text(yaml.safe_dump({"name": "prod", "cluster": {"cores": 8}, "interval": "300ms", "report": "100ms"}))

    def errors() -> str:
        with suppress(ConfigError, OutageError), closing(open_store(store, create=False)) as archive:
            return " ".join(note.text for note in archive.read_run("fleet-prod").errors)
        return ""

    with ps.coordinate(file, store=str(store), tokens=tmp_path / "tokens.json", port=0) as coordinator:
        eventually(lambda: coordinator.leads)
        strike(RuntimeError("nobody foresaw this"))
        eventually(lambda: "no agent was heard for" in errors())
        assert "the server for agents has ended (RuntimeError: nobody foresaw this)" in errors()


def test_what_else_is_beside_a_coordinator_is_told_in_its_next_round(tmp_path: Path) -> None:
    file, store, untold = tmp_path / "fleet.yaml", tmp_path / "runs.sqlite", NotYetTold()
    file.write_text(yaml.safe_dump({"name": "prod", "cluster": {"cores": 8}, "interval": "300ms", "report": "100ms"}))
    untold.add("the pages are gone: nobody foresaw this")

    def errors() -> str:
        with suppress(ConfigError, OutageError), closing(open_store(store, create=False)) as archive:
            return " ".join(note.text for note in archive.read_run("fleet-prod").errors)
        return ""

    how = Coordination(str(store), troubles=untold.taken)
    coordinator, door = with_door(read_coordination(file, None), how, an_agents_door, lambda text: None)
    with door.open(), beside(coordinator):
        eventually(lambda: "the pages are gone: nobody foresaw this" in errors())
