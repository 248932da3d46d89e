"""The application: the API's routes, errors as one kind of answer, the pages, and the guard around all of it."""

import logging
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse
from pydantic_core import PydanticSerializationError
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.staticfiles import StaticFiles
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from penstock.config.fields import OURS
from penstock.config.words import FieldError, remedy_of
from penstock.errors import ABSENT, ConfigError, PenstockError, first_line
from penstock.store.archive import StoreError, UnreadableError
from penstock.store.sql import SqlStore
from penstock.web import routes_act, routes_decisions, routes_probes, routes_read, routes_session, routes_simulated
from penstock.web.aside import Aside
from penstock.web.feed import Feed, plain
from penstock.web.guard import Guard
from penstock.web.live import LiveLook
from penstock.web.openapi import ERRORS, TAGS, ErrorOut, describe
from penstock.web.reading import Reader
from penstock.web.sessions import Sessions
from penstock.web.settings import WebSettings
from penstock.web.simulated import Simulated
from penstock.web.state import SiteState
from penstock.web.tokens import Tokens

STATIC = Path(__file__).with_name("static")
SENT_ALONG = ", ".join(
    f"</api/{path}>; rel=preload; as=fetch; crossorigin" for path in ("session", "overview?run=last")
)
ABOUT = (
    "What penstock sees and does, and how to ask a running controller for something. Beyond loopback every request "
    "carries `Authorization: Bearer <token>`: the read token to look, the operate token to act. Times named `_s` count "
    "from the start of the run; what could not be measured is null."
)

_log = logging.getLogger("penstock.web")


def create_app(store: SqlStore, settings: WebSettings, tokens: Callable[[], Tokens]) -> FastAPI:
    """The whole site over one store."""
    reader = Reader(store, settings.runs_before)
    sessions = Sessions(tokens, settings.tokens_required)
    app = FastAPI(
        title="penstock",
        version=version("penstock"),
        description=ABOUT,
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        responses=ERRORS,
        openapi_tags=TAGS,
    )
    feed = Feed(LiveLook(reader), settings.poll_s, settings.watchers)
    aside = Aside(store.database.target)
    simulated = Simulated(aside, settings.whatif_s)
    state = SiteState(store, settings, reader, sessions, feed, aside, simulated)
    app.state.site = (
        state  # for the server, which warms the reader, and ends what goes on before it waits for those who watch
    )
    _add_errors(app)
    for routes in (routes_read, routes_decisions, routes_simulated, routes_probes):
        app.router.routes.extend(routes.router.routes)  # as they are: included ones would be made again for each site
    routes_act.add(app, state)
    routes_session.add(app, state)
    describe(app, settings.tokens_required)
    if STATIC.is_dir():
        _add_first_page(app, state)
        app.mount("/", StaticFiles(directory=STATIC, html=True), name="pages")
    app.add_middleware(GZipMiddleware, minimum_size=2000, compresslevel=4)
    app.add_middleware(Guard, settings=settings, sessions=sessions)
    if settings.proxies:  # then each of their clients is somebody, to the limits and in the audit log
        app.add_middleware(ProxyHeadersMiddleware, trusted_hosts=sorted(settings.proxies))
    return app


def _add_first_page(app: FastAPI, state: SiteState) -> None:
    @app.get("/", include_in_schema=False)
    def first_page(request: Request) -> FileResponse:
        """The page; whoever may read has its figures sent along, while the browser still reads the scripts."""
        allowed = state.sessions.role_of(request) != "none"
        return FileResponse(STATIC / "index.html", headers={"link": SENT_ALONG} if allowed else None)


def _add_errors(app: FastAPI) -> None:
    @app.exception_handler(PenstockError)
    async def mendable(request: Request, error: Exception) -> JSONResponse:
        return _answer(routes_act.status_of(error), ErrorOut(str(error), *_field_and_remedy(error)))

    @app.exception_handler(RequestValidationError)
    async def unreadable(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)
        return _answer(422, _as_a_user_reads_it(error.errors()[0]))

    @app.exception_handler(HTTPException)
    async def refused(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HTTPException)
        answer = _answer(error.status_code, ErrorOut(str(error.detail)))
        answer.headers.update(error.headers or {})
        return answer

    @app.exception_handler(PydanticSerializationError)
    async def unwritable(request: Request, error: Exception) -> JSONResponse:
        found = UnreadableError(f"store: a row cannot be read: {first_line(error)}")  # SQLite keeps bytes in any column
        return _answer(routes_act.status_of(found), ErrorOut(str(found)))

    @app.exception_handler(Exception)
    async def ours(request: Request, error: Exception) -> JSONResponse:
        _log.error("%s %s failed", request.method, request.url.path, exc_info=error)
        return _answer(500, ErrorOut("Something failed here; the server's log says what."))


def _as_a_user_reads_it(finding: FieldError) -> ErrorOut:
    """What pydantic found, in the words in which a wrong file is told."""
    kind = finding["type"]
    if kind == "json_invalid":
        remedy = "write one JSON document"
        return ErrorOut(f"request: its body cannot be read; {remedy}", None, remedy)
    place = [str(part) for part in finding["loc"] if part not in ("query", "body")]
    ours = finding["ctx"]["error"] if kind == OURS else None
    field = ".".join(place if ours is None else [*place, ours.field])
    remedy = "there is no such field; leave it out" if kind == "extra_forbidden" else remedy_of(finding)
    value = ours.value if ours is not None else ABSENT if kind == "missing" else finding["input"]
    return ErrorOut(str(ConfigError(field or "request", value, remedy)), field or None, remedy)


def _field_and_remedy(error: Exception) -> tuple[str | None, str | None]:
    if isinstance(error, StoreError):
        return None, error.remedy
    return (error.field, error.remedy) if isinstance(error, ConfigError) else (None, None)


def _answer(status: int, error: ErrorOut) -> JSONResponse:
    return JSONResponse(plain(error), status)
