"""Asking a site as all tests wait: a client's own limit of five seconds is a bad moment of a busy machine."""

from contextlib import AbstractContextManager
from typing import Any

import httpx

from tests.patience import patience_s


def get(url: str, **how: Any) -> httpx.Response:
    """An answer to GET."""
    return httpx.get(url, timeout=patience_s(), **how)


def post(url: str, **how: Any) -> httpx.Response:
    """An answer to POST."""
    return httpx.post(url, timeout=patience_s(), **how)


def streamed(url: str) -> AbstractContextManager[httpx.Response]:
    """An answer that goes on."""
    return httpx.stream("GET", url, timeout=patience_s())
