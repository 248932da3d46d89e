"""Executors' memory: fixed when an application registers with a standalone master, so another size starts it again.

The application can only be ended from outside: by whoever started it, who is asked for that and knows how to start it
again with its run, its slots and all else it had.
"""

from collections.abc import Callable

from penstock.core.levers import WHOLE, Dial, Disturbs, Kind, Memory, Shows
from penstock.engines.spark.levers.found import LeverTools
from penstock.engines.spark.levers.lever import Lever
from penstock.engines.spark.port import Heap
from penstock.errors import EngineError

LEAST_MIB = 512  # Spark starts no executor with less than 450


def lever(tools: LeverTools) -> Lever[Memory]:
    """The memory of all executors."""
    return MemoryLever(tools.spark.heap, tools.ask_memory)


class MemoryLever(Lever[Memory]):
    """There is none without a `heap`, nor where nobody can be asked to start the application again."""

    kind: Kind = "memory"

    def __init__(self, heap: Heap | None, ask: Callable[[int], None] | None) -> None:
        self._heap = heap
        self._ask = ask
        self._asked: int | None = None

    def of_all(self, wall_s: float) -> Dial | None:
        heap = self._heap
        if heap is None or self._ask is None:
            return None
        limits = (LEAST_MIB, heap.most_mib(wall_s), self._asked)
        restart = {"disturbs": Disturbs.APPLICATION, "shows": Shows.AFTER_RESTART}
        return Dial("memory", WHOLE, heap.now_mib, *limits, **restart)  # type: ignore[arg-type]

    def turn(self, move: Memory, wall_s: float) -> None:
        heap = self._heap
        if heap is None or self._ask is None:
            raise EngineError(
                "the memory of executors is fixed when their application starts; `penstock run` on a standalone "
                "cluster starts its own again"
            )
        most = heap.most_mib(wall_s)
        if move.after < LEAST_MIB:
            raise EngineError(f"no executor starts with {move.after:,} MiB; ask for {LEAST_MIB} or more")
        if most is not None and move.after > most:
            raise EngineError(f"no worker has {move.after:,} MiB; ask for {most:,} or less, as the largest one has")
        if move.after != (self._asked or heap.now_mib):
            self._ask(move.after)
            self._asked = move.after
