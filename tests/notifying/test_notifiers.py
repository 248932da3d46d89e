"""Messages arrive: at web servers, at relays of mail and in files, once each although they were refused at first."""

import json
import logging
import os
import resource
import smtplib
import socketserver
import threading
import time
import urllib.error
from asyncio import CancelledError
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from email import message_from_bytes
from email.policy import SMTP
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import jsonschema
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from penstock.core.cycle import Cycle
from penstock.core.run import RunInfo
from penstock.core.seen.lineage import LineageRun
from penstock.errors import ConfigError
from penstock.notifying import notifiers
from penstock.notifying.happenings import Happening, HappeningKind
from penstock.notifying.notifiers import Mailed, Message, UndeliverableError, notifier_of
from penstock.notifying.post import Post
from tests.patience import eventually
from tests.recorded import a_cycle, an_acting_cycle

pytestmark = pytest.mark.sockets

words = st.text(st.characters(), max_size=60)  # halves of characters, too
PARTS = {"Content-Type", "Content-Transfer-Encoding", "MIME-Version"}

RUN = RunInfo("app-1", "shop", "penstock", "spark", started_at_s=1_000_000.0)
MESSAGE = Message(
    RUN, Happening(HappeningKind.MISSING, 60.0, "fraud has been missing for 1m", "fraud", data={"latency_s": 3.0})
)


@dataclass(slots=True)
class Heard:
    """What a server got, and how often it refuses first."""

    url: str = ""
    refuses: int = 0
    by: int = 503  # how it refuses, and to where else it sends
    sends_to: str = ""
    bodies: list[bytes] = field(default_factory=list)
    types: list[str] = field(default_factory=list)


@pytest.fixture
def web() -> Iterator[Heard]:
    heard = Heard()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            refused, heard.refuses = heard.refuses > 0, heard.refuses - 1
            if not refused:
                heard.bodies.append(body)
                heard.types.append(self.headers["Content-Type"])
            self.send_response(heard.by if refused else 204)
            if refused and heard.sends_to:
                self.send_header("Location", heard.sends_to)
            self.end_headers()

        def do_GET(self) -> None:  # as of whoever was sent on: the key that it shows
            heard.bodies.append((self.headers["Authorization"] or "").encode())
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        heard.url = f"http://127.0.0.1:{server.server_port}/hook"
        yield heard
        server.shutdown()
        thread.join()


@pytest.fixture
def relay() -> Iterator[Heard]:
    """As much of a mail server as it takes, and rude when one leaves."""
    heard = Heard()

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self.wfile.write(b"220 here\r\n")
            for line in self.rfile:
                word = line[:4].upper()
                self.wfile.write(b"354 go on\r\n" if word == b"DATA" else b"250 yes\r\n")
                if word == b"DATA":
                    heard.bodies.append(b"".join(iter(self.rfile.readline, b".\r\n")))
                    refused, heard.refuses = heard.refuses > 0, heard.refuses - 1
                    self.wfile.write(b"552 too much\r\n" if refused else b"250 taken\r\n")
                if word == b"QUIT":
                    return

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        heard.url = f"smtp://127.0.0.1:{server.server_address[1]}/?from=penstock@example.org&to=ops@example.org"
        yield heard
        server.shutdown()
        thread.join()


def test_slack_gets_a_text_and_a_webhook_the_event(web: Heard) -> None:
    notifier_of(f"slack:{web.url}").send(MESSAGE)
    notifier_of(f"webhook:{web.url}").send(MESSAGE)
    slack, event = map(json.loads, web.bodies)
    assert slack == {"text": "shop: fraud has been missing for 1m"}
    assert (event["id"], event["kind"], event["job"]) == ("app-1/missing/60.000/fraud/0", "missing", "fraud")
    assert event["time"] == "1970-01-12T13:47:40+00:00"


def test_slack_shows_what_it_would_read_as_a_link_or_a_call_to_all(web: Heard) -> None:
    told = Happening(HappeningKind.MISSING, 60.0, "<!channel> & co: it asks for p95 latency <= 2s")
    notifier_of(f"slack:{web.url}").send(replace(MESSAGE, happening=told))
    (slack,) = map(json.loads, web.bodies)
    assert slack == {"text": "shop: &lt;!channel&gt; &amp; co: it asks for p95 latency &lt;= 2s"}


# What OpenLineage 2-0-2 asks of a run event, in our words; its own schema has said yes to these events.
RUN_EVENT = {
    "type": "object",
    "required": ["eventTime", "eventType", "producer", "schemaURL", "run", "job"],
    "properties": {
        "eventTime": {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$"},
        "eventType": {"enum": ["START", "RUNNING", "COMPLETE", "ABORT", "FAIL", "OTHER"]},
        "producer": {"type": "string", "pattern": "^https://"},
        "schemaURL": {"const": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent"},
        "run": {
            "type": "object",
            "required": ["runId"],
            "properties": {
                "runId": {"type": "string", "pattern": "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"},
                "facets": {
                    "type": "object",
                    "additionalProperties": {"type": "object", "required": ["_producer", "_schemaURL"]},
                },
            },
        },
        "job": {
            "type": "object",
            "required": ["namespace", "name"],
            "properties": {"namespace": {"type": "string"}, "name": {"type": "string"}},
        },
    },
}


def test_openlineage_gets_a_run_that_began_and_is_complete(web: Heard, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENLINEAGE_NAMESPACE", "shops")
    post = Post([notifier_of(f"openlineage:{web.url}")])
    post.take(RUN, an_acting_cycle(20.0))
    post.close()
    start, complete = map(json.loads, web.bodies)
    for event in (start, complete):
        jsonschema.validate(event, RUN_EVENT)
    assert (start.pop("eventType"), complete.pop("eventType")) == ("START", "COMPLETE")
    assert start == complete
    assert start["job"] == {"namespace": "shops", "name": "shop.ads.penstock"}
    assert set(start["run"]["facets"]) == {"penstock"}  # nobody knows of a run that it is below
    facet = start["run"]["facets"]["penstock"]
    assert (facet["applicationId"], facet["kind"], facet["at_s"]) == ("app-1", "decision", 20.0)
    assert facet["data"]["changes"][0]["text"] == "map 3 -> 6"


def test_what_happens_in_an_application_that_openlineage_knows_is_below_its_run(
    web: Heard, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENLINEAGE_NAMESPACE", "shops")  # the listener's own settings go before it
    post = Post([notifier_of(f"openlineage:{web.url}")])
    post.within(lambda: LineageRun("01a20972-1b07-70f4-bf69-5ed7d0471812", "market", "shop"))
    post.take(RUN, an_acting_cycle(20.0))
    post.close()
    for event in map(json.loads, web.bodies):
        jsonschema.validate(event, RUN_EVENT)
        parent = event["run"]["facets"]["parent"]
        assert parent["run"] == {"runId": "01a20972-1b07-70f4-bf69-5ed7d0471812"}
        assert parent["job"] == {"namespace": "market", "name": "shop"}
        assert event["job"] == {"namespace": "market", "name": "shop.ads.penstock"}


def test_openlineage_that_refuses_once_gets_the_same_run_again(web: Heard, tmp_path: Path) -> None:
    web.refuses = 1
    post = Post([notifier_of(f"openlineage:{web.url}"), notifier_of(f"openlineage:{tmp_path / 'l.jsonl'}")], 0.01)
    post.take(RUN, an_acting_cycle(20.0))
    eventually(lambda: len(web.bodies) == 2)
    post.close()
    lines = (tmp_path / "l.jsonl").read_bytes().splitlines()
    assert [json.loads(body) for body in web.bodies] == [json.loads(line) for line in lines]


def test_a_host_of_openlineage_is_asked_where_its_clients_ask_it() -> None:
    found = [notifier_of(f"openlineage:https://marquez{path}") for path in ("", "/", "/lineage/v2")]
    assert [one.target for one in found] == [  # type: ignore[attr-defined]
        "https://marquez/api/v1/lineage",
        "https://marquez/api/v1/lineage",
        "https://marquez/lineage/v2",
    ]


def test_a_mail_that_was_taken_is_not_sent_again_however_the_relay_says_good_bye(relay: Heard) -> None:
    post = Post([notifier_of(f"mail:{relay.url}")], first_retry_s=0.01)
    post.take(RUN, _ended(60.0))
    post.close()
    assert len(relay.bodies) == 1


def test_mail_says_it_in_its_subject_and_has_an_id_of_its_own(relay: Heard) -> None:
    notifier_of(f"mail:{relay.url}").send(MESSAGE)
    (mail,) = relay.bodies
    assert b"Subject: shop: fraud has been missing for 1m\r\n" in mail
    assert b"Message-ID: <app-1.missing.60.000.fraud.0@penstock>\r\n" in mail


@given(name=words, job=words, text=words)
@example("shop", "Überweisungen", "fine")
@example("shop", "a\r\nBcc: me@example.org", "fine")
@example("shop", "ads", "half of a character: \ud800")
@settings(max_examples=50, deadline=None)
def test_a_mail_can_be_sent_whatever_a_tenant_is_named_and_whatever_is_said_of_it(
    name: str, job: str, text: str
) -> None:
    mailed = notifier_of("mail:smtp://127.0.0.1:9/?from=a@example.org&to=b@example.org")
    assert isinstance(mailed, Mailed)
    run, happening = replace(RUN, id=f"{name} 1", name=name), replace(MESSAGE.happening, job=job, text=text)
    mail = mailed.composed(Message(run, happening))
    read = message_from_bytes(mail.as_bytes(policy=SMTP))
    assert set(read.keys()) - PARTS == {"Subject", "From", "To", "Message-ID"}
    assert mail["To"] == "b@example.org"


def test_a_mail_that_the_relay_will_never_take_holds_up_none_behind_it(relay: Heard) -> None:
    relay.refuses = 1
    post = Post([notifier_of(f"mail:{relay.url}")], first_retry_s=3600.0)
    for at_s in (60.0, 70.0):
        post.take(RUN, _ended(at_s))
    assert eventually(lambda: [body for body in relay.bodies if b"app-1.ended.70.000" in body])
    assert len(relay.bodies) == 2  # the first one was not sent again
    post.close()


def test_files_hold_a_line_for_each_event_and_decisions_too(tmp_path: Path) -> None:
    plain, cloud = tmp_path / "plain.jsonl", tmp_path / "cloud.jsonl"
    post = Post([notifier_of(f"lines:{plain}"), notifier_of(f"cloudevents:{cloud}")])
    post.take(RUN, an_acting_cycle(20.0))
    post.take(RUN, a_cycle(30.0))
    post.close()
    (line,) = map(json.loads, plain.read_text().splitlines())
    (event,) = map(json.loads, cloud.read_text().splitlines())
    assert (line["kind"], line["job"], line["data"]["changes"][0]["text"]) == ("decision", "ads", "map 3 -> 6")
    assert (event["specversion"], event["type"]) == ("1.0", "io.penstock.decision")
    assert (event["source"], event["subject"], event["data"]) == ("/penstock/runs/app-1", "ads", line)


def test_cloud_events_are_posted_in_their_own_type(web: Heard) -> None:
    notifier_of(f"cloudevents:{web.url}").send(MESSAGE)
    assert web.types == ["application/cloudevents+json"]


def test_what_is_refused_is_sent_again_until_it_is_taken_and_not_once_more(web: Heard) -> None:
    web.refuses = 3
    post = Post([notifier_of(f"slack:{web.url}")], first_retry_s=0.01)
    post.take(RUN, _ended(60.0))
    eventually(lambda: web.bodies or None)
    post.close()
    assert len(web.bodies) == 1
    assert web.refuses == -1


def test_a_notifier_that_hangs_holds_up_neither_governing_nor_another(web: Heard) -> None:
    freed = threading.Event()

    class Hanging:
        wants = frozenset(HappeningKind)

        def send(self, message: Message) -> None:
            freed.wait(60.0)

    post = Post([Hanging(), notifier_of(f"slack:{web.url}")])
    post.take(RUN, _ended(60.0))
    eventually(lambda: web.bodies or None)
    freed.set()
    post.close()


@pytest.mark.parametrize("error", [SystemExit(1), CancelledError()])
def test_a_notifier_that_would_end_the_interpreter_is_asked_again(error: BaseException) -> None:
    sent = list[str]()

    class OfAPackage:
        wants = frozenset(HappeningKind)

        def send(self, message: Message) -> None:
            sent.append(message.id)
            if len(sent) == 1:
                raise error

    post = Post([OfAPackage()], first_retry_s=0.01)
    post.take(RUN, _ended(60.0))
    eventually(lambda: sent[1:] or None)
    post.close()
    assert len(set(sent)) == 1


def test_what_a_notifier_wants_is_asked_once_and_never_by_the_thread_that_governs() -> None:
    asked = list[str]()

    class OfAPackage:
        @property
        def wants(self) -> frozenset[HappeningKind]:
            asked.append(threading.current_thread().name)
            if len(asked) > 1:
                raise ZeroDivisionError("nobody foresaw this")
            return frozenset(HappeningKind)

        def send(self, message: Message) -> None:
            pass

    post = Post([OfAPackage()])
    for at_s in (60.0, 70.0):
        post.take(RUN, _ended(at_s))
    post.close()
    assert len(asked) == 1


def test_a_target_whose_url_is_secret_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    post = Post([notifier_of("slack:http://127.0.0.1:1/services/T000/SECRET")], first_retry_s=0.01)
    post.take(RUN, _ended(60.0))
    post.close()
    assert any("was given up" in text for text in caplog.messages)
    assert "SECRET" not in caplog.text


@pytest.mark.parametrize("by", [400, 413, 422])
def test_a_message_that_will_never_be_taken_holds_up_none_behind_it(web: Heard, by: int) -> None:
    web.refuses, web.by = 1, by
    post = Post([notifier_of(f"webhook:{web.url}")], first_retry_s=3600.0)
    post.take(RUN, _ended(60.0))
    post.take(RUN, _ended(70.0))
    (body,) = eventually(lambda: web.bodies or None)
    post.close()
    assert json.loads(body)["at_s"] == 70.0


def test_what_cannot_be_written_as_json_is_given_up_at_once(web: Heard) -> None:
    told = replace(MESSAGE, happening=replace(MESSAGE.happening, data={"latency_s": float("nan")}))
    with pytest.raises(UndeliverableError, match="cannot be written as JSON"):
        notifier_of(f"webhook:{web.url}").send(told)


@pytest.mark.parametrize("by", [301, 302, 303, 307, 308])
def test_whoever_is_sent_on_loses_no_message_and_shows_its_key_to_nobody(
    web: Heard, by: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENLINEAGE_API_KEY", "SECRET")
    web.refuses, web.by, web.sends_to = 1, by, web.url
    with pytest.raises((urllib.error.HTTPError, UndeliverableError), match=str(by)):
        notifier_of(f"openlineage:{web.url}").send(MESSAGE)
    assert web.bodies == []


@pytest.mark.parametrize("key", ["SECRET\n", "SEC\nRET"])
def test_a_key_with_an_end_of_line_is_sent_without_it_and_never_logged(
    web: Heard, key: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("OPENLINEAGE_API_KEY", key)
    post = Post([notifier_of(f"openlineage:{web.url}")], first_retry_s=3600.0)
    post.take(RUN, _ended(60.0))
    eventually(lambda: web.bodies or caplog.messages or None)
    post.close()
    assert bool(web.bodies) == (key == "SECRET\n")
    assert "SEC" not in caplog.text


def test_a_relay_that_talks_without_end_is_hung_up_on() -> None:
    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            with suppress(OSError):
                while True:
                    self.wfile.write(b"220-welcome\r\n" * 10_000)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        url = f"smtp://127.0.0.1:{server.server_address[1]}/?from=penstock@example.org&to=ops@example.org"
        with pytest.raises(smtplib.SMTPServerDisconnected, match="talks without end"):
            notifier_of(f"mail:{url}").send(MESSAGE)
        server.shutdown()
        thread.join()


def test_a_relay_that_says_a_byte_now_and_then_is_hung_up_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notifiers, "_TALKS_WITHIN_S", 0.2)

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            with suppress(OSError):
                while True:
                    self.wfile.write(b"2")
                    time.sleep(0.02)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        url = f"smtp://127.0.0.1:{server.server_address[1]}/?from=penstock@example.org&to=ops@example.org"
        with pytest.raises(smtplib.SMTPServerDisconnected, match=r"timed out|not come to its end"):
            notifier_of(f"mail:{url}").send(MESSAGE)
        server.shutdown()
        thread.join()


def test_a_line_after_one_that_was_broken_off_stands_for_itself(tmp_path: Path) -> None:
    file = tmp_path / "events.jsonl"
    file.write_text('{"kind": "dec')
    for _ in range(2):
        notifier_of(f"lines:{file}").send(MESSAGE)
    half, *whole = file.read_text().splitlines()
    assert half == '{"kind": "dec'
    assert [json.loads(line)["kind"] for line in whole] == ["missing", "missing"]


def test_a_line_that_a_full_disk_breaks_off_is_not_taken_for_written(tmp_path: Path) -> None:
    """The limit of a file's size ends a write in the midst of it, as a disk does."""
    file = tmp_path / "events.jsonl"
    notifier = notifier_of(f"lines:{file}")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20, before[1]))
    try:
        with pytest.raises(OSError, match="No space left"):
            notifier.send(MESSAGE)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    notifier.send(MESSAGE)
    assert json.loads(file.read_text().splitlines()[-1])["kind"] == "missing"


def test_a_pipe_that_nobody_reads_is_refused_instead_of_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ConfigError, match="give a file that can be written"):
        notifier_of(f"lines:{tmp_path / 'pipe'}")


@pytest.mark.parametrize("url", ["https://hooks/T/SECRET X", "https://me:SECRET@hooks/x", "https://hooks/SECRETé"])
@pytest.mark.parametrize("kind", ["slack", "webhook", "cloudevents", "openlineage"])
def test_a_url_that_no_request_can_have_is_refused_before_anything_runs_and_not_shown(kind: str, url: str) -> None:
    with pytest.raises(ConfigError, match="without blanks") as found:
        notifier_of(f"{kind}:{url}")
    assert "SECRET" not in str(found.value)


def test_a_package_beside_penstock_adds_one(monkeypatch: pytest.MonkeyPatch) -> None:
    class Point:
        name = "pager"

        def load(self) -> object:
            return lambda rest: notifier_of(f"webhook:http://localhost/{rest}")

    monkeypatch.setattr(notifiers, "_points", lambda: {"pager": Point()})
    assert notifier_of("pager:team-7") == notifier_of("webhook:http://localhost/team-7")


@pytest.mark.parametrize(
    ("target", "remedy"),
    [
        ("slakc:https://x", "did you mean slack?"),
        ("slack:", "write slack:https://… or the like"),
        ("webhook:example.org", "a URL that begins with https://"),
        ("mail:smtp://host/", "write mail:smtp://host:port/?from=a@b&to=c@d"),
        ("mail:smtp://host:port/?from=a@b&to=c@d", "write mail:smtp://host:port/?from=a@b&to=c@d"),
        ("mail:smtp://[::1/?from=a@b&to=c@d", "write mail:smtp://host:port/?from=a@b&to=c@d"),
        ("mail:smtp://host/?from=a@b%0ABcc:x@y&to=c@d", "write mail:smtp://host:port/?from=a@b&to=c@d"),
        ("slack:https://[::1/x", "a URL that begins with https://"),
        ("webhook:https://host:99999/x", "a URL that begins with https://"),
        ("lines:/nowhere/at/all", "give a file that can be written"),
        ("lines:a\0b", "give a file that can be written"),
    ],
)
def test_a_wrong_target_is_said_with_the_remedy(target: str, remedy: str) -> None:
    with pytest.raises(ConfigError, match="--notify") as found:
        notifier_of(target)
    assert remedy in str(found.value)


def _ended(at_s: float) -> Cycle:
    return replace(a_cycle(at_s), error="governing ended: another controller took over")
