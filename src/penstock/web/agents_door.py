"""Where agents report: one path, a token for each application, on a port of its own beside the pages.

It is no part of the pages' application: agents are programs that speak every few seconds, and what guards browsers
(sessions, rates, hosts) would only cost them. Whoever has a token may report for the applications that it names, reads
the orders for these, and nothing else.

    opened --> listens -- its server ends, whatever it was --> shut: nobody is heard --> opened again, at the same port
                  ^                                                                          |
                  +--------------------------------------------------------------------------+
"""

import hashlib
import json
import logging
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Any, cast

import uvicorn

from penstock.engines.applications.engine import NotLeadingError
from penstock.engines.applications.joining import AnotherDriverError
from penstock.engines.applications.link import PATH
from penstock.engines.applications.wire import Report, WireError, read_report
from penstock.errors import ConfigError, OutageError, PenstockError, told, unreachable
from penstock.store.open import default_path
from penstock.store.sqlite_file import alone_in
from penstock.threads import BesideThread
from penstock.web.door import Door, Peer
from penstock.web.door_tls import DoorTls
from penstock.web.kept_file import FRESH_S, KeptFile, written_whole
from penstock.web.listening import family_of, listen
from penstock.web.promptness import prompt
from penstock.web.reports_protocol import REPORTS_LOG, ReportAnswer, ReportsProtocol, TakesBody, Unfinished
from penstock.web.request_head import Head
from penstock.web.seldom import seldom
from penstock.web.until_over import UntilOver

TOKENS_OPTION = "--agent-tokens"
_STOPS_WITHIN_S = 5.0
_AGAIN_EVERY_S = 1.0
_MOST, _SHARE = 8192, 2  # connections: one for each agent, in half of the descriptors that the process may have
_SILENT_S = 75.0  # after which a connection is let go: an agent that is told to report more seldom makes another

_log = logging.getLogger("penstock.fleet")


@dataclass(frozen=True, slots=True)
class AgentTokens:
    """Hashes of tokens, each with the pattern of the applications that it is for."""

    patterns: Mapping[str, str]

    def pattern_of(self, header: str) -> str | None:
        """The applications that the bearer may report for; None for no token of ours."""
        scheme, _, token = header.partition(" ")
        if scheme.lower() != "bearer":
            return None
        # Found by its hash: how long that takes tells nothing of a token, and a fleet may have a thousand of them.
        return self.patterns.get(_hash(token))


def agent_tokens(path: Path) -> AgentTokens:
    """The tokens in that file; none where there is no file."""
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        return AgentTokens({str(known): str(pattern) for known, pattern in kept.items()})
    except FileNotFoundError:
        return AgentTokens({})
    except PermissionError as error:
        raise unreachable(error, TOKENS_OPTION) from None
    except (OSError, ValueError, AttributeError, RecursionError):
        raise ConfigError(TOKENS_OPTION, str(path), "it holds no tokens of agents; give another path") from None


def tokens_beside_runs() -> Path:
    """Where the hashes of agents' tokens are, unless somebody says otherwise."""
    return default_path().with_name("agent-tokens.json")


def fresh_tokens(path: Path, fresh_s: float = FRESH_S) -> KeptFile[AgentTokens]:
    """The tokens in the file: one that is made counts a moment later, one that is taken out no more.

    While the file is damaged, as in the midst of being edited, or its file system stands still, those count that were
    known: no fleet stops for it.
    """

    def read(known: AgentTokens | None) -> AgentTokens:
        try:
            return agent_tokens(path)
        except ConfigError as error:
            if known is None:
                raise
            _log.warning("%s; until then the tokens count that were in it before", error)
            return known

    return KeptFile(path, TOKENS_OPTION, read, _log, fresh_s)


def new_agent_token(path: Path, pattern: str) -> str:
    """A new token for the applications of that pattern, such as `fraud` or `team-a/*`; only its hash is kept."""
    if not pattern or len(pattern) > 200 or any(letter.isspace() for letter in pattern):
        raise ConfigError("--new-token", pattern, "write an application's name, or a pattern such as team-a/*")
    token = f"agent-{secrets.token_urlsafe(32)}"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with alone_in(path.parent):  # two that add one each would lose one
            kept = {**agent_tokens(path).patterns, _hash(token): pattern}
            with written_whole(path, json.dumps(kept, indent=2)) as whole:
                whole.replace(path)
    except OSError as error:
        raise ConfigError(TOKENS_OPTION, str(path), f"give a path that can be written ({error.strerror})") from None
    return token


@dataclass(frozen=True, slots=True)
class _Shut:
    """Nobody is heard since then, and why."""

    since_s: float
    why: str


class AgentsDoor:
    """Listens from the moment it is made; `port` 0 takes a free one. `hear` answers a report."""

    def __init__(
        self,
        hear: Callable[[Report], bytes],
        tokens: Callable[[], AgentTokens],
        host: str = "127.0.0.1",
        port: int = 0,
        tls: DoorTls | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._hear = hear
        self._tokens = tokens
        self._clock = clock
        self._socket = _listening(host, port)
        self._place = host, int(self._socket.getsockname()[1])
        self.silent_s = self._socket.silent_s
        self.unfinished = Unfinished()
        self._scheme = "http" if tls is None else "https"
        self._config = uvicorn.Config(
            cast(Any, self),  # of our own protocol, which asks it
            interface="asgi3",
            http=ReportsProtocol,
            loop="asyncio",  # the door is one that asyncio opens
            backlog=self._socket.at_once,
            ws="none",
            lifespan="off",
            log_level="error",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=1,
            **({} if tls is None else tls.config()),
        )
        self._over = threading.Event()
        self._shut: _Shut | None = None
        self._was_shut: deque[str] = deque(maxlen=1)
        self._thread = BesideThread(self._run, "penstock-agents-door")

    @property
    def shut_s(self) -> float:
        """For how long nobody has been heard; 0 while it listens."""
        shut = self._shut
        return 0.0 if shut is None else self._clock() - shut.since_s

    @property
    def url(self) -> str:
        """Where agents find it."""
        host, port = self._place
        return f"{self._scheme}://[{host}]:{port}" if ":" in host else f"{self._scheme}://{host}:{port}"

    def troubles(self) -> tuple[str, ...]:
        """That nobody is heard, or was not for a while since this was asked last, in words."""
        past = tuple(self._was_shut.popleft() for _ in range(len(self._was_shut)))
        shut = self._shut
        now = () if shut is None else (f"no agent has been heard for {self.shut_s:.0f} s: {shut.why}",)
        return (*past, *now)

    @contextmanager
    def open(self) -> Iterator["AgentsDoor"]:
        """Listen while the block lasts, and answer promptly whatever else this process computes."""
        with prompt():
            self._thread.start()
            try:
                yield self
            finally:
                self._over.set()
                self._thread.join(_STOPS_WITHIN_S)

    def close(self) -> None:
        """Let go of its port, also where it was never opened."""
        self._socket.close()

    def _run(self) -> None:
        with seldom(REPORTS_LOG):  # a fault that one report meets, hundreds a second may meet
            why = self._listened()
            while not self._over.is_set():
                self._note_shut(f"the server for agents has ended ({why})")
                why = self._listened_again()

    def _listened(self) -> str:
        """Answer until somebody closes the door; else what ended it, in words."""
        server = UntilOver(self._config, self._over, self._note_open)
        try:
            server.run(sockets=[self._socket])
        except (Exception, SystemExit) as error:  # it did not come to listen
            return told(error)
        finally:
            self._socket.close()
        return server.ended

    def _listened_again(self) -> str:
        """The same, once its port can be listened on again."""
        while not self._over.wait(_AGAIN_EVERY_S):
            try:
                self._socket = _listening(*self._place)
            except (ConfigError, OSError) as error:  # the port is another's, or no descriptor is left
                self._note_shut(told(error))
            else:
                self.unfinished = Unfinished()  # nobody goes on with what is in the old one
                return self._listened()
        return ""

    def _note_shut(self, why: str) -> None:
        before = self._shut
        if before is None or before.why != why:
            self._shut = _Shut(self._clock() if before is None else before.since_s, why)
            _log.error("no agent is heard: %s; the door is opened again", why)

    def _note_open(self) -> None:
        shut = self._shut
        if shut is not None:
            self._was_shut.append(f"no agent was heard for {self.shut_s:.0f} s: {shut.why}")
            self._shut = None
            _log.warning("agents are heard again at %s", self.url)

    def asked(self, head: Head) -> ReportAnswer | TakesBody:
        """The answer to whoever does not report; whoever may is heard."""
        if head.path == "/health":
            return 200, b'"listens"'
        if head.path != PATH or head.method != "POST":
            return 404, f"agents report by POST to {PATH}".encode()
        pattern = self._tokens().pattern_of(head.authorization)
        if pattern is None:
            return 401, b"a token is needed: Authorization: Bearer <token>; see penstock coordinate --new-token"
        return partial(self._heard, pattern)

    def of_use(self, peer: Peer) -> None:
        """An agent reports over that connection: where there are too many, those go first that were silent longer."""
        self._socket.of_use(peer)

    def _heard(self, pattern: str, raw: bytes) -> ReportAnswer:
        try:
            report = read_report(raw)
            if not fnmatchcase(report.application, pattern):
                return 403, f"this token is for {pattern}, not for {report.application}".encode()
            return 200, self._hear(replace(report, whose=pattern))
        except WireError as error:
            return 400, str(error).encode()
        except AnotherDriverError as error:
            return 409, str(error).encode()
        except (NotLeadingError, OutageError) as error:
            return 503, str(error).encode()
        except PenstockError as error:
            return 422, str(error).encode()


def _listening(host: str, port: int) -> Door:
    found = Door(family_of(host), _MOST, _SILENT_S, share=_SHARE)
    listen(found, host, port, "--agents-host", "--agents-port")
    return found


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
