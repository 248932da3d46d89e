"""Asking a site as all tests wait: a client's own limit of five seconds is a bad moment of a busy machine."""

import ssl
from contextlib import AbstractContextManager
from typing import Any

import httpx

from tests.patience import patience_s

# No site of a test speaks TLS, and a client that reads all authorities first takes longer than the answer.
_PLAIN = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def get(url: str, **how: Any) -> httpx.Response:
    """An answer to GET."""
    return httpx.get(url, verify=_PLAIN, timeout=patience_s(), **how)


def post(url: str, **how: Any) -> httpx.Response:
    """An answer to POST."""
    return httpx.post(url, verify=_PLAIN, timeout=patience_s(), **how)


def streamed(url: str) -> AbstractContextManager[httpx.Response]:
    """An answer that goes on."""
    return httpx.stream("GET", url, verify=_PLAIN, timeout=patience_s())
