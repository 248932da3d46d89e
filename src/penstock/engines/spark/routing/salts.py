"""Salts: an integer that is grouped by beside a key, and that sends the key to the partition we want.

Spark places a row by murmur3 over its grouping columns, and the salt is the last of them. That last step can be
undone: from the hash of the key alone and the hash that is wanted follows the one salt between them. So no trial and
error (about as many trials a key as there are partitions), and Spark itself can work the salt out in the query, from
its own hash of whatever the key holds: a window before the key, whose hash nobody knows in advance, does no harm.

    aim(p)          what the state of the hash must be so that the finished hash is p, see `aims`
    salt            unmix(aim(p) xor hash(key))

A key that is not routed gets the salt that sends it where Spark would have hashed it without any salt.
"""

from pyspark.sql import Column, functions

from penstock.engines.spark.routing.murmur import C1, C2

_MASK, _SIGN = 0xFFFFFFFF, 2**31
_INVERSE_C1, _INVERSE_C2 = pow(C1, -1, 2**32), pow(C2, -1, 2**32)


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
