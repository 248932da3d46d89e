"""Garbage: the share of their tasks' time that the executors of each host spent on collecting it, over a window."""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from penstock.engines.spark.watch.machines import Executor


@dataclass(frozen=True, slots=True)
class _Reading:
    at_s: float
    executors: Mapping[str, Executor]


class GarbageWatch:
    """Spark counts from an executor's start on; what is told is of the last `window_s`, as far as it was looked at."""

    def __init__(self, window_s: float) -> None:
        self._window_s = window_s
        self._readings: deque[_Reading] = deque()

    def shares(self, executors: Sequence[Executor], at_s: float) -> Mapping[str, float]:
        """By host, of the tasks that ended since; a host is absent where none did. A longer task counts at its end."""
        self._readings.append(_Reading(at_s, {executor.id: executor for executor in executors}))
        while len(self._readings) > 2 and self._readings[1].at_s <= at_s - self._window_s:
            self._readings.popleft()
        before = self._readings[0].executors
        gc_s, tasks_s = dict[str, float](), dict[str, float]()
        for executor in executors:
            then = before.get(executor.id)
            # One that came meanwhile counts from zero; what ran before the first look is not known to be of the window.
            gc_s[executor.host] = gc_s.get(executor.host, 0.0) + executor.gc_s - (then.gc_s if then else 0.0)
            tasks_s[executor.host] = (
                tasks_s.get(executor.host, 0.0) + executor.tasks_s - (then.tasks_s if then else 0.0)
            )
        return {host: min(1.0, gc_s[host] / tasks_s[host]) for host in gc_s if tasks_s[host] > 0}
