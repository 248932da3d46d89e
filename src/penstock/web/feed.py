"""The feed: server-sent events, one look at the store for all who watch a run."""

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from typing import Any

from penstock.errors import PenstockError, told
from penstock.store.archive import StoreError

KEPT = 4  # events that wait for a slow watcher; older ones are of no use to it
SIGN_OF_LIFE_S = 2.0  # a page that hears nothing for a few of these says that the server is gone

SLOW_S = 5.0  # a store that keeps silent for so long cannot be read, as far as who watches is concerned

_log = logging.getLogger("penstock")

LookAgain = Callable[[str, Any], tuple[Any, dict[str, Any]] | None]


@dataclass(slots=True)
class _WatchedRun:
    """One run that somebody watches."""

    watchers: set["asyncio.Queue[str | None]"] = field(default_factory=set)
    task: "asyncio.Task[None] | None" = None
    last: str | None = None

    def tell(self, text: str) -> None:
        """To all who watch, and to who comes later."""
        self.last = text
        for queue in self.watchers:
            _offer(queue, text)


class Feed:
    """Polls a run while somebody watches it. `look(run, mark)` gives a new mark and the news since, or None.

    Whoever watches takes a seat first: `most` of them there are.
    """

    def __init__(self, look: LookAgain, poll_s: float, most: int) -> None:
        self._look = look
        self._poll_s = poll_s
        self._most = most
        self._runs: dict[str, _WatchedRun] = {}
        self._seated = 0
        self._over = False

    @contextmanager
    def seat(self) -> Iterator[bool]:
        """A seat for as long as the block lasts; False where all are taken."""
        if self._seated >= self._most:
            yield False
            return
        self._seated += 1
        try:
            yield True
        finally:
            self._seated -= 1

    def end(self) -> None:
        """Let all watchers go, and take no more: a site that stops waits for its open streams."""
        self._over = True
        for watched in self._runs.values():
            for queue in watched.watchers:
                _offer(queue, None)

    def again(self) -> None:
        """After an end: take watchers, of another event loop."""
        self._runs = {}
        self._over = False

    async def events(self, run_id: str, may_watch: Callable[[], bool]) -> AsyncGenerator[str, None]:
        """The events for one watcher, as text for the wire, until it leaves or may not watch any more."""
        watched = self._runs.setdefault(run_id, _WatchedRun())
        queue: asyncio.Queue[str | None] = asyncio.Queue(KEPT)
        watched.watchers.add(queue)
        try:
            if watched.last is not None:
                queue.put_nowait(watched.last)
            if watched.task is None:
                watched.task = asyncio.create_task(self._poll(run_id, watched))
            yield "retry: 1000\n\n"
            while not self._over:
                text = await _next(queue)
                if not may_watch():
                    return
                if text is not None:
                    yield text
        finally:
            watched.watchers.discard(queue)
            if not watched.watchers and watched.task is not None:
                watched.task.cancel()
                self._runs.pop(run_id, None)

    async def _poll(self, run_id: str, watched: _WatchedRun) -> None:
        mark: Any = None
        said = ""
        while True:
            try:
                news = await self._looked(run_id, mark, watched)
                if news is not None:
                    told_now, body = news
                    watched.tell(event("news", body))
                    mark = told_now
                said = ""
            except Exception as error:  # whatever it was: one look that failed must not be the last
                before, said = said, _tell(error, said)
                mark = None  # whatever is there once it can be read again is news
                if said != before:
                    watched.tell(trouble(error))
            await asyncio.sleep(self._poll_s)

    async def _looked(self, run_id: str, mark: Any, watched: _WatchedRun) -> tuple[Any, dict[str, Any]] | None:
        """The news; who watches is told when they are long in coming: what is shown meanwhile is of another time."""
        look = asyncio.ensure_future(asyncio.to_thread(self._look, run_id, mark))
        await asyncio.wait({look}, timeout=SLOW_S)
        if look.done():
            return look.result()
        message = f"The store has not answered for {SLOW_S:g} s."
        watched.tell(event("trouble", {"message": message, "remedy": "See whether its disk, or its server, is well."}))
        await look
        return await asyncio.to_thread(self._look, run_id, None)


def event(name: str, body: dict[str, Any]) -> str:
    """An event as it goes over the wire.

    >>> event("news", {"a": None})
    'event: news\\ndata: {"a":null}\\n\\n'
    """
    return f"event: {name}\ndata: {json.dumps(body, separators=(',', ':'), allow_nan=False)}\n\n"


def trouble(error: Exception) -> str:
    """The event that says why there are no news, and what to do: in our own words, or that the log has them."""
    ours = isinstance(error, PenstockError)
    remedy = error.remedy if isinstance(error, StoreError) else None
    message = str(error) if ours else "Something failed here; the server's log says what."
    return event("trouble", {"message": message, "remedy": remedy})


def plain(value: Any) -> Any:
    """A shape of the API as plain values."""
    return asdict(value)


def _tell(error: Exception, said: str) -> str:
    """Once for as long as it goes on: there is a look every half second."""
    text = told(error)
    if text != said:
        _log.warning("%s; the pages wait", text, exc_info=None if isinstance(error, PenstockError) else error)
    return text


async def _next(queue: "asyncio.Queue[str | None]") -> str | None:
    with suppress(TimeoutError):
        return await asyncio.wait_for(queue.get(), SIGN_OF_LIFE_S)
    return event("life", {})  # an event, since a script hears nothing of comments


def _offer(queue: "asyncio.Queue[str | None]", text: str | None) -> None:
    if queue.full():
        queue.get_nowait()
    queue.put_nowait(text)
