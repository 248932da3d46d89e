"""The server: the application on a port, in the foreground or beside a running controller."""

import asyncio
import contextlib
import logging
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace

import uvicorn

from penstock.errors import PenstockError
from penstock.store.sql import SqlStore
from penstock.threads import BesideThread
from penstock.web.app import create_app
from penstock.web.aside import Aside
from penstock.web.door import Attended, Door
from penstock.web.door_tls import door_tls
from penstock.web.kept_file import KeptFile, answered
from penstock.web.listening import refused
from penstock.web.reading import Reader
from penstock.web.seldom import seldom
from penstock.web.settings import WebSettings
from penstock.web.state import SiteState
from penstock.web.tokens import FIELD, Tokens, default_tokens, kept_tokens, tokens_at

_STOPS_WITHIN_S = 5.0

_log = logging.getLogger("penstock")

Say = Callable[[str], None]


class Site:
    """A site that listens from the moment it is made; `port` 0 takes a free one."""

    def __init__(self, store: SqlStore, settings: WebSettings, say: Say) -> None:
        door_tls(settings.tls_certificate, settings.tls_key)  # who is refused is shown no tokens before
        self._door = _listening(settings)
        self.settings = replace(settings, port=self._door.getsockname()[1])
        try:
            tokens = _tokens(settings, say)
        except BaseException:
            self._door.close()  # a port where nobody answers would be kept from the next site
            raise
        if settings.tokens_required and settings.tls_certificate is None:
            say("warning: without TLS (--tls-certificate, --tls-key) tokens and figures can be read on the way")
        app = create_app(store, self.settings, tokens)
        config = uvicorn.Config(
            Attended(app, self._door),
            loop="asyncio",  # the door is one that asyncio opens
            http="h11",  # which bounds what it keeps of a request that does not end
            ws="none",
            backlog=self._door.at_once,
            log_level="error",  # a warning is one about each request that makes no sense
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=2,
            ssl_certfile=settings.tls_certificate,
            ssl_keyfile=settings.tls_key,
        )
        self._state: SiteState = app.state.site
        self._server = _PagesServer(config, self._state, self._door)

    @property
    def aside(self) -> Aside:
        """Where what-if questions are answered."""
        return self._state.aside

    @property
    def url(self) -> str:
        """Where a browser finds it."""
        scheme = "http" if self.settings.tls_certificate is None else "https"
        host = f"[{self.settings.host}]" if ":" in self.settings.host else self.settings.host
        return f"{scheme}://{host}:{self.settings.port}/"

    def run(self) -> None:
        """Serve until Ctrl-C or SIGTERM."""
        with seldom("penstock.web", "uvicorn.error"):
            self._server.run(sockets=[self._door])

    @contextlib.contextmanager
    def beside(self) -> Iterator["Site"]:
        """Serve from a thread of its own while the block lasts."""
        thread = BesideThread(self.run, "penstock-web")
        thread.start()
        try:
            yield self
        finally:
            self._server.should_exit = True
            thread.join(_STOPS_WITHIN_S)


_PARTING_S = 0.05


class _PagesServer(uvicorn.Server):
    """Ends the feed before it stops: an event stream has no end of its own, and would be cancelled with a traceback."""

    def __init__(self, config: uvicorn.Config, state: SiteState, door: Door) -> None:
        super().__init__(config)
        self._state = state
        self._door = door

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Ctrl-C and SIGTERM end the serving and nothing else: whoever serves then puts its things away in order."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, and meanwhile read what the first visitor will ask for."""
        await super().startup(sockets)
        threading.Thread(target=_warmed, args=(self._state.reader,), name="penstock-web-warm", daemon=True).start()

    async def on_tick(self, counter: int) -> bool:
        """Ten times a second."""
        if counter % 10 == 0:
            self._door.let_go_silent()
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop listening and let everybody go."""
        self._state.end()
        await super().shutdown(sockets)
        for connection in self.server_state.connections:  # in the midst of a request, or of our answer to it
            if connection.transport is not None:
                connection.transport.abort()
        await asyncio.sleep(_PARTING_S)  # that takes the loop some turns


def _warmed(reader: Reader) -> None:
    try:
        reader.warm()
    except PenstockError as error:  # the first visitor will be told
        _log.debug("nothing could be read ahead: %s", error)


def _tokens(settings: WebSettings, say: Say) -> KeptFile[Tokens]:
    path = settings.tokens or default_tokens()
    _, shown = answered(FIELD, path, lambda: tokens_at(path, make=settings.tokens_required))
    if shown is not None:
        say(f"new tokens, shown this once (hashes in {path}):")
        say(f"  to read:    {shown.read}")
        say(f"  to operate: {shown.operate}")
    return kept_tokens(path)


def _listening(settings: WebSettings) -> Door:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listening = Door(family, settings.connections, settings.silent_s)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((settings.host, settings.port))
        listening.listen()  # who comes before the server has started waits, instead of being refused
    except OSError as error:
        listening.close()
        raise refused(error, settings.host, settings.port, "--host", "--port") from None
    return listening
