"""The way to a coordinator, by HTTP: one of several, whichever leads. Agents call; nobody calls them."""

import http.client
import ssl
from collections.abc import Sequence
from urllib.parse import SplitResult, urlsplit

from penstock.engines.applications.wire import MOST_BYTES
from penstock.errors import ConfigError, OutageError, PenstockError

PATH = "/fleet/v1/report"
_ANSWERS_WITHIN_S = 5.0
_REFUSALS = (400, 401, 403, 409, 413, 422)  # to ask another coordinator would not help


class RefusedReportError(PenstockError):
    """The coordinator understood, and will not have it: a wrong token, or another driver of that name."""


class Link:
    """Keeps a connection to the coordinator that answered last."""

    def __init__(self, urls: Sequence[str], token: str, within_s: float = _ANSWERS_WITHIN_S) -> None:
        self._places = [_place(url) for url in urls]
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

    def _ask(self, raw: bytes) -> bytes:
        kept = self._connection is not None
        try:
            return self._asked(raw)
        except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError):
            # A connection that was kept may have been closed meanwhile: the report is sent again, with its number.
            self.close()
            if not kept:
                raise
            return self._asked(raw)

    def _asked(self, raw: bytes) -> bytes:
        place = self._places[self._at]
        if self._connection is None:
            self._connection = _connection(place, self._within_s)
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        self._connection.request("POST", f"{place.path.rstrip('/')}{PATH}", raw, headers)
        response = self._connection.getresponse()
        body = response.read(MOST_BYTES + 1)
        if response.status == 200:
            return body
        text = body[:300].decode("utf-8", "replace").strip()
        if response.status in _REFUSALS:
            raise RefusedReportError(f"the coordinator at {place.netloc} refuses: {text or response.reason}")
        raise OutageError(f"{place.netloc}: {response.status} {text or response.reason}")


def _place(url: str) -> SplitResult:
    found = urlsplit(url)
    if found.scheme not in ("http", "https") or not found.hostname:
        raise ConfigError("coordinator", url, "write http://host:port or https://host:port, several with commas")
    return found


def _connection(place: SplitResult, within_s: float) -> http.client.HTTPConnection:
    host = place.hostname or ""
    if place.scheme == "https":
        return http.client.HTTPSConnection(host, place.port, timeout=within_s, context=ssl.create_default_context())
    return http.client.HTTPConnection(host, place.port, timeout=within_s)
