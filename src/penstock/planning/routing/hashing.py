"""Hashing, the baseline: as even as chance makes it, blind to which keys meet."""

from collections.abc import Iterable
from zlib import crc32

from penstock.core.pairs import Key


def hashed(key: Key, servers: int) -> int:
    """The server of a key by its hash: the same in every process, unlike Python's own.

    >>> [hashed(key, 6) for key in ("Asia", "#java", 7, ("x", 1))]
    [2, 3, 5, 1]
    """
    # A checksum alone spreads keys that differ in one digit too evenly to stand for a hash; it is mixed once more.
    mixed = (crc32(repr(key).encode("utf-8", "surrogatepass")) * 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
    return (mixed >> 32) % servers


def hashed_all(keys: Iterable[Key], servers: int) -> list[int]:
    """The servers of many keys."""
    return [hashed(key, servers) for key in keys]
