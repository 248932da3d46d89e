"""Blocks of Java's LZ4BlockOutputStream, as Spark packs by lz4; they are not the frames of the lz4 tool. Pure.

    LZ4Block | token | packed length | whole length | checksum | data      each length four bytes, the lowest first

Within the data a sequence is literals and a copy of what was unpacked before; the last one has no copy.
"""

from collections.abc import Callable, Iterator

HEAD = 21  # bytes
_MOST = 1 << 25  # of a block, unpacked: Java packs no larger ones
_MAGIC = b"LZ4Block"
_RAW = 0x10  # of a token: the block is not packed
_SHORTEST = 4  # bytes of a copy
_MORE = 15  # a length of four bits that goes on in the bytes that follow, up to one below 255


def blocks(read: Callable[[int], bytes]) -> Iterator[bytes]:
    """What each block held; of a file that is still written, as far as whole blocks go."""
    while len(head := read(HEAD)) == HEAD and head.startswith(_MAGIC):
        packed, whole = (int.from_bytes(head[at : at + 4], "little") for at in (9, 13))
        if max(packed, whole) > _MOST:
            raise ValueError(f"a block of {max(packed, whole):,} bytes")
        data = read(packed)
        if len(data) < packed:
            return
        if whole:
            yield data if head[8] & 0xF0 == _RAW else unpacked(data, whole)


def unpacked(data: bytes, whole: int) -> bytes:
    """A block that has so many bytes.

    A damaged one is a ValueError.

    >>> unpacked(bytes([0x35]) + b"abc" + bytes([3, 0, 0x10]) + b"d", 13)
    b'abcabcabcabcd'
    """
    out = bytearray()
    try:
        _unpack(data, whole, out)
    except IndexError:
        raise ValueError("a block ends in the middle of a length") from None
    if len(out) != whole:
        raise ValueError(f"a block of {whole} bytes has {len(out)}")
    return bytes(out)


def _unpack(data: bytes, whole: int, out: bytearray) -> None:
    at = 0
    while at < len(data):
        token = data[at]
        literals, at = _length(token >> 4, data, at + 1)
        out += data[at : at + literals]
        at += literals
        if at >= len(data):
            break
        back = data[at] | data[at + 1] << 8
        copied, at = _length(token & 0x0F, data, at + 2)
        if not 0 < back <= len(out) or len(out) + copied + _SHORTEST > whole:
            raise ValueError("a block copies what is not there, or more than it has")
        _copy(out, back, copied + _SHORTEST)


def _length(first: int, data: bytes, at: int) -> tuple[int, int]:
    """A length, and where what follows it begins."""
    if first < _MORE:
        return first, at
    while (more := data[at]) == 255:
        first, at = first + more, at + 1
    return first + more, at + 1


def _copy(out: bytearray, back: int, length: int) -> None:
    """From so far back; a copy that is longer than that repeats itself."""
    start = len(out) - back
    piece = bytes(out[start : start + length])
    whole, rest = divmod(length, len(piece))
    out += piece * whole + piece[:rest]
