"""Routes to come in with a token, and to leave."""

from importlib.metadata import version
from typing import Annotated, ClassVar

from fastapi import Body, FastAPI, Request, Response
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from penstock.web.openapi import SESSION
from penstock.web.sessions import COOKIE, LASTS_S
from penstock.web.shapes import SessionOut
from penstock.web.state import SiteState


class TokenIn(BaseModel):
    """A token, as it was shown when the server first started."""

    model_config: ClassVar[ConfigDict] = ConfigDict(
        extra="forbid", frozen=True, json_schema_extra={"examples": [{"token": "read-…"}, {"token": "operate-…"}]}
    )

    token: Annotated[str, Field(min_length=1, max_length=200)]


def add(app: FastAPI, state: SiteState) -> None:
    """Add them to the application."""

    @app.get("/api/session", tags=[SESSION])
    def session(request: Request) -> SessionOut:
        """What whoever asks may do."""
        return SessionOut(state.sessions.role_of(request), state.sessions.required, version("penstock"))

    @app.post("/api/session", tags=[SESSION])
    def come_in(request: Request, response: Response, given: Annotated[TokenIn, Body()]) -> SessionOut:
        """Exchange a token for a cookie that only this site's pages send."""
        role, cookie = state.sessions.begin(given.token)
        if role == "none":
            raise HTTPException(401, "This is not one of this server's tokens.")
        secure = request.url.scheme == "https"
        response.set_cookie(COOKIE, cookie, max_age=int(LASTS_S), httponly=True, samesite="strict", secure=secure)
        return SessionOut(role, state.sessions.required, version("penstock"))

    @app.delete("/api/session", tags=[SESSION])
    def leave(request: Request, response: Response) -> SessionOut:
        """End the session."""
        state.sessions.end(request.cookies.get(COOKIE, ""))
        response.delete_cookie(COOKIE, httponly=True, samesite="strict")
        return SessionOut(
            "none" if state.sessions.required else "operate", state.sessions.required, version("penstock")
        )
