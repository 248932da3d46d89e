"""The line for slots: jobs with tasks that wait, found by rank without a look at each of them.

A rank changes with each task that begins or ends. Each is noted in a heap, and one that holds no longer is dropped
where it comes up: of ten thousand jobs that wait, the next task's is found in some few steps.
"""

import heapq
from collections.abc import Callable

from penstock.engines.sim.microbatch.shares import Rank
from penstock.engines.sim.microbatch.state import JobState

_LEAST = 64  # ranks: of fewer nobody need be rid


class WaitingLine:
    """Those that wait, by `order`; whoever changes what that goes by says so."""

    __slots__ = ("_heap", "_jobs", "_order")

    def __init__(self, order: Callable[[JobState], Rank]) -> None:
        self._order = order
        self._jobs: dict[str, JobState] = {}
        self._heap: list[Rank] = []

    def __bool__(self) -> bool:
        return bool(self._jobs)

    def first(self) -> JobState:
        """Whose turn it is; somebody waits."""
        while True:
            rank = self._heap[0]
            job = self._jobs.get(rank[2])
            if job is not None and self._order(job) == rank:
                return job
            heapq.heappop(self._heap)

    def in_order(self) -> list[JobState]:
        """All, by their ranks now."""
        return sorted(self._jobs.values(), key=self._order)

    def awaits(self, job: JobState, tasks: int) -> None:
        """So many of its tasks have no slot yet."""
        job.waiting = tasks
        if not tasks:
            self._jobs.pop(job.name, None)
            return
        self._jobs[job.name] = job
        self.moved(job)

    def moved(self, job: JobState) -> None:
        """What its rank goes by has changed."""
        if job.name in self._jobs:
            heapq.heappush(self._heap, self._order(job))
            if len(self._heap) > _LEAST + 4 * len(self._jobs):
                self.all_moved()

    def all_moved(self) -> None:
        """What all ranks go by has changed."""
        self._heap = [self._order(job) for job in self._jobs.values()]
        heapq.heapify(self._heap)
