"""A thread: what one Spark task does from the job's start to its end. Runs in Spark's Python workers."""

import os
import socket
import time
from collections.abc import Callable, Iterable, Iterator, Mapping

from penstock.core.seen.trial import Task, Work
from penstock.engines.spark.profiling.roles import role_of
from penstock.engines.spark.profiling.wire import (
    CHUNK_BYTES,
    READY,
    Done,
    pack_done,
    pack_name,
    read,
    read_name,
    unpack_chunk,
)

# Makes a task where it is needed: a thread that also loaded the modules of all others would hold more than its own.
Loader = Callable[[], Task]

_REACHED_WITHIN_S = 30.0


def thread_of(
    address: tuple[str, int],
    tasks: Mapping[str, Loader],
    operator: str | None = None,
    now: Callable[[], float] = time.monotonic,
) -> Callable[[Iterable[int]], Iterator[int]]:
    """The function of a partition: it asks at that address which task it is to do, and does it until told to end.

    A thread that is bound to an `operator` asks for that one. Says at the end how many tuples it did. What is not begun
    when the trial ends by its clock, `now`, is dropped.
    """

    def thread(partition: Iterable[int]) -> Iterator[int]:
        with socket.create_connection(address, timeout=_REACHED_WITHIN_S) as link:
            link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            link.settimeout(None)
            # The slot that this executor is: each worker of our clusters has an address of its own.
            link.sendall(pack_name(role_of(os.environ.get("SPARK_LOCAL_IP", ""), operator)))
            role = read_name(link)
            if role is None:
                return
            with tasks[role]().open() as work:
                link.sendall(READY)
                yield _serve(link, work, now)

    return thread


def _serve(link: socket.socket, work: Work, now: Callable[[], float]) -> int:
    total = 0
    while (raw := read(link, CHUNK_BYTES)) is not None:
        chunk = unpack_chunk(raw)
        message, due_s, latency_s = chunk.first, chunk.due_s, 0.0
        count, at_s = 0, now()
        while count < chunk.count and at_s < chunk.until_s:
            work(message)
            at_s = now()
            latency_s += at_s - due_s
            message += chunk.stride
            due_s += chunk.step_s
            count += 1
        total += count
        try:
            link.sendall(pack_done(Done(count, latency_s, at_s)))
        except ConnectionError:  # the trial is over and nobody waits for the rest
            break
    return total
