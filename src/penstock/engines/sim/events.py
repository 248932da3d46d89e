"""What is due when in a simulated cluster: jobs that come and go, faults, restarts."""

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(slots=True)
class EventQueue:
    """Deeds by time; equal times keep their order of entry."""

    heap: list[tuple[float, int, Callable[[], None]]] = field(default_factory=list)
    entered: int = 0

    def at(self, at_s: float, do: Callable[[], None]) -> None:
        """Let it be done then."""
        heapq.heappush(self.heap, (at_s, self.entered, do))
        self.entered += 1

    def due(self, now: float) -> bool:
        """Whether anything is."""
        return bool(self.heap) and self.heap[0][0] <= now

    def run_due(self, now: float) -> None:
        """Do all that is due."""
        while self.due(now):
            heapq.heappop(self.heap)[2]()
