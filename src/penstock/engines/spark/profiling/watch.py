"""A look at the processes of workers at the beginning and the end of a window, while a trial runs."""

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass

from penstock.engines.spark.profiling import usage
from penstock.errors import EngineError
from penstock.local.processes import Process


@dataclass(frozen=True, slots=True)
class Used:
    """What a worker's processes used over a while: cores, and memory at its end."""

    cpu_share: float
    memory_bytes: int


@dataclass(frozen=True, slots=True)
class WorkerUse:
    """What each worker used, and what the cores that were watched did for others meanwhile."""

    workers: tuple[Used, ...]
    others_share: float


class WorkerWatch:
    """Looks while the caller does something else; `core`, when given, is the one whose other users are counted."""

    def __init__(
        self,
        workers: Sequence[Process],
        core: int | None,
        begin_s: float,
        end_s: float,
    ) -> None:
        self._workers = workers
        self._core = core
        self._window_s = (begin_s, end_s)
        self._found: WorkerUse | None = None
        self._origin_s = time.monotonic()
        self._looking = threading.Thread(target=self._look, name="watch", daemon=True)
        self._looking.start()

    def result(self) -> WorkerUse:
        """What was seen, once the window is over."""
        self._looking.join()
        if self._found is None:
            raise EngineError("the workers' processes could not be looked at; are they there still?")
        return self._found

    def _look(self) -> None:
        begin_s, end_s = self._window_s
        self._sleep_until(begin_s)
        pids = [usage.below(worker.pid) for worker in self._workers]
        busy_s, first, first_at = self._busy_s(), [usage.cpu(each).cpu_s for each in pids], time.monotonic()
        self._sleep_until(end_s)
        busy_s, last, last_at = self._busy_s() - busy_s, [usage.cpu(each).cpu_s for each in pids], time.monotonic()
        window_s = last_at - first_at
        own_s = [after - before for before, after in zip(first, last, strict=True)]
        self._found = WorkerUse(
            tuple(Used(spent / window_s, usage.memory_bytes(each)) for spent, each in zip(own_s, pids, strict=True)),
            0.0 if self._core is None else max(0.0, busy_s - sum(own_s)) / window_s,
        )

    def _busy_s(self) -> float:
        return 0.0 if self._core is None else usage.core_busy_s(self._core)

    def _sleep_until(self, at_s: float) -> None:
        time.sleep(max(0.0, self._origin_s + at_s - time.monotonic()))
