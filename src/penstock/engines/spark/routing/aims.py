"""The aim of a partition: the state of Spark's hash from which the finished hash is the partition's number."""

from penstock.engines.spark.routing.murmur import FINAL, MIX_ADD

_MASK = 0xFFFFFFFF
_SALT_BYTES = 4


def aims(partitions: int) -> tuple[int, ...]:
    """The aim of each partition, 0 to 2**32 - 1."""
    return tuple(_aim(partition) for partition in range(partitions))


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
