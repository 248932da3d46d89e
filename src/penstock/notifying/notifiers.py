"""Notifiers: where messages go, each named by a target as it stands on a command line.

    slack:https://hooks.slack.com/services/...     a message in Slack's form, which others take too
    webhook:https://alerts.example.org/penstock    the event as JSON, POSTed
    mail:smtp://relay:25/?from=a@b&to=c@d          an e-mail; smtps:// is safe from the first byte on
    lines:decisions.jsonl                          each event as a line of JSON, decisions and verdicts too
    cloudevents:decisions.jsonl                    the same as CloudEvents 1.0; to a URL they are POSTed

A relay that wants a login gets PENSTOCK_SMTP_USER and PENSTOCK_SMTP_PASSWORD of the environment, encrypted.
Packages beside penstock add theirs by the group `penstock.notifiers` of their entry points: a function from what stands
behind the colon to a `Notifier`. What stands there may be a secret: it is never logged.
"""

import json
import os
import smtplib
import ssl
import urllib.request
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.message import EmailMessage
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import parse_qs, urlsplit

from penstock.core.run import RunInfo
from penstock.errors import ConfigError, choose, told
from penstock.notifying.happenings import ALL, URGENT, Happening, HappeningKind

GROUP = "penstock.notifiers"
_WITHIN_S = 10.0


@dataclass(frozen=True, slots=True)
class Message:
    """A happening of a run. `id` stays the same when it is sent again, so that whoever gets it twice can tell."""

    run: RunInfo
    happening: Happening

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


class Notifier(Protocol):
    """Sends messages of the kinds that it `wants`; what it raises makes it be asked again."""

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
        data = json.dumps(self.body(message), allow_nan=False).encode()
        headers = {"Content-Type": self.content_type, "User-Agent": "penstock"}
        request = urllib.request.Request(self.url, data, headers, method="POST")
        with urllib.request.urlopen(request, timeout=_WITHIN_S):
            pass


@dataclass(frozen=True, slots=True)
class Written:
    """Appends to a file, a line each, whole: several runs may write to one."""

    path: Path
    body: Callable[[Message], Mapping[str, Any]]
    wants: frozenset[HappeningKind] = ALL

    def send(self, message: Message) -> None:
        line = json.dumps(self.body(message), allow_nan=False) + "\n"
        with self.path.open("ab", buffering=0) as file:
            file.write(line.encode())


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
        mail = EmailMessage()
        mail["Subject"] = " ".join(message.text.split())[:200]
        mail["From"], mail["To"] = self.sender, ", ".join(self.receivers)
        mail["Message-ID"] = f"<{message.id.replace('/', '.').replace(' ', '_')}@penstock>"
        mail.set_content(f"{message.text}\n\n{json.dumps(message.document(), indent=2)}\n")
        server = (smtplib.SMTP_SSL if self.safe else smtplib.SMTP)(self.host, self.port, timeout=_WITHIN_S)
        try:
            self._log_in(server)
            server.send_message(mail)
        finally:
            with suppress(smtplib.SMTPException, OSError):  # it has the mail, however it says good-bye
                server.quit()

    def _log_in(self, server: smtplib.SMTP) -> None:
        user = os.environ.get("PENSTOCK_SMTP_USER")
        if user is not None:
            if not self.safe:
                server.starttls(context=ssl.create_default_context())
            server.login(user, os.environ.get("PENSTOCK_SMTP_PASSWORD", ""))


def notifier_of(target: str) -> Notifier:
    """The notifier that a target names.

    >>> sorted(notifier_of("lines:/dev/null").wants)[:2]
    [<HappeningKind.DECISION: 'decision'>, <HappeningKind.ENDED: 'ended'>]
    """
    name, colon, rest = target.partition(":")
    known = (*_OURS, *_points())
    if not colon or not rest or name not in known:
        raise ConfigError("--notify", name, f"write slack:https://… or the like; {choose(name, known)}")
    return _OURS[name](rest) if name in _OURS else _loaded(_points()[name])(rest)


def _slack(rest: str) -> Notifier:
    return Posted(_url("slack", rest), lambda message: {"text": message.text})


def _webhook(rest: str) -> Notifier:
    return Posted(_url("webhook", rest), Message.document)


def _lines(rest: str) -> Notifier:
    return Written(_path("lines", rest), Message.document)


def _cloud_events(rest: str) -> Notifier:
    if rest.startswith(("http://", "https://")):
        return Posted(rest, Message.cloud_event, ALL, "application/cloudevents+json")
    return Written(_path("cloudevents", rest), Message.cloud_event)


def _mail(rest: str) -> Notifier:
    parts = urlsplit(rest)
    asked = parse_qs(parts.query)
    sender, receivers = asked.get("from", []), asked.get("to", [])
    if parts.scheme not in ("smtp", "smtps") or not parts.hostname or len(sender) != 1 or not receivers:
        raise ConfigError("--notify", "mail", "write mail:smtp://host:port/?from=a@b&to=c@d")
    safe = parts.scheme == "smtps"
    return Mailed(parts.hostname, parts.port or (465 if safe else 25), sender[0], tuple(receivers), safe)


def _url(name: str, rest: str) -> str:
    if not rest.startswith(("http://", "https://")) or not urlsplit(rest).hostname:
        raise ConfigError("--notify", name, f"write {name}: and a URL that begins with https:// or http://")
    return rest


def _path(name: str, rest: str) -> Path:
    path = Path(rest)
    try:
        path.open("ab").close()
    except OSError as error:
        raise ConfigError("--notify", f"{name}:{rest}", f"give a file that can be written ({error.strerror})") from None
    return path


_OURS: dict[str, Callable[[str], Notifier]] = {
    "slack": _slack,
    "webhook": _webhook,
    "mail": _mail,
    "lines": _lines,
    "cloudevents": _cloud_events,
}


@cache
def _points() -> Mapping[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=GROUP)}


def _loaded(point: EntryPoint) -> Callable[[str], Notifier]:
    try:
        made: Callable[[str], Notifier] = point.load()
    except Exception as error:  # somebody else's code may raise anything
        raise ConfigError("--notify", point.name, f"mend its package: {told(error)}") from None
    return made
