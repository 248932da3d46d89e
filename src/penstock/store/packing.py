"""Values as deflated JSON, and back."""

import zlib
from typing import Any

from penstock.store.codec import decode, encode


def packed(value: object) -> bytes:
    """The value as deflated JSON."""
    return deflated(encode(value))


def unpacked(body: bytes, value_type: type[Any]) -> Any:
    """The value again; a DoesNotFitError where it is none of that type."""
    return decode(inflated(body), value_type)


def deflated(text: str) -> bytes:
    """The text in bytes, to a quarter of them."""
    return zlib.compress(text.encode(), level=1)  # higher levels cost more than they save


def inflated(body: bytes) -> str:
    """The text again."""
    return zlib.decompress(body).decode()
