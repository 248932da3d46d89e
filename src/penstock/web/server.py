"""The server: the application on a port, in the foreground or beside a running controller.

In the foreground the process ends with its server. Beside a controller nobody would miss it for days:

    opened --> answers -- its server ends, whatever it was --> gone --> begun again, at the same port
                  ^                                                        |
                  +--------------------------------------------------------+
"""

import asyncio
import contextlib
import logging
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace

import uvicorn

from penstock.errors import OutageError, PenstockError, told
from penstock.store.sql import SqlStore
from penstock.threads import BesideThread
from penstock.web.absence import Absence
from penstock.web.app import create_app
from penstock.web.aside import Aside
from penstock.web.door import Attended, Door
from penstock.web.door_tls import door_tls
from penstock.web.kept_file import KeptFile, answered
from penstock.web.listening import family_of, listen
from penstock.web.reading import Reader
from penstock.web.seldom import seldom
from penstock.web.settings import WebSettings
from penstock.web.state import SiteState
from penstock.web.tokens import FIELD, Tokens, default_tokens, kept_tokens, tokens_at
from penstock.web.until_over import UntilOver

_STOPS_WITHIN_S = 5.0
_REPEAT_THEMSELVES = ("penstock.web", "uvicorn.error")  # logs, where many ask the same

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
        self._app = create_app(store, self.settings, tokens)
        self._state: SiteState = self._app.state.site
        self._over = threading.Event()

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
        """Serve until Ctrl-C or SIGTERM; an OutageError where anything else ends it."""
        with seldom(*_REPEAT_THEMSELVES):
            why = self._served(lambda: None)
        if why:
            raise OutageError(f"the server of the pages has ended ({why}); start it again")

    @contextlib.contextmanager
    def beside(self, tell: Say = lambda text: None) -> Iterator["Site"]:
        """Serve from a thread of its own while the block lasts; `tell` hears that the pages are gone, or were."""
        thread = BesideThread(self._serve_on, "penstock-web", (Absence(tell),))
        thread.start()
        try:
            yield self
        finally:
            self._over.set()
            thread.join(_STOPS_WITHIN_S)

    def _serve_on(self, absence: Absence) -> None:
        def begun() -> None:
            absence.ends(self.url)

        with seldom(*_REPEAT_THEMSELVES):
            why = self._served(begun)
            while not self._over.is_set():
                absence.goes_on(f"their server has ended ({why})")
                why = self._served_again(absence, begun)

    def _served_again(self, absence: Absence, begun: Callable[[], None]) -> str:
        """Answer once more, as soon as the port can be listened on."""
        while not self._over.wait(absence.wait_s()):
            try:
                self._door = _listening(self.settings)
            except (PenstockError, OSError) as error:  # the port is another's, or no descriptor is left
                absence.goes_on(told(error))
            else:
                self._state.again()
                return self._served(begun)
        return ""

    def _served(self, begun: Callable[[], None]) -> str:
        """Answer until somebody ends it; else what ended it, in words."""
        try:
            server = _PagesServer(self._config(), self._state, self._door, self._over, begun)
            server.run(sockets=[self._door])
        except (Exception, SystemExit, asyncio.CancelledError) as error:  # it did not come to listen, or to an end
            return told(error)
        finally:
            self._door.let_all_go()
            self._door.close()
        return "" if server.should_exit or self._over.is_set() else server.ended

    def _config(self) -> uvicorn.Config:
        return uvicorn.Config(
            Attended(self._app, self._door),
            loop="asyncio",  # the door is one that asyncio opens
            http="h11",  # which bounds what it keeps of a request that does not end
            ws="none",
            backlog=self._door.at_once,
            log_level="error",  # a warning is one about each request that makes no sense
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=2,
            ssl_certfile=self.settings.tls_certificate,
            ssl_keyfile=self.settings.tls_key,
        )


_PARTING_S = 0.05


class _PagesServer(UntilOver):
    """Ends the feed before it stops: an event stream has no end of its own, and would be cancelled with a traceback."""

    def __init__(
        self, config: uvicorn.Config, state: SiteState, door: Door, over: threading.Event, begun: Callable[[], None]
    ) -> None:
        super().__init__(config, over, begun)
        self._state = state
        self._door = door

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, say so, and meanwhile read what the first visitor will ask for."""
        await super().startup(sockets)
        threading.Thread(target=_warmed, args=(self._state.reader,), name="penstock-web-warm", daemon=True).start()

    async def on_tick(self, counter: int) -> bool:
        """Ten times a second: whether it ends."""
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
    listening = Door(family_of(settings.host), settings.connections, settings.silent_s)
    listen(listening, settings.host, settings.port, "--host", "--port")
    return listening
