"""The way to a coordinator, by HTTP: one of several, whichever leads. Agents call; nobody calls them."""

import http.client
import ssl
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import SplitResult

from penstock.core.addresses import place_in
from penstock.engines.applications.wire import MOST_BYTES
from penstock.errors import ConfigError, OutageError, PenstockError, in_a_line
from penstock.http_answers import Connection, SafeConnection

PATH = "/fleet/v1/report"
_ANSWERS_WITHIN_S = 5.0
# Which of them it is, is chance: told as three things, each report would have another one to tell.
_ENDED = (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError)
_REFUSALS = (400, 401, 403, 409, 413, 422)  # to ask another coordinator would not help


class RefusedReportError(PenstockError):
    """The coordinator understood, and will not have it: a wrong token, or another driver of that name."""


@dataclass(frozen=True, slots=True)
class AgentTls:
    """Certificates between an application and its coordinator, as PEM files.

    `authority` is who signed the coordinator's, where this machine does not trust it anyway; `certificate` and `key`
    are shown to a coordinator that asks for them.
    """

    authority: str | Path | None = None
    certificate: str | Path | None = None
    key: str | Path | None = None

    def context(self) -> ssl.SSLContext:
        """What connections are made with; a ConfigError where a file cannot be used."""
        found = ssl.create_default_context()
        if self.authority is not None:
            try:
                found = ssl.create_default_context(cafile=_file("--coordinator-ca", self.authority))
            except ssl.SSLError as error:
                raise _no_pem("--coordinator-ca", self.authority, error) from None
        if self.certificate is not None or self.key is not None:
            certificate = _file("--coordinator-certificate", self.certificate)
            key = _file("--coordinator-key", self.key)
            try:
                found.load_cert_chain(certificate, key, password="")  # or Python would ask the terminal for one
            except ssl.SSLError as error:
                raise _no_pem("--coordinator-certificate", self.certificate, error) from None
        return found


class Link:
    """Keeps a connection to the coordinator that answered last."""

    def __init__(
        self, urls: Sequence[str], token: str, within_s: float = _ANSWERS_WITHIN_S, tls: AgentTls = AgentTls()
    ) -> None:
        self._places = [_place(url) for url in urls]
        plain = next((place.geturl() for place in self._places if place.scheme != "https"), None)
        if plain is not None and tls != AgentTls():
            raise ConfigError("coordinator", plain, "write https://: certificates are given, which need it")
        self._tls = tls.context() if any(place.scheme == "https" for place in self._places) else None
        self._token = token
        self._within_s = within_s
        self._at = 0
        self._connection: http.client.HTTPConnection | None = None

    def say(self, raw: bytes) -> bytes:
        """The answer; an OutageError where none of them leads, a RefusedReportError where the one that does refuses."""
        said = ""
        for _ in self._places:
            try:
                return self._ask(raw)
            except _ENDED:
                said = f"{self._places[self._at].netloc}: the connection was ended without an answer"
            except (OSError, http.client.HTTPException) as error:
                said = f"{self._places[self._at].netloc}: {error or type(error).__name__}"
            except OutageError as error:
                said = str(error)
            self.close()
            self._at = (self._at + 1) % len(self._places)
        raise OutageError(f"no coordinator answers: {said}")

    def close(self) -> None:
        """Let go of the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _connected(self, place: SplitResult) -> http.client.HTTPConnection:
        host = place.hostname or ""
        if place.scheme == "https":
            return SafeConnection(host, place.port, timeout=self._within_s, context=self._tls)
        return Connection(host, place.port, timeout=self._within_s)

    def _ask(self, raw: bytes) -> bytes:
        kept = self._connection is not None
        try:
            return self._asked(raw)
        except _ENDED:
            # A connection that was kept may have been closed meanwhile: the report is sent again, with its number.
            self.close()
            if not kept:
                raise
            return self._asked(raw)

    def _asked(self, raw: bytes) -> bytes:
        place = self._places[self._at]
        if self._connection is None:
            self._connection = self._connected(place)
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        self._connection.request("POST", f"{place.path.rstrip('/')}{PATH}", raw, headers)
        response = self._connection.getresponse()
        body = response.read(MOST_BYTES + 1)
        if response.status == 200:
            return body
        text = in_a_line(body[:300].decode("utf-8", "replace").strip())
        if response.status in _REFUSALS:
            raise RefusedReportError(f"the coordinator at {place.netloc} refuses: {text or response.reason}")
        raise OutageError(f"{place.netloc}: {response.status} {text or response.reason}")


def _place(url: str) -> SplitResult:
    found = place_in(url, ("http", "https"))
    if found is None:
        raise ConfigError("coordinator", url, "write http://host:port or https://host:port, several with commas")
    return found


def _file(option: str, path: str | Path | None) -> str:
    if path is None or not Path(path).is_file():
        raise ConfigError(option, None if path is None else str(path), "give the path of a PEM file")
    return str(path)


def _no_pem(option: str, path: str | Path | None, error: ssl.SSLError) -> ConfigError:
    why = (error.reason or str(error)).lower().replace("_", " ")
    return ConfigError(option, str(path), f"it is no PEM file that will do ({why})")
