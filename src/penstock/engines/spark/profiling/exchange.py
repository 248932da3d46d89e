"""The exchange: generates tuples, hands them to the threads of the operators in turn, and notes when they are done.

Runs in a thread of the driver's process, on the driver's core: generator, routing and sink are no part of what is
measured. All threads of an operator get the same number of tuples, as in Storm's shuffle grouping, or as many as their
weights say.
"""

import asyncio
import contextlib
import threading
import time
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from penstock.engines.spark.profiling.flow import TupleFlow
from penstock.engines.spark.profiling.wire import (
    DONE_BYTES,
    READY,
    Chunk,
    pack_chunk,
    pack_name,
    unpack_done,
)

_TICK_S = 0.005
_END_WITHIN_S = 5.0
_HOST = "127.0.0.1"
_Found = TypeVar("_Found")


@dataclass(frozen=True, slots=True)
class ChunkReport:
    """One chunk's end: of which operator, how many tuples, the sum of their latencies, and when since the start."""

    operator: str
    count: int
    latency_sum_s: float
    at_s: float


@dataclass(eq=False, slots=True)
class _Link:
    operator: str
    writer: asyncio.StreamWriter
    weight: float = 1.0
    credit: float = 0.0  # of tuples: what its weight has earned it, less what it got
    sent: deque[Chunk] = field(default_factory=deque)


class Exchange:
    """Between the generator, all threads and the sink."""

    def __init__(self, flow: TupleFlow, now: Callable[[], float] = time.monotonic) -> None:
        self._flow = flow
        self._now = now
        self._free = {
            slot: [name for name, many in roles.items() for _ in range(many)] for slot, roles in flow.roles.items()
        }
        self._links: dict[str, list[_Link]] = {name: [] for name in flow.threads}
        self._turn = dict.fromkeys(flow.threads, 0)
        self._reports: list[ChunkReport] = []
        self._loop = asyncio.new_event_loop()
        self._runner = threading.Thread(target=self._loop.run_forever, name="exchange", daemon=True)
        self._server: asyncio.Server | None = None

    @property
    def address(self) -> tuple[str, int]:
        """Where threads report."""
        assert self._server is not None
        host, port = self._server.sockets[0].getsockname()
        return host, port

    @property
    def ready(self) -> int:
        """Threads that can work."""
        return sum(len(links) for links in self._links.values())

    def open(self) -> None:
        """Listen."""
        self._runner.start()
        self._server = self._wait(asyncio.start_server(self._serve, _HOST, 0, backlog=512))

    def close(self) -> None:
        """Let all threads end."""
        self._wait(self._end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._runner.join()
        self._loop.close()

    def run(self, rate_rps: float, for_s: float, drained_within_s: float) -> tuple[ChunkReport, ...]:
        """Generate at that rate for so long; all that was done, by the time when it was, 0 being the start."""
        return self._wait(self._run(rate_rps, for_s, drained_within_s))

    def _wait(self, work: Coroutine[Any, Any, _Found]) -> _Found:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    async def _run(self, rate_rps: float, for_s: float, drained_within_s: float) -> tuple[ChunkReport, ...]:
        self._reports.clear()
        begin = self._now()
        until = begin + for_s
        sent = 0
        while (now := self._now()) < until:
            due = int((now - begin) * rate_rps) + 1 - sent
            if due > 0:
                chunk = Chunk(sent, 1, due, begin + sent / rate_rps, 1.0 / rate_rps, until)
                for source in self._flow.topology.sources:
                    self._pass_on(source, chunk)
                sent += due
            await asyncio.sleep(_TICK_S)
        await self._drain(until + drained_within_s)
        return tuple(
            ChunkReport(report.operator, report.count, report.latency_sum_s, report.at_s - begin)
            for report in self._reports
        )

    async def _drain(self, deadline: float) -> None:
        while any(link.sent for links in self._links.values() for link in links) and self._now() < deadline:
            await asyncio.sleep(_TICK_S)

    def _pass_on(self, operator: str, chunk: Chunk) -> None:
        """The tuples go to every child, whole to each."""
        for child in self._flow.topology.children(operator):
            if child in self._links:
                self._share_out(child, chunk)
            else:
                self._pass_on(child, chunk)

    def _share_out(self, operator: str, chunk: Chunk) -> None:
        links = self._links[operator]
        if not links:  # all of them are gone: the job is over, and says why
            return
        if len({link.weight for link in links}) == 1:
            self._in_turn(operator, links, chunk)
        else:
            self._by_weight(links, chunk)

    def _in_turn(self, operator: str, links: Sequence[_Link], chunk: Chunk) -> None:
        """One tuple to each thread in turn."""
        many, turn = len(links), self._turn[operator]
        for at in range(min(many, chunk.count)):
            link = links[(turn + at) % many]
            part = Chunk(
                first=chunk.first + at * chunk.stride,
                stride=chunk.stride * many,
                count=(chunk.count - at + many - 1) // many,
                due_s=chunk.due_s + at * chunk.step_s,
                step_s=chunk.step_s * many,
                until_s=chunk.until_s,
            )
            self._send(link, part)
        self._turn[operator] = (turn + chunk.count) % many

    def _by_weight(self, links: Sequence[_Link], chunk: Chunk) -> None:
        """Each tuple to the thread that it is due to most."""
        total = sum(link.weight for link in links)
        for at in range(chunk.count):
            for link in links:
                link.credit += link.weight / total
            most = max(links, key=lambda link: link.credit)
            most.credit -= 1.0
            first, due_s = chunk.first + at * chunk.stride, chunk.due_s + at * chunk.step_s
            self._send(most, replace(chunk, first=first, count=1, due_s=due_s))

    @staticmethod
    def _send(link: _Link, chunk: Chunk) -> None:
        link.sent.append(chunk)
        link.writer.write(pack_chunk(chunk))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        link: _Link | None = None
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            role = await self._name(reader)
            operator = self._role(role)
            if operator is not None:
                writer.write(pack_name(operator))
                assert await reader.readexactly(1) == READY
                link = _Link(operator, writer, self._flow.weights.get(role, {}).get(operator, 1.0))
                self._links[operator].append(link)
                while raw := await reader.readexactly(DONE_BYTES):
                    self._note(link, raw)
        if link is not None:
            self._links[link.operator].remove(link)
        writer.close()

    def _note(self, link: _Link, raw: bytes) -> None:
        done = unpack_done(raw)
        chunk = link.sent.popleft()
        if done.count == 0:
            return
        self._reports.append(ChunkReport(link.operator, done.count, done.latency_sum_s, done.at_s))
        whole = done.count == chunk.count
        passed = (
            chunk if whole else Chunk(chunk.first, chunk.stride, done.count, chunk.due_s, chunk.step_s, chunk.until_s)
        )
        self._pass_on(link.operator, passed)

    def _role(self, slot: str) -> str | None:
        """The next operator that wants a thread on that slot."""
        free = self._free.get(slot, self._free.get("", []))
        return free.pop(0) if free else None

    @staticmethod
    async def _name(reader: asyncio.StreamReader) -> str:
        size = int.from_bytes(await reader.readexactly(2), "little")
        return (await reader.readexactly(size)).decode()

    async def _end(self) -> None:
        assert self._server is not None
        self._server.close()
        for links in self._links.values():
            for link in links:
                link.writer.close()
        if serving := asyncio.all_tasks() - {asyncio.current_task()}:
            _, left = await asyncio.wait(serving, timeout=_END_WITHIN_S)
            for task in left:  # threads that came but never became ready
                task.cancel()
            await asyncio.gather(*left, return_exceptions=True)
