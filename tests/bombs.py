"""Few bytes that unpack to many."""

import zlib

_MIB = 1 << 20


def a_bomb(mebibytes: int) -> bytes:
    """Deflated spaces, so many MiB of them; the same bytes again and again, for to deflate all would take long.

    >>> len(zlib.decompressobj().decompress(a_bomb(3))), len(a_bomb(1000)) < 5 * _MIB
    (3145728, True)
    """
    deflating = zlib.compressobj(1)
    first, again = (deflating.compress(b" " * _MIB) + deflating.flush(zlib.Z_FULL_FLUSH) for _ in range(2))
    return first + again * (mebibytes - 1)
