"""A screen of the terminal as text, and every path of the API that reads the store."""

import re
from io import StringIO
from pathlib import Path
from typing import Any

from rich.console import Console

from penstock.store.sql import SqlStore
from penstock.web.app import create_app
from penstock.web.settings import WebSettings
from penstock.web.tokens import kept_tokens


def text_of(shown: Any) -> str:
    out = StringIO()
    Console(file=out, width=250, color_system="standard", force_terminal=True).print(shown)
    return out.getvalue()


def uncoloured(screen: str) -> str:
    return re.sub(r"\x1b\[[\d;]*m", "", screen)


def is_green(screen: str) -> bool:
    """Whether the headline is: 32 is green."""
    (headline,) = (line for line in screen.splitlines() if "have what they asked for" in line)
    return "\x1b[1;32m" in headline


def paths_of(store: SqlStore, settings: WebSettings, tmp_path: Path) -> list[str]:
    """Every path of the API that reads the store, with what it needs."""
    described = create_app(store, settings, kept_tokens(tmp_path / "tokens.json")).openapi()["paths"]
    needs = {"/api/job": "?job=ads", "/api/incident": "?job=ads", "/api/remedies": "?job=ads"}
    needs |= {"/api/without": "?decision=1", "/api/compare": "?a=last&b=last"}
    apart = {"/health", "/api/session", "/api/policies", "/api/what-if"}
    return [f"{path}{needs.get(path, '')}" for path, how in described.items() if "get" in how and path not in apart]
