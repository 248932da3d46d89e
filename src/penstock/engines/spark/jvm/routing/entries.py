"""A table's keys as a query looks them up: an array of numbers, in which a key's own hashes say where it is.

    places    two for each key, one by each of two hashes; it is in one of them
    entry     in its upper half that of the second hash, in the lower one the partition, counted from 1; 0: empty

So a look-up reads two numbers and compares no texts, in a table of ten keys as of a million. What is looked up in goes
to every task: 10,000 keys are 90 kB, where a map of them is a megabyte. A key that is not listed is taken for one that
is once in 70,000 times; then it always goes where that one goes.
"""

from collections.abc import Mapping

from pyspark.sql import Column, functions

from penstock.engines.spark.routing.murmur import SEED, hash_keys

_OTHER = 7  # what is hashed before a key, for its second hash
_LOWER = 2**16 - 1
_UPPER = ~_LOWER  # the bits of the second hash that an entry holds
_TRIES = 500
Hashed = tuple[int, int]


def hashes_of(text: Column) -> tuple[Column, Column]:
    """Both hashes of a key's text."""
    return functions.hash(text), functions.hash(functions.lit(_OTHER), text)


def found_at(entries: Column, size: Column, first: Column, second: Column) -> tuple[Column, Column]:
    """What the two places of a key of these hashes hold for it: its partition, counted from 1, where the entry is its.

    Else a number that is beyond all partitions, below 0, or 0.
    """
    own = second.bitwiseAND(functions.lit(_UPPER))
    at_first, at_second = (functions.get(entries, functions.pmod(one, size)).bitwiseXOR(own) for one in (first, second))
    return at_first, at_second


def entries_of(keys: Mapping[str, int]) -> list[int]:
    """The array in which the partition of each of these texts is found.

    >>> len(entries_of({"Asia": 0})), sorted(entries_of({}))
    (6, [0, 0, 0, 0])
    """
    texts = list(keys)
    seeds = hash_keys([_OTHER], ["int"], SEED)[0]
    both = (hash_keys(texts, ["string"], seed).view("int32").tolist() for seed in (SEED, int(seeds)))
    known = dict(zip(zip(*both, strict=True), keys.values(), strict=True))
    size = len(known) * 11 // 5 + 4  # half full, or there may be no place for a key
    while (found := _placed(known, size)) is None:
        size += size // 16 + 1
    return found


def _placed(known: Mapping[Hashed, int], size: int) -> list[int] | None:
    """Each key in one of its places; who is there already moves to its other one, and so on."""
    entries: list[int] = [0] * size
    whose: list[Hashed] = [(0, 0)] * size
    for hashed, partition in known.items():
        moving, entry, at = hashed, (hashed[1] & _UPPER) | (partition + 1), hashed[0] % size
        for _ in range(_TRIES):
            entries[at], entry, whose[at], moving = entry, entries[at], moving, whose[at]
            if not entry:
                break
            at = moving[0] % size + moving[1] % size - at
        else:
            return None
    return entries if all(_read(entries, hashed) == partition for hashed, partition in known.items()) else None


def _read(entries: list[int], hashed: Hashed) -> int | None:
    found = (entries[one % len(entries)] ^ (hashed[1] & _UPPER) for one in hashed)
    return next((entry - 1 for entry in found if 1 <= entry <= _LOWER), None)
