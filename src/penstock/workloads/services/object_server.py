"""An object service on this machine: any object of a fixed size over HTTP, within limits like a cloud's.

Each client address has its own limits, as each machine of a cluster has its own share of a service; workers of a
standalone cluster have addresses of their own. Run as a process of its own, so that it can have a core of its own.
"""

import argparse
import asyncio
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from penstock.core.units import positive
from penstock.errors import ConfigError, EngineError
from penstock.workloads.services.pacing import RequestBucket, SendingPace

_PIECE = 128 * 1024
_MB = 1_000_000
_ENDS_WITHIN_S = 10.0


@dataclass(frozen=True, slots=True)
class ObjectLimits:
    """What the service gives. 60 MB/s and 500 requests/s are what the paper's service promised for one object."""

    object_bytes: int = 2 * _MB
    client_mb_s: float = 60.0  # to all connections of one client address
    connection_mb_s: float = 4.0  # to one connection: half a second for 2 MB, as in the paper with one thread
    requests_s: float = 500.0  # of one client address; beyond, the answer is 503

    def __post_init__(self) -> None:
        for field in ("object_bytes", "client_mb_s", "connection_mb_s", "requests_s"):
            positive(getattr(self, field), field)


@dataclass(frozen=True, slots=True)
class ObjectService:
    """Where a running service listens."""

    host: str
    port: int


@contextmanager
def object_service(limits: ObjectLimits | None = None) -> Iterator[ObjectService]:
    """A service in a process of its own, on a free port, until the end of the block."""
    limits = limits or ObjectLimits()
    fields = [f"--{field.replace('_', '-')}={getattr(limits, field)}" for field in _FIELDS]
    command = [sys.executable, "-m", __name__, *fields]
    # A session of its own: Ctrl-C in the terminal is for us, and we end it.
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            if not line:
                raise EngineError("the object service did not start; run `python -m " + __name__ + "` to see why")
            yield ObjectService("127.0.0.1", int(line))
        finally:
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(_ENDS_WITHIN_S)
            process.kill()


class _ObjectServer:
    def __init__(self, limits: ObjectLimits) -> None:
        self._limits = limits
        self._body = memoryview(bytes(range(256)) * (limits.object_bytes // 256 + 1))[: limits.object_bytes]
        self._paces: dict[str, SendingPace] = {}
        self._allowances: dict[str, RequestBucket] = {}

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        client = writer.get_extra_info("peername")[0]
        own = SendingPace(self._limits.connection_mb_s * _MB)
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            while await reader.readuntil(b"\r\n\r\n"):
                await self._answer(client, own, writer)
        writer.close()

    async def _answer(self, client: str, own: SendingPace, writer: asyncio.StreamWriter) -> None:
        allowance = self._allowances.setdefault(client, RequestBucket(self._limits.requests_s))
        if not allowance.take(time.monotonic()):
            writer.write(b"HTTP/1.1 503 Server Busy\r\nContent-Length: 0\r\n\r\n")
            await writer.drain()
            return
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(self._body))
        shared = self._paces.setdefault(client, SendingPace(self._limits.client_mb_s * _MB))
        for start in range(0, len(self._body), _PIECE):
            piece = self._body[start : start + _PIECE]
            now = time.monotonic()
            # The last byte arrives when its time is over, not when it begins.
            at = max(pace.send_at(now, len(piece)) + len(piece) / pace.bytes_per_s for pace in (own, shared))
            await asyncio.sleep(at - now)
            writer.write(piece)
            await writer.drain()


async def _serve(limits: ObjectLimits) -> None:
    server = await asyncio.start_server(_ObjectServer(limits).serve, "127.0.0.1", 0, backlog=512)
    print(server.sockets[0].getsockname()[1], flush=True)
    # Whoever started us holds our standard input: when it is gone, so are we.
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


_FIELDS = ("object_bytes", "client_mb_s", "connection_mb_s", "requests_s")


def _limits(arguments: list[str]) -> ObjectLimits:
    parser = argparse.ArgumentParser(description="An object service with limits, until standard input ends.")
    for field in _FIELDS:
        parser.add_argument(f"--{field.replace('_', '-')}", type=float, default=getattr(ObjectLimits(), field))
    found = vars(parser.parse_args(arguments))
    if found["object_bytes"] > 1 << 30:
        raise ConfigError("object_bytes", found["object_bytes"], "objects of at most 1 GiB")
    return ObjectLimits(**{**found, "object_bytes": int(found["object_bytes"])})


if __name__ == "__main__":
    asyncio.run(_serve(_limits(sys.argv[1:])))
