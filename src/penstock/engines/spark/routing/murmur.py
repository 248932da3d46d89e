"""Spark's own hash of a key, for many keys at once: murmur3 as `hash()` and the shuffle compute it.

Spark hashes the grouping columns one after the other: the hash of one is the seed of the next, the first seed is
42, and NULL leaves the seed as it is. A row goes to partition pmod(hash, partitions).
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from decimal import Context, Decimal
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from penstock.core.seen.pairs import Key, Part
from penstock.errors import ConfigError

Hashes: TypeAlias = NDArray[np.uint32]
ColumnType: TypeAlias = str  # of a column, as Spark's simpleString has it: "string", "bigint", "decimal(9,2)", …

SEED = 42
C1, C2 = 0xCC9E2D51, 0x1B873593
MIX_ADD = 0xE6546B64
FINAL = (0x85EBCA6B, 0xC2B2AE35)


def hash_keys(keys: Sequence[Key], kinds: Sequence[ColumnType], seed: int | Hashes = SEED) -> Hashes:
    """The hash of each key, a tuple for an operator grouped by several columns, whose types are `kinds`.

    Keys, or their parts, are values or the texts that Spark makes of them.

    >>> hash_keys(["Asia"], ["string"]).view("int32").tolist()
    [-299080634]
    """
    hashes = np.broadcast_to(np.asarray(seed, dtype=np.uint32), (len(keys),)).copy()
    for number, kind in enumerate(kinds):
        hashes = _hashed(kind, _column(keys, number, len(kinds)), hashes)
    return hashes


def partitions_of(hashes: Hashes, partitions: int) -> NDArray[np.int64]:
    """The partition of each hash, as Spark's pmod."""
    found: NDArray[np.int64] = hashes.view(np.int32).astype(np.int64) % partitions
    return found


def hash_ints(values: NDArray[np.int64], seeds: Hashes) -> Hashes:
    """Of 32-bit integers."""
    return _finish(_mix(seeds, values.astype(np.uint32)), 4)


def hash_longs(values: NDArray[np.int64], seeds: Hashes) -> Hashes:
    """Of 64-bit integers: the low half, then the high one."""
    bits = values.astype(np.int64).view(np.uint64)
    low, high = (bits & np.uint64(0xFFFFFFFF)).astype(np.uint32), (bits >> np.uint64(32)).astype(np.uint32)
    return _finish(_mix(_mix(seeds, low), high), 8)


def hash_strings(values: Sequence[str], seeds: Hashes) -> Hashes:
    """Of texts, as UTF-8: words of four bytes, then what is left byte by byte, each as a signed integer."""
    return hash_bytes([value.encode() for value in values], seeds)


def hash_bytes(texts: Sequence[bytes], seeds: Hashes) -> Hashes:
    """Of strings of bytes."""
    lengths = np.array([len(text) for text in texts], dtype=np.int64)
    width = max(4, -(-int(lengths.max(initial=0)) // 4) * 4)
    matrix = np.frombuffer(b"".join(text.ljust(width, b"\0") for text in texts), dtype=np.uint8).reshape(-1, width)
    hashes = seeds
    words = matrix.view("<u4")
    for number in range(width // 4):
        hashes = np.where(lengths >= 4 * (number + 1), _mix(hashes, words[:, number]), hashes)
    rows = np.arange(len(texts))
    for extra in range(3):
        at = lengths // 4 * 4 + extra
        tail = matrix[rows, np.minimum(at, width - 1)].view(np.int8).astype(np.int32).view(np.uint32)
        hashes = np.where(at < lengths, _mix(hashes, tail), hashes)
    return _finish(hashes, lengths.astype(np.uint32))


def _column(keys: Sequence[Key], number: int, columns: int) -> list[Part]:
    parts = [key if isinstance(key, tuple) else (key,) for key in keys]
    for key, found in zip(keys, parts, strict=True):
        if len(found) != columns:
            raise ConfigError("keys", key, f"a key of this operator has {columns} parts")
    return [found[number] for found in parts]


def _integers(values: Sequence[Part]) -> NDArray[np.int64]:
    return np.array([int(value) for value in values], dtype=np.int64)


def _mix(hashes: Hashes, words: Hashes) -> Hashes:
    words = _rotate(words * np.uint32(C1), 15) * np.uint32(C2)
    return _rotate(hashes ^ words, 13) * np.uint32(5) + np.uint32(MIX_ADD)


def _finish(hashes: Hashes, length: int | Hashes) -> Hashes:
    hashes = hashes ^ np.asarray(length, dtype=np.uint32)
    for shift, factor in zip((16, 13), FINAL, strict=True):
        hashes = (hashes ^ (hashes >> np.uint32(shift))) * np.uint32(factor)
    return hashes ^ (hashes >> np.uint32(16))


def _rotate(words: Hashes, by: int) -> Hashes:
    return (words << np.uint32(by)) | (words >> np.uint32(32 - by))


def _hashed(kind: ColumnType, values: Sequence[Part], seeds: Hashes) -> Hashes:
    if kind.startswith("decimal"):
        precision, scale = (int(part) for part in kind.removeprefix("decimal(").removesuffix(")").split(","))
        whole = [int(_EXACTLY.scaleb(Decimal(str(value)), scale)) for value in values]
        if precision > _LONG_DIGITS:
            return hash_bytes([_big_endian(value) for value in whole], seeds)
        return hash_longs(np.array(whole, dtype=np.int64), seeds)
    return _HASHERS[kind](values, seeds)


_EXACTLY = Context(prec=76)
_LONG_DIGITS = 18  # Spark keeps a decimal of no more in a long


def _big_endian(value: int) -> bytes:
    """As java.math.BigInteger has it: as few bytes as hold the number and its sign."""
    bits = (value if value >= 0 else value + 1).bit_length()
    return value.to_bytes(bits // 8 + 1, "big", signed=True)


def _days(value: Part) -> int:
    return date.fromisoformat(str(value)).toordinal() - date(1970, 1, 1).toordinal()


def _hash_small(values: Sequence[Part], seeds: Hashes) -> Hashes:
    return hash_ints(_integers(values), seeds)


_HASHERS: Mapping[ColumnType, Callable[[Sequence[Part], Hashes], Hashes]] = {
    "string": lambda values, seeds: hash_strings([str(value) for value in values], seeds),
    "tinyint": _hash_small,
    "smallint": _hash_small,
    "int": _hash_small,
    "bigint": lambda values, seeds: hash_longs(_integers(values), seeds),
    "boolean": lambda values, seeds: hash_ints(np.array([str(v).lower() == "true" for v in values], np.int64), seeds),
    "date": lambda values, seeds: hash_ints(np.array([_days(value) for value in values], np.int64), seeds),
}
