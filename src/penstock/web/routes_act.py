"""Routes that ask something of a controller or of the simulator, and the live feed."""

from collections.abc import Callable
from typing import Annotated

from fastapi import Body, FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from penstock.core.safe_text import visible
from penstock.core.seen.life import ControllerLife
from penstock.errors import ConfigError
from penstock.store.archive import StoreError
from penstock.web.acting import ActIn, NotLiveError, ask
from penstock.web.aside import AGAIN_S, FullError
from penstock.web.asking import RunName
from penstock.web.feed import Feed
from penstock.web.guard import refusal
from penstock.web.openapi import ACT, LOOK
from penstock.web.shapes_control import AskedOut
from penstock.web.shapes_simulated import WhatIfOut
from penstock.web.state import SiteState
from penstock.web.what_if import WhatIfIn

_ALL_SEATED, _LATER_S = "As many watch as can; close a page.", 5.0


def add(app: FastAPI, state: SiteState) -> None:
    """Add them to the application."""

    @app.post("/api/control", tags=[ACT])
    def act(request: Request, asked: Annotated[ActIn, Body()], run: RunName = "last") -> AskedOut:
        """Leave a request on the controller's desk: it is heard at the start of its next cycle."""
        run_id = state.reader.find(run)
        life = ControllerLife(state.reader.control(run_id).life)
        number = ask(state.store, run_id, asked, _who(request, asked, state), life)
        return AskedOut(number, state.reader.control(run_id, may_act=True))

    @app.post("/api/what-if", tags=[ACT], response_model=WhatIfOut)
    def whatif(asked: Annotated[WhatIfIn, Body()], run: RunName = "last") -> Response:
        """Simulate the present on, as it is and with changes, on the arrivals of the last minutes.

        One question is answered at a time and few wait; 503 with `Retry-After` beyond that.
        """
        try:
            found = state.aside.answer(state.reader.find(run), asked, state.settings.whatif_s)
        except FullError as error:
            return refusal(503, str(error), AGAIN_S)
        return Response(found, media_type="application/json")

    @app.get(
        "/api/live",
        tags=[LOOK],
        response_class=StreamingResponse,
        responses={200: {"content": {"text/event-stream": {}}}},
    )
    async def live(request: Request, run: RunName = "last") -> StreamingResponse:
        """Server-sent events named `news`: the present, the newest decisions and the controller, as they change.

        `trouble` says why there are none, with a `message` and what to do (`remedy`); `life` that the server is there.
        """
        found = await run_in_threadpool(state.reader.find, run)
        return _Stream(state.feed, found, lambda: state.sessions.role_of(request) != "none")


class _Stream(StreamingResponse):
    """The events of a run, for whom there is a seat: taken where the answer begins and given back where it ends."""

    def __init__(self, feed: Feed, run_id: str, may_watch: Callable[[], bool]) -> None:
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        super().__init__(feed.events(run_id, may_watch), media_type="text/event-stream", headers=headers)
        self._feed = feed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._feed.seat() as seated:
            await (super().__call__ if seated else refusal(503, _ALL_SEATED, _LATER_S))(scope, receive, send)


def status_of(error: Exception) -> int:
    """The status that says what kind of mistake it was."""
    if isinstance(error, NotLiveError):
        return 409
    if isinstance(error, StoreError):
        return 503
    # What is not there is asked for by its name; anything else is a value that cannot be used.
    return 404 if isinstance(error, ConfigError) and error.field in ("run", "job") else 422


def _who(request: Request, asked: ActIn, state: SiteState) -> str:
    """The name that was given, and from where: the name is a courtesy, the address is a fact."""
    address = request.client.host if request.client else "somewhere"
    how = "operate token, " if state.sessions.required else ""
    return f"{visible(asked.who.strip()) or 'someone'} ({how}{address})"
