"""How much a packed log may hold: what Spark writes packs to a tenth or a fiftieth, some bytes of nothing to all disks.

Pure.
"""

from collections.abc import Callable, Iterable, Iterator

MOST_TIMES = 250  # what packs by as much again was made for it; an lz4 block cannot hold more than 255 times its size
FREE = 1 << 26  # bytes, whatever they were packed to: a query that waits tells the same again and again


def bounded(pieces: Iterable[bytes], packed: Callable[[], int]) -> Iterator[bytes]:
    """The pieces, as long as they are no more than the packed bytes that were read for them can rightly hold.

    >>> [len(piece) for piece in bounded([b"x" * 400], lambda: 12)]
    [400]
    """
    whole = 0
    for piece in pieces:
        whole += len(piece)
        check_times(whole, packed())
        yield piece


def check_times(whole: int, packed: int) -> None:
    """A ValueError where so many bytes are too many for what they were packed to."""
    if whole > FREE + MOST_TIMES * packed:
        raise ValueError(f"{packed:,} bytes hold {whole:,} or more: Spark packs no log by {MOST_TIMES} times")
