"""Executors: how many the application holds, on a cluster manager that can start and end them."""

from collections.abc import Callable

from penstock.core.levers import WHOLE, Dial, Executors, Kind, Shows
from penstock.engines.spark.levers.found import LeverTools
from penstock.engines.spark.levers.lever import Lever
from penstock.engines.spark.port import ExecutorCount
from penstock.engines.spark.state.capacity import Capacity
from penstock.errors import EngineError


def lever(tools: LeverTools) -> Lever[Executors]:
    """The number of executors."""
    return ExecutorsLever(tools.spark.executors, tools.capacity, tools.clocks.even)


class ExecutorsLever(Lever[Executors]):
    """Their number; where it follows the jobs' slots (`application/elastic`), a turn moves the most it may come to.

    A turn only asks: no round waits for an executor.
    """

    kind: Kind = "executors"

    def __init__(self, executors: ExecutorCount, capacity: Capacity, even: Callable[[], float]) -> None:
        self._executors = executors
        self._turned = capacity.turned
        self._elastic = capacity.elastic
        self._even = even

    def of_all(self, wall_s: float) -> Dial | None:
        if not self._executors.scalable:
            return None
        now = self._executors.count()
        asked = self._turned.asked if self._elastic is None else self._elastic.most
        follows = self._elastic is not None and self._elastic.follows
        asked = None if asked == now else asked
        return Dial("executors", WHOLE, now, 1, asked=asked, shows=Shows.WHEN_GIVEN, follows=follows)

    def turn(self, move: Executors, wall_s: float) -> None:
        if self._elastic is None:
            self._turned.turn(move.after, self._even())
            return
        if move.after < 1:
            raise EngineError(f"{move.after} executors cannot run a query; ask for at least 1")
        self._elastic.allow(move.after, self._even())
