"""Notifiers: where messages go, each named by a target as it stands on a command line.

    slack:https://hooks.slack.com/services/...     a message in Slack's form, which others take too
    webhook:https://alerts.example.org/penstock    the event as JSON, POSTed
    mail:smtp://relay:25/?from=a@b&to=c@d          an e-mail; smtps:// is safe from the first byte on
    lines:decisions.jsonl                          each event as a line of JSON, decisions and verdicts too
    cloudevents:decisions.jsonl                    the same as CloudEvents 1.0; to a URL they are POSTed
    openlineage:http://marquez:5000                the same as OpenLineage run events; to a file a line each

A relay that wants a login gets PENSTOCK_SMTP_USER and PENSTOCK_SMTP_PASSWORD of the environment, encrypted; a receiver
of OpenLineage gets OPENLINEAGE_API_KEY, as from OpenLineage's own clients.
Packages beside penstock add theirs by the group `penstock.notifiers` of their entry points: a function from what stands
behind the colon to a `Notifier`. What stands there may be a secret: it is never logged.
"""

import hashlib
import io
import json
import os
import re
import smtplib
import ssl
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.message import EmailMessage
from html import escape
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import parse_qs, urlsplit

from penstock.core.addresses import place_in
from penstock.core.run import RunInfo
from penstock.core.seen.lineage import LineageRun
from penstock.errors import ConfigError, choose, in_a_line
from penstock.extending import GROUPS, loaded, named
from penstock.http_answers import InTime, opened
from penstock.notifying.happenings import ALL, URGENT, Happening, HappeningKind
from penstock.notifying.lineage import ENDPOINT, run_events
from penstock.notifying.lines import append_lines

_WITHIN_S = 10.0
_TALKS_WITHIN_S, _MOST_SAID = 60.0, 1 << 20  # a relay, all that it says of one mail; in bytes
_PLAIN = re.compile(r"[A-Za-z0-9_.-]{1,200}")  # an id of a mail
_NEVER_TAKEN = 500  # from there on a relay says that no later try helps
_URLS = ("http://", "https://")
_NEVER = (301, 308, 400, 413, 415, 422)  # what is said of a message, or an address, that no later try changes


@dataclass(frozen=True, slots=True)
class Message:
    """A happening of a run. `id` stays the same when it is sent again, so that whoever gets it twice can tell.

    `application` asks the driver for the run that OpenLineage knows the application by, if there is one.
    """

    run: RunInfo
    happening: Happening
    application: Callable[[], LineageRun | None] = field(default=lambda: None, repr=False, compare=False)

    @property
    def id(self) -> str:
        """Which event of which run."""
        one = self.happening
        return "/".join((self.run.id, one.kind, f"{one.at_s:.3f}", one.job or "-", str(one.place)))

    @property
    def time(self) -> str | None:
        """When it happened; None in simulated time."""
        if self.run.started_at_s is None:
            return None
        return datetime.fromtimestamp(self.run.started_at_s + self.happening.at_s, UTC).isoformat()

    @property
    def text(self) -> str:
        """In a line, for people."""
        return f"{self.run.name}: {self.happening.text}"

    def document(self) -> dict[str, Any]:
        """For programs."""
        one = self.happening
        return {
            "id": self.id,
            "run": self.run.id,
            "name": self.run.name,
            "kind": str(one.kind),
            "time": self.time,
            "at_s": one.at_s,
            "job": one.job,
            "text": one.text,
            "data": dict(one.data),
        }

    def cloud_event(self) -> dict[str, Any]:
        """As CloudEvents 1.0 has it, in its JSON form."""
        one = self.happening
        found = {
            "specversion": "1.0",
            "id": self.id,
            "source": f"/penstock/runs/{self.run.id}",
            "type": f"io.penstock.{one.kind}",
            "time": self.time,
            "subject": one.job,
            "datacontenttype": "application/json",
            "data": self.document(),
        }
        return {name: value for name, value in found.items() if value is not None}


class UndeliverableError(Exception):
    """This message will be taken at no later try either: those that wait behind it need not wait for it."""


class Notifier(Protocol):
    """Sends messages of the kinds that it `wants`; what it raises, but an UndeliverableError, has it asked again."""

    @property
    def wants(self) -> frozenset[HappeningKind]:
        """Kinds of happenings."""

    def send(self, message: Message) -> None:
        """Once; it may be called again for the same message when this raised."""


@dataclass(frozen=True, slots=True)
class Posted:
    """POSTs what `body` makes of a message."""

    url: str
    body: Callable[[Message], Mapping[str, Any]]
    wants: frozenset[HappeningKind] = URGENT
    content_type: str = "application/json"

    def send(self, message: Message) -> None:
        _post(self.url, self.body(message), self.content_type)


@dataclass(frozen=True, slots=True)
class Written:
    """Appends to a file, a line each, whole: several runs may write to one."""

    path: Path
    body: Callable[[Message], Mapping[str, Any]]
    wants: frozenset[HappeningKind] = ALL

    def send(self, message: Message) -> None:
        append_lines(self.path, _encoded(self.body(message)) + b"\n")


@dataclass(frozen=True, slots=True)
class Lineage:
    """Tells OpenLineage: whoever gets both events of a message twice, the second one refused, sees the same run."""

    target: str  # a URL, or a file's path
    wants: frozenset[HappeningKind] = ALL

    def send(self, message: Message) -> None:
        namespace = os.environ.get("OPENLINEAGE_NAMESPACE", "default")
        events = run_events(message.document(), namespace, message.application())
        if self.target.startswith(_URLS):
            key = os.environ.get("OPENLINEAGE_API_KEY", "").strip()  # of a file, with its end of line
            for event in events:
                _post(self.target, event, key=key)
            return
        append_lines(Path(self.target), b"".join(_encoded(event) + b"\n" for event in events))


@dataclass(frozen=True, slots=True)
class Mailed:
    """Sends an e-mail."""

    host: str
    port: int
    sender: str
    receivers: tuple[str, ...]
    safe: bool = False  # from the first byte on
    wants: frozenset[HappeningKind] = URGENT

    def send(self, message: Message) -> None:
        mail = self.composed(message)
        server = (_SafeRelay if self.safe else _Relay)(self.host, self.port, timeout=_WITHIN_S)
        try:
            self._log_in(server)
            server.send_message(mail)
        except smtplib.SMTPDataError as error:
            if error.smtp_code >= _NEVER_TAKEN:
                raise UndeliverableError(f"the relay says {error.smtp_code} to it") from None
            raise
        finally:
            with suppress(smtplib.SMTPException, OSError):  # it has the mail, however it says good-bye
                server.quit()

    def composed(self, message: Message) -> EmailMessage:
        """Whatever tenants are named, and whatever is said of them, it can be sent."""
        text = message.text.encode("utf-8", "replace").decode("utf-8")
        mail = EmailMessage()
        mail["Subject"] = in_a_line(" ".join(text.split())[:200])
        mail["From"], mail["To"] = self.sender, ", ".join(self.receivers)
        mail["Message-ID"] = f"<{_of_letters(message.id)}@penstock>"
        mail.set_content(f"{text}\n\n{json.dumps(message.document(), indent=2)}\n")
        return mail

    def _log_in(self, server: smtplib.SMTP) -> None:
        user = os.environ.get("PENSTOCK_SMTP_USER")
        if user is not None:
            if not self.safe:
                server.starttls(context=ssl.create_default_context())
            server.login(user, os.environ.get("PENSTOCK_SMTP_PASSWORD", ""))


def _of_letters(name: str) -> str:
    """The name as an id of a mail may have it, and another one for another name.

    >>> _of_letters("shop 3f2a/missing/60.000/ads/0"), len(_of_letters("Überweisungen " * 100))
    ('shop_3f2a.missing.60.000.ads.0', 64)
    """
    plain = name.replace("/", ".").replace(" ", "_")
    return plain if _PLAIN.fullmatch(plain) else hashlib.sha256(name.encode("utf-8", "backslashreplace")).hexdigest()


class _BoundedAnswer:
    """What a relay says, as far as anybody listens: one that talks without end would fill the driver's memory."""

    def __init__(self, sock: Any) -> None:
        self._file = io.BufferedReader(InTime(sock, _TALKS_WITHIN_S))
        self._left = _MOST_SAID

    def readline(self, most: int) -> bytes:
        line = self._file.readline(most)
        self._left -= len(line)
        if self._left < 0:
            raise OSError("the relay talks without end")
        return line

    def close(self) -> None:
        self._file.close()


class _Relay(smtplib.SMTP):
    def getreply(self) -> tuple[int, bytes]:
        if self.file is None and self.sock is not None:
            self.file = _BoundedAnswer(self.sock)
        return super().getreply()


class _SafeRelay(_Relay, smtplib.SMTP_SSL):
    pass


def _post(url: str, body: Mapping[str, Any], content_type: str = "application/json", key: str = "") -> None:
    headers = {"Content-Type": content_type, "User-Agent": "penstock"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    request = urllib.request.Request(url, _encoded(body), headers, method="POST")
    try:
        opened(request, _WITHIN_S).close()
    except urllib.error.HTTPError as error:
        with error:
            if error.code in _NEVER:
                raise UndeliverableError(f"the server says {error.code}") from None
            raise
    except ValueError:  # which would show what it is
        raise UndeliverableError("its key holds what no request can have") from None


def _encoded(body: Mapping[str, Any]) -> bytes:
    try:
        return json.dumps(body, allow_nan=False).encode()
    except ValueError as error:
        raise UndeliverableError(f"it cannot be written as JSON ({error})") from None


def notifier_of(target: str) -> Notifier:
    """The notifier that a target names.

    >>> sorted(notifier_of("lines:/dev/null").wants)[:2]
    [<HappeningKind.BUDGET: 'budget'>, <HappeningKind.DECISION: 'decision'>]
    """
    name, colon, rest = target.partition(":")
    known = (*_OURS, *_points())
    if not colon or not rest or name not in known:
        raise ConfigError("--notify", name, f"write slack:https://… or the like; {choose(name, known)}")
    if name in _OURS:
        return _OURS[name](rest)
    made: Notifier = loaded(_points()[name], "--notify")(rest)
    return made


def _slack(rest: str) -> Notifier:
    return Posted(_url("slack", rest), lambda message: {"text": _for_slack(message.text)})


def _for_slack(text: str) -> str:
    """With the three signs escaped that Slack reads as its own: what stands between < and > would be a link or a call.

    >>> _for_slack("p95 latency <= 2s; weight 1 -> 4")
    'p95 latency &lt;= 2s; weight 1 -&gt; 4'
    """
    return escape(text, quote=False)


def _webhook(rest: str) -> Notifier:
    return Posted(_url("webhook", rest), Message.document)


def _lines(rest: str) -> Notifier:
    return Written(_path("lines", rest), Message.document)


def _cloud_events(rest: str) -> Notifier:
    if rest.startswith(_URLS):
        return Posted(_url("cloudevents", rest), Message.cloud_event, ALL, "application/cloudevents+json")
    return Written(_path("cloudevents", rest), Message.cloud_event)


def _lineage(rest: str) -> Notifier:
    if not rest.startswith(_URLS):
        return Lineage(str(_path("openlineage", rest)))
    url = _url("openlineage", rest)
    return Lineage(url if urlsplit(url).path.strip("/") else f"{url.rstrip('/')}{ENDPOINT}")


def _mail(rest: str) -> Notifier:
    parts = place_in(rest, ("smtp", "smtps"))
    asked = {} if parts is None else parse_qs(parts.query)
    sender, receivers = asked.get("from", []), asked.get("to", [])
    right = len(sender) == 1 and receivers and all(one.isprintable() for one in (*sender, *receivers))
    if parts is None or not right:
        raise ConfigError("--notify", "mail", "write mail:smtp://host:port/?from=a@b&to=c@d")
    safe = parts.scheme == "smtps"
    return Mailed(parts.hostname or "", parts.port or (465 if safe else 25), sender[0], tuple(receivers), safe)


def _url(name: str, rest: str) -> str:
    parts = place_in(rest, ("http", "https"))
    if parts is None:
        raise ConfigError("--notify", name, f"write {name}: and a URL that begins with https:// or http://")
    if not (rest.isascii() and rest.isprintable()) or " " in rest or "@" in parts.netloc:
        remedy = "write its URL without blanks, with %C3%A9 for an é, and without a login: none is sent"
        raise ConfigError("--notify", name, remedy)
    return rest


def _path(name: str, rest: str) -> Path:
    path = Path(rest)
    try:  # a named pipe that nobody reads is refused at once, instead of waited for
        os.close(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK, 0o666))
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise ConfigError("--notify", f"{name}:{rest}", f"give a file that can be written ({why})") from None
    return path


_OURS: dict[str, Callable[[str], Notifier]] = {
    "slack": _slack,
    "webhook": _webhook,
    "mail": _mail,
    "lines": _lines,
    "cloudevents": _cloud_events,
    "openlineage": _lineage,
}


def _points() -> Mapping[str, EntryPoint]:
    return named(GROUPS["notifier"])
