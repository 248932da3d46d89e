"""Salts: an integer that is grouped by beside a key, and that sends the key to the partition we want.

Spark places a row by murmur3 over its grouping columns, and the salt is the last of them. That last step can be
undone: from the hash of the key alone and the hash that is wanted follows the one salt between them. So no trial and
error (about as many trials a key as there are partitions), and Spark itself can work the salt out in the query, from
its own hash of whatever the key holds: a window before the key, whose hash nobody knows in advance, does no harm.

    aim(p)          what the state of the hash must be so that the finished hash is p; one number for each partition
    salt            unmix(aim(p) xor hash(key))

A key that is not routed gets the salt that sends it where Spark would have hashed it without any salt.
"""

from pyspark.sql import Column, functions

from penstock.engines.spark.routing.murmur import C1, C2, FINAL, MIX_ADD

_MASK, _SIGN = 0xFFFFFFFF, 2**31
_INVERSE_C1, _INVERSE_C2 = pow(C1, -1, 2**32), pow(C2, -1, 2**32)
_SALT_BYTES = 4


def aims(partitions: int) -> tuple[int, ...]:
    """The aim of each partition, 0 to 2**32 - 1."""
    return tuple(_aim(partition) for partition in range(partitions))


def salt_of(words: Column) -> Column:
    """The salt that sends rows there, from Spark's hash(...) of the grouping columns, xored with a bigint aim.

    Few terms, and one place alone that names a term twice: Spark plans them anew for each batch. No product overflows,
    which Spark's ANSI arithmetic would refuse: the words have 33 bits with their sign, the factors 32.
    """
    turned = _turned(_times(words, _INVERSE_C2).bitwiseAND(functions.lit(_MASK)))
    product = _times(turned.bitwiseAND(functions.lit(_MASK)), _INVERSE_C1)
    return functions.shiftright(functions.shiftleft(product, 32), 32).cast("int")


def _times(words: Column, factor: int) -> Column:
    """A product of which the lower half is right."""
    return words * functions.lit((factor ^ _SIGN) - _SIGN)


def _turned(words: Column) -> Column:
    return functions.shiftrightunsigned(words, 15).bitwiseOR(functions.shiftleft(words, 17))


def _aim(partition: int) -> int:
    """Murmur3's last steps, backwards, from a finished hash that equals the partition's number."""
    words = _unshift(partition, 16)
    for shift, factor in ((13, FINAL[1]), (16, FINAL[0])):
        words = _unshift(words * pow(factor, -1, 2**32) & _MASK, shift)
    words = (words ^ _SALT_BYTES) - MIX_ADD & _MASK
    words = words * pow(5, -1, 2**32) & _MASK
    return (words >> 13) | (words << 19) & _MASK


def _unshift(words: int, shift: int) -> int:
    """What `words` was before it was xored with itself shifted right."""
    found = words
    for _ in range(32 // shift):
        found = words ^ (found >> shift)
    return found
