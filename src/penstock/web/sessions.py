"""Who asks: a token in a header, a session in a cookie, or, on loopback, a user of this machine."""

import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

from starlette.requests import HTTPConnection

from penstock.web.tokens import Role, Tokens, hash_of

COOKIE = "penstock_session"
LASTS_S = 12 * 3600.0
KEPT = 1000


class Sessions:
    """Sessions live in this process; a restart ends them all. One whose token counts no more is over, too."""

    def __init__(self, tokens: Callable[[], Tokens], required: bool) -> None:
        self._tokens = tokens
        self.required = required
        self._lock = Lock()
        self._open: OrderedDict[str, tuple[str, float]] = OrderedDict()  # the hash of its token, and until when

    def begin(self, token: str) -> tuple[Role, str]:
        """A new session for the bearer of that token; role `none` when it is not one of ours."""
        role = self._tokens().role_of(token)
        session = secrets.token_urlsafe(32)
        if role != "none":
            with self._lock:
                self._open[session] = (hash_of(token), time.monotonic() + LASTS_S)
                while len(self._open) > KEPT:
                    self._open.popitem(last=False)
        return role, session

    def end(self, session: str) -> None:
        """Forget it."""
        with self._lock:
            self._open.pop(session, None)

    def role_of(self, connection: HTTPConnection) -> Role:
        """What whoever asks may do."""
        scheme, _, token = connection.headers.get("authorization", "").partition(" ")
        if scheme:
            return self._tokens().role_of(token) if scheme.lower() == "bearer" else "none"
        session = connection.cookies.get(COOKIE)
        with self._lock:
            kept, until_s = self._open.get(session or "", ("", 0.0))
        role: Role = "none" if time.monotonic() >= until_s else self._tokens().role_of_hash(kept)
        if role != "none":
            return role
        return "none" if self.required else "operate"
