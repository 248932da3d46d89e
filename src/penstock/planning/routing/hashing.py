"""Hashing, the baseline: as even as chance makes it, blind to which keys meet. An engine's own hash is another one."""

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias
from zlib import crc32

from penstock.core.seen.pairs import Key

Fallback: TypeAlias = Callable[[str, Key, int], int]  # where an operator's key goes that no table lists, of so many


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


def by_chance(operator: str, key: Key, servers: int) -> int:
    """Where an unlisted key goes as far as anybody knows: right on average, not key by key."""
    return hashed(key, servers)


def as_told(unlisted: Mapping[str, Mapping[Key, int]]) -> Fallback:
    """Where the engine says that it puts an operator's key; where it says nothing, by chance.

    >>> where = as_told({"region": {"Asia": 3}})
    >>> where("region", "Asia", 6), where("hashtag", "Asia", 6) == hashed("Asia", 6)
    (3, True)
    """

    def where(operator: str, key: Key, servers: int) -> int:
        told = unlisted.get(operator, {}).get(key)
        return by_chance(operator, key, servers) if told is None else told

    return where
