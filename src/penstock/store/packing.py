"""Values as deflated JSON, and back: no more of it than all of ours together."""

import zlib
from typing import Any

from penstock.errors import WrongCellError, told
from penstock.store.codec import MOST_IN_A_CELL, check_size, decode, decode_whole, encode


class SpoiltError(WrongCellError):
    """Bytes that no penstock has written."""


def packed(value: object) -> bytes:
    """The value as deflated JSON."""
    return deflated(encode(value))


def unpacked(body: bytes, value_type: type[Any]) -> Any:
    """The value again; a DoesNotFitError where it is none of that type, a SpoiltError where it is nothing."""
    return decode(inflated(body), value_type)


def unpacked_whole(body: bytes, value_type: type[Any]) -> Any:
    """The same with texts of any length: of what is not told to anybody."""
    return decode_whole(inflated(body), value_type)


def deflated(text: str) -> bytes:
    """The text in bytes, to a quarter of them; a RefusedError where it is too large to be read again."""
    plain = text.encode()
    check_size(len(plain))
    return zlib.compress(plain, level=1)  # higher levels cost more than they save


def inflated(body: bytes) -> str:
    """The text again. A thousandth of the bytes may hold it: no more of it is unpacked than ours come to."""
    inflating = zlib.decompressobj()
    try:
        text = inflating.decompress(body, MOST_IN_A_CELL + 1)
        if len(text) > MOST_IN_A_CELL:
            raise SpoiltError(f"it unpacks to more than {MOST_IN_A_CELL >> 20} MiB: no penstock has written it")
        if not inflating.eof:
            raise SpoiltError("its end is missing")
        return text.decode()
    except (zlib.error, TypeError, UnicodeDecodeError) as error:
        raise SpoiltError(f"it cannot be unpacked: {told(error)}") from error
