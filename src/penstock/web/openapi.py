"""How the API describes itself beyond what its routes say: who may ask, in which chapters, with an example of each.

The examples are answers of a simulated run, cut short; `python scripts/api_examples.py` asks for them anew.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from pydantic.dataclasses import dataclass

from penstock.web.sessions import COOKIE

EXAMPLES = Path(__file__).with_name("examples.json")

LOOK, ACT, SESSION, OPERATIONS = "look", "act", "session", "operations"
TAGS = [
    {"name": LOOK, "description": "What a run is like: the figures of the pages. The read token is enough."},
    {"name": ACT, "description": "Ask a running controller for something (the operate token), or the simulator."},
    {"name": SESSION, "description": "Exchange a token for a cookie, as the pages do."},
    {"name": OPERATIONS, "description": "For what watches this server: metrics and probes. Probes need no token."},
]


# Each route tells of it eight times, and pydantic would look through a dataclass of Python's own anew each time.
@dataclass(frozen=True, slots=True)
class ErrorOut:
    """What went wrong, and what would be right."""

    message: str
    field: str | None = None
    remedy: str | None = None


ERRORS: dict[int | str, dict[str, Any]] = {
    400: {"model": ErrorOut, "description": "It could not be understood"},
    401: {"model": ErrorOut, "description": "A token is needed"},
    403: {"model": ErrorOut, "description": "The token does not allow it, or it came from another site"},
    404: {"model": ErrorOut, "description": "There is no such run, or job"},
    409: {"model": ErrorOut, "description": "Nobody governs the run now"},
    422: {"model": ErrorOut, "description": "A field holds a value that cannot be used"},
    429: {"model": ErrorOut, "description": "Too many requests"},
    503: {"model": ErrorOut, "description": "The store cannot be read now, or as many ask already as may"},
}
_SCHEMES = {
    "token": {
        "type": "http",
        "scheme": "bearer",
        "description": "The read or the operate token, shown when a server beyond loopback first started.",
    },
    "session": {"type": "apiKey", "in": "cookie", "name": COOKIE, "description": "What `POST /api/session` gives."},
}
_NO_TOKEN = ("/health", "/ready", "/api/session")
_REFUSED = {  # what is told with each status, in the words of the routes and of the guard
    "400": ("There was an error parsing the body", None, None),
    "401": ("A token is needed: Authorization: Bearer <token>.", None, None),
    "403": ("The read token does not allow this; the operate token does.", None, None),
    "404": ("job: 'nobody' cannot be used; name one of clicks, fraud", "job", "name one of clicks, fraud"),
    "409": ("run 'nightly' has no running controller; only a running one accepts requests", None, None),
    "422": ("limit: Input should be greater than or equal to 1", "limit", "Input should be greater than or equal to 1"),
    "429": ("Too many requests; wait a moment.", None, None),
    "503": (
        "store runs.sqlite: database is locked",
        None,
        "end the other program that holds the file (`fuser FILE` names it); it is tried again by itself",
    ),
}


def describe(app: FastAPI, tokens_required: bool) -> None:
    """Fill in what FastAPI cannot know. On loopback a user of this machine needs no token."""
    plain = app.openapi

    def described() -> dict[str, Any]:
        if app.openapi_schema is None:
            found = plain()
            found.setdefault("components", {})["securitySchemes"] = _SCHEMES
            for path, operations in found["paths"].items():
                for method, operation in operations.items():
                    operation["security"] = _who_may(path, tokens_required)
                    _add_examples(operation["responses"], _answers().get(f"{method.upper()} {path}"))
        return app.openapi_schema or plain()

    app.openapi = described  # type: ignore[method-assign]  # the way that FastAPI names


def _who_may(path: str, tokens_required: bool) -> list[dict[str, list[str]]]:
    if path in _NO_TOKEN:
        return []
    either: list[dict[str, list[str]]] = [{"token": []}, {"session": []}]
    return either if tokens_required else [{}, *either]


def _add_examples(responses: dict[str, Any], answer: Any) -> None:
    """One for each status: the answer itself, and what is told in its stead."""
    for status, response in responses.items():
        refused = _REFUSED.get(status)
        example = answer if refused is None else dict(zip(("message", "field", "remedy"), refused, strict=True))
        for content in response.get("content", {}).values():
            content["example"] = example


@cache
def _answers() -> dict[str, Any]:
    """By method and path."""
    found: dict[str, Any] = json.loads(EXAMPLES.read_text(encoding="utf-8")) if EXAMPLES.is_file() else {}
    return found
