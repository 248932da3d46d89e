"""What goes over the wire: chunks of tuples that fell due, and for each chunk what was done of it."""

import socket
import struct
from dataclasses import astuple, dataclass

_CHUNK = struct.Struct("<qqqddd")
_DONE = struct.Struct("<qdd")
_NAME = struct.Struct("<H")
READY = b"r"


@dataclass(frozen=True, slots=True)
class Chunk:
    """Tuples number `first`, `first + stride`, ... and when each fell due. Times are the machine's monotonic clock."""

    first: int
    stride: int
    count: int
    due_s: float
    step_s: float
    until_s: float  # what has not begun by then is dropped, so that an overloaded thread is soon free again


@dataclass(frozen=True, slots=True)
class Done:
    """What came of a chunk: how many tuples were done, the sum of their latencies, and when the last was."""

    count: int
    latency_sum_s: float
    at_s: float


CHUNK_BYTES = _CHUNK.size
DONE_BYTES = _DONE.size


def pack_chunk(chunk: Chunk) -> bytes:
    """The chunk as bytes."""
    return _CHUNK.pack(*astuple(chunk))


def unpack_chunk(raw: bytes) -> Chunk:
    """The chunk again."""
    return Chunk(*_CHUNK.unpack(raw))


def pack_done(done: Done) -> bytes:
    """What came of a chunk, as bytes."""
    return _DONE.pack(*astuple(done))


def unpack_done(raw: bytes) -> Done:
    """What came of a chunk."""
    return Done(*_DONE.unpack(raw))


def pack_name(name: str) -> bytes:
    """A name with its length before it."""
    raw = name.encode()
    return _NAME.pack(len(raw)) + raw


def read_name(link: socket.socket) -> str | None:
    """A name from the other side; None when the other side is gone."""
    size = read(link, _NAME.size)
    raw = None if size is None else read(link, _NAME.unpack(size)[0])
    return None if raw is None else raw.decode()


def read(link: socket.socket, size: int) -> bytes | None:
    """Exactly so many bytes; None when the other side is gone."""
    parts: list[bytes] = []
    while size > 0:
        part = link.recv(size)
        if not part:
            return None
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
