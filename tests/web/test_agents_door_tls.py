"""The door of agents over TLS: whom it listens to where certificates are asked for, and what is said of wrong files."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass

import pytest

from penstock.engines.applications.link import AgentTls, Link
from penstock.engines.applications.wire import Report, encode_report
from penstock.errors import ConfigError, OutageError
from penstock.web.agents_door import AgentsDoor, agent_tokens, new_agent_token
from penstock.web.door_tls import DoorTls, door_tls
from tests.web.certificates import Authority

pytestmark = pytest.mark.sockets

REPORT = encode_report(Report("fraud", "i-1", 1, {}))


@dataclass(frozen=True)
class Secured:
    """A door that asks for certificates, whoever signs them, and somebody else who does."""

    url: str
    token: str
    ours: Authority
    theirs: Authority

    def say(self, tls: AgentTls, token: str | None = None) -> bytes:
        with closing(Link([self.url], token or self.token, tls=tls)) as link:
            return link.say(REPORT)


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Secured]:
    place = tmp_path_factory.mktemp("tls")
    ours, theirs = Authority.made(place / "ours"), Authority.made(place / "theirs")
    tokens = place / "tokens.json"
    token = new_agent_token(tokens, "fraud")
    tls = door_tls(*ours.signed("coordinator"), ours.certificate)
    with AgentsDoor(lambda report: b"heard", lambda: agent_tokens(tokens), tls=tls).open() as opened:
        yield Secured(opened.url, token, ours, theirs)


def test_an_agent_with_a_certificate_of_the_authority_is_heard(door: Secured) -> None:
    assert door.url.startswith("https://")
    assert door.say(AgentTls(door.ours.certificate, *door.ours.signed("fraud"))) == b"heard"


def test_who_shows_none_or_one_of_somebody_else_is_not_even_with_a_token(door: Secured) -> None:
    for shown in ((), door.theirs.signed("fraud")):
        with pytest.raises(OutageError, match="no coordinator answers"):
            door.say(AgentTls(door.ours.certificate, *shown))


def test_a_certificate_takes_no_tokens_place(door: Secured) -> None:
    with pytest.raises(Exception, match="a token is needed"):
        door.say(AgentTls(door.ours.certificate, *door.ours.signed("fraud")), "agent-guessed")


def test_an_agent_reports_to_nobody_whose_certificate_it_does_not_believe(door: Secured) -> None:
    with pytest.raises(OutageError, match="CERTIFICATE_VERIFY_FAILED"):
        door.say(AgentTls(door.theirs.certificate, *door.ours.signed("fraud")))


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ((None, None, "ca.crt"), "--agents-ca: .*ca.crt' cannot be used; add --tls-certificate and --tls-key"),
        (("coordinator.crt", None, None), "--tls-key: missing; give the paths of both PEM files"),
        (
            ("none.crt", "coordinator.key", None),
            "--tls-certificate: .*none.crt' cannot be used; give the paths of both",
        ),
        (("coordinator.crt", "ca.key", None), r"--tls-certificate: .*no PEM file that will do \(key values mismatch\)"),
        (("coordinator.crt", "coordinator.key", "names"), r"--agents-ca: .*names' cannot be used; it is no PEM file"),
        (
            ("coordinator.crt", "coordinator.key", "none"),
            r"--agents-ca: .*none' cannot be used; give the path of a PEM",
        ),
    ],
)
def test_a_file_of_the_coordinator_that_will_not_do_is_told_in_a_line(
    door: Secured, files: tuple[str | None, ...], told: str
) -> None:
    with pytest.raises(ConfigError, match=told) as said:
        door_tls(*(None if name is None else door.ours.place / name for name in files))
    assert "\n" not in str(said.value)


def test_without_files_there_is_no_tls_and_without_an_authority_nobody_is_asked(door: Secured) -> None:
    certificate, key = (door.ours.place / f"coordinator.{kind}" for kind in ("crt", "key"))
    assert (door_tls(None, None), door_tls(certificate, key)) == (None, DoorTls(certificate, key))
    assert DoorTls(certificate, key).config().keys() == {"ssl_certfile", "ssl_keyfile"}


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (("none", None, None), "--coordinator-ca: .*none' cannot be used; give the path of a PEM file"),
        (("names", None, None), "--coordinator-ca: .*names' cannot be used; it is no PEM file"),
        (("ca.crt", "coordinator.crt", None), "--coordinator-key: missing; give the path of a PEM file"),
        (("ca.crt", "coordinator.crt", "ca.key"), "--coordinator-certificate: .*key values mismatch"),
    ],
)
def test_a_file_of_an_agent_that_will_not_do_is_told_in_a_line(
    door: Secured, names: tuple[str | None, ...], told: str
) -> None:
    files = AgentTls(*(None if name is None else door.ours.place / name for name in names))
    with pytest.raises(ConfigError, match=told):
        Link(["https://127.0.0.1:1"], "agent-x", tls=files)


def test_certificates_for_a_coordinator_without_tls_are_refused(door: Secured) -> None:
    with pytest.raises(ConfigError, match=r"coordinator: .http://127\.0\.0\.1:1. cannot be used; write https://"):
        Link(["http://127.0.0.1:1"], "agent-x", tls=AgentTls(door.ours.certificate))
