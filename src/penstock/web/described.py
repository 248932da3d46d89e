"""How the API describes itself beyond what its routes say: who may ask, in which chapters, with an example of each."""

from typing import Any

from fastapi import FastAPI

from penstock.web.sessions import COOKIE

LOOK, ACT, SESSION, OPERATIONS = "look", "act", "session", "operations"
TAGS = [
    {"name": LOOK, "description": "What a run is like: the figures of the pages. The read token is enough."},
    {"name": ACT, "description": "Ask a running controller for something (the operate token), or the simulator."},
    {"name": SESSION, "description": "Exchange a token for a cookie, as the pages do."},
    {"name": OPERATIONS, "description": "For what watches this server: metrics and probes. Probes need no token."},
]
_SCHEMES = {
    "token": {
        "type": "http",
        "scheme": "bearer",
        "description": "The read or the operate token, shown when a server beyond loopback first started.",
    },
    "session": {"type": "apiKey", "in": "cookie", "name": COOKIE, "description": "What `POST /api/session` gives."},
}
_NO_TOKEN = ("/health", "/ready", "/api/session")


def describe(app: FastAPI, tokens_required: bool) -> None:
    """Fill in what FastAPI cannot know. On loopback a user of this machine needs no token."""
    plain = app.openapi

    def described() -> dict[str, Any]:
        if app.openapi_schema is None:
            found = plain()
            found.setdefault("components", {})["securitySchemes"] = _SCHEMES
            for path, operations in found["paths"].items():
                for operation in operations.values():
                    operation["security"] = _who_may(path, tokens_required)
        return app.openapi_schema or plain()

    app.openapi = described  # type: ignore[method-assign]  # the way that FastAPI names


def _who_may(path: str, tokens_required: bool) -> list[dict[str, list[str]]]:
    if path in _NO_TOKEN:
        return []
    either: list[dict[str, list[str]]] = [{"token": []}, {"session": []}]
    return either if tokens_required else [{}, *either]
