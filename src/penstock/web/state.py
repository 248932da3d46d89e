"""What the routes share."""

from dataclasses import dataclass

from starlette.requests import HTTPConnection

from penstock.store.sql import SqlStore
from penstock.web.aside import Aside
from penstock.web.feed import Feed
from penstock.web.reading import Reader
from penstock.web.sessions import Sessions
from penstock.web.settings import WebSettings
from penstock.web.simulated import Simulated


@dataclass(frozen=True, slots=True)
class SiteState:
    """One site: its store, its settings, and those who look."""

    store: SqlStore
    settings: WebSettings
    reader: Reader
    sessions: Sessions
    feed: Feed
    aside: Aside
    simulated: Simulated

    def end(self) -> None:
        """Let those go who watch, and end what runs aside."""
        self.feed.end()
        self.aside.end()

    def again(self) -> None:
        """After an end: others may watch, and what runs aside may be started."""
        self.feed.again()
        self.aside.again()

    def may_act(self, connection: HTTPConnection) -> bool:
        """Whether whoever asks may ask a controller for something."""
        return self.sessions.role_of(connection) == "operate"
