"""The guard before every request: right host, same site, not too fast, not too large, allowed; and careful headers."""

import math
import time
from collections.abc import Callable

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from penstock.core.addresses import place_in
from penstock.web.rates import RateLimit
from penstock.web.sessions import Sessions
from penstock.web.settings import LOOPBACK_NAMES, WebSettings
from penstock.web.tokens import Role

MAX_BODY = 64 * 1024
SAFE = ("GET", "HEAD", "OPTIONS")
PRIVATE = ("/api/", "/metrics")
PROBES = ("/health", "/ready")
_CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "content-security-policy": _CSP,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}


def refusal(status: int, message: str, wait_s: float = 0.0, remedy: str | None = None) -> Response:
    """An answer that says no, what to do about it, and after how long to ask again."""
    again = {"retry-after": str(math.ceil(wait_s))} if wait_s > 0 else None
    return JSONResponse({"message": message, "field": None, "remedy": remedy}, status, again)


class Guard:
    """ASGI middleware around the whole application."""

    def __init__(
        self, app: ASGIApp, settings: WebSettings, sessions: Sessions, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._app = app
        self._settings = settings
        self._sessions = sessions
        self._reads = RateLimit(settings.reads, clock)
        self._acts = RateLimit(settings.acts, clock)
        self._logins = RateLimit(settings.logins, clock)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                _careful(MutableHeaders(scope=message), scope["path"])
            await send(message)

        refused = self._refusal(HTTPConnection(scope), scope["method"], scope["path"])
        await (refused or self._app)(scope, _bounded(receive), send_with_headers)

    def _refusal(self, connection: HTTPConnection, method: str, path: str) -> Response | None:
        named = place_in(f"//{connection.headers.get('host', '')}")
        host = (named and named.hostname) or ""
        if path not in PROBES and not self._known_host(host):  # who probes knows an address, and no name
            return refusal(421, f"This server does not answer for {host or 'no host'!r}.")
        if not _same_site(connection) and not _only_looks(connection, method, path):
            # The user whose browser asks for it pays nothing for that: it counts nowhere.
            return refusal(403, "This is for this site's own pages, and for programs.")
        wait_s = self._wait_s(connection, method, path)
        if wait_s > 0:
            return refusal(429, "Too many requests; wait a moment.", wait_s)
        if method not in SAFE and _length(connection) > MAX_BODY:
            return refusal(413, f"A request may hold {MAX_BODY} bytes.")
        return self._unless_allowed(self._sessions.role_of(connection), method, path)

    def _unless_allowed(self, role: Role, method: str, path: str) -> Response | None:
        if not path.startswith(PRIVATE) or path == "/api/session":
            return None
        # A what-if changes nothing: whoever may read may ask it.
        reads = method in SAFE or path == "/api/what-if"
        if role == "operate" or (role == "read" and reads):
            return None
        if role == "read":
            return refusal(403, "The read token does not allow this; the operate token does.")
        response = refusal(401, "A token is needed: Authorization: Bearer <token>.")
        response.headers["www-authenticate"] = "Bearer"
        return response

    def _known_host(self, host: str) -> bool:
        if self._settings.allowed_hosts:
            return host in self._settings.allowed_hosts
        # Beyond loopback the tokens keep strangers out; on it, only the name can tell a rebound one.
        return self._settings.tokens_required or host in LOOPBACK_NAMES or host == self._settings.host

    def _wait_s(self, connection: HTTPConnection, method: str, path: str) -> float:
        address = connection.client.host if connection.client else "unknown"
        if not _same_site(connection):  # a link to the page, or a foreign page that asks for it over and over
            address += " from elsewhere"
        if path == "/api/session" and method == "POST":
            return self._logins.wait_s(address)
        return (self._reads if method in SAFE else self._acts).wait_s(address)


def _same_site(connection: HTTPConnection) -> bool:
    if connection.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return False
    origin = connection.headers.get("origin")
    if origin is None:
        return True
    place = place_in(origin)
    return place is not None and place.netloc == connection.headers.get("host")


def _only_looks(connection: HTTPConnection, method: str, path: str) -> bool:
    """Whether it is a link that somebody follows, or a part of the page that is the same for all."""
    follows = connection.headers.get("sec-fetch-mode") == "navigate"
    return method in SAFE and (follows or not path.startswith(PRIVATE))


def _length(connection: HTTPConnection) -> int:
    given = connection.headers.get("content-length", "0")
    return int(given) if given.isdecimal() and len(given) < 16 else MAX_BODY + 1


def _bounded(receive: Receive) -> Receive:
    """A body without a length is cut off where it gets too long."""
    left = MAX_BODY

    async def bounded() -> Message:
        nonlocal left
        message = await receive()
        left -= len(message.get("body", b""))
        return message if left >= 0 else {"type": "http.disconnect"}

    return bounded


def _careful(headers: MutableHeaders, path: str) -> None:
    for name, value in _HEADERS.items():
        headers[name] = value
    if path.startswith("/assets/"):
        headers["cache-control"] = "public, max-age=31536000, immutable"  # their names change with their content
    elif "cache-control" not in headers:
        headers["cache-control"] = "no-store" if path.startswith((*PRIVATE, *PROBES)) else "no-cache"
