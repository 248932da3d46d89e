"""Routes that ask something of a controller or of the simulator, and the live feed."""

from typing import Annotated

from fastapi import Body, FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import StreamingResponse

from penstock.errors import ConfigError
from penstock.store.archive import StoreError
from penstock.web import what_if
from penstock.web.acting import ActIn, NotLiveError, ask
from penstock.web.asking import RunName
from penstock.web.shapes import AskedOut, WhatIfOut
from penstock.web.state import State
from penstock.web.what_if import WhatIfIn


def add(app: FastAPI, state: State) -> None:
    """Add them to the application."""

    @app.post("/api/control")
    def act(request: Request, asked: Annotated[ActIn, Body()], run: RunName = "last") -> AskedOut:
        """Leave a request on the controller's desk: it is heard at the start of its next cycle."""
        run_id = state.reader.find(run)
        number = ask(state.store, run_id, asked, _who(request, asked, state))
        return AskedOut(number, state.reader.control(run_id, may_act=True))

    @app.post("/api/what-if")
    def whatif(asked: Annotated[WhatIfIn, Body()], run: RunName = "last") -> WhatIfOut:
        """Simulate the present on, as it is and with changes, on the arrivals of the last minutes."""
        gallery = state.reader.gallery(state.reader.find(run))
        return what_if.answer(gallery, asked, state.settings.whatif_s)

    @app.get("/api/live", response_class=StreamingResponse, responses={200: {"content": {"text/event-stream": {}}}})
    async def live(run: RunName = "last") -> StreamingResponse:
        """Server-sent events named `news`: the present, the newest decisions and the controller, as they change."""
        if state.feed.full:
            raise HTTPException(503, "Too many watch already; close a page.")
        run_id = await run_in_threadpool(state.reader.find, run)
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        return StreamingResponse(state.feed.events(run_id), media_type="text/event-stream", headers=headers)


def status_of(error: Exception) -> int:
    """The status that says what kind of mistake it was."""
    if isinstance(error, NotLiveError):
        return 409
    if isinstance(error, StoreError):
        return 503
    # What is not there is asked for by its name; anything else is a value that will not do.
    return 404 if isinstance(error, ConfigError) and error.field in ("run", "job") else 422


def _who(request: Request, asked: ActIn, state: State) -> str:
    """The name that was given, and from where: the name is a courtesy, the address is a fact."""
    address = request.client.host if request.client else "somewhere"
    how = "operate token, " if state.sessions.required else ""
    return f"{asked.who.strip() or 'someone'} ({how}{address})"
