"""The Python workers of an application's executors on this machine: the time that they had a core, by the kernel."""

import os
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

from penstock.local.processes import command_of, stat_fields

_MODULES = {"pyspark.daemon", "pyspark.worker"}  # what Spark starts for its tasks; a daemon forks workers
_APPLICATION = "--app-id"  # of an executor's JVM
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_LOOK_EVERY_S = 10.0  # for executors and daemons that came: that reads all processes, 5 ms for 300


class PythonWorkers:
    """Adds up what they used, those included that are gone since."""

    def __init__(self, driver: int, application: str, local: bool, even: Callable[[], float] = time.monotonic) -> None:
        """`driver` is the driver's process, which in local mode is the executor."""
        self._driver = driver
        self._application = application
        self._local = local
        self._even = even
        self._seen = Path(f"/proc/self/task/{os.getpid()}/children").exists()  # as this kernel may not tell
        self._looked_s: float | None = None
        self._executors: tuple[int, ...] = ()
        self._daemons: tuple[int, ...] = ()
        self._used: dict[int, int] = {}  # ticks of each that lives
        self._ticks = 0  # of all that ever lived

    def cpu_s(self, executors: int) -> float | None:
        """Seconds of a core since the first look, and before it; None where not all of so many executors are here."""
        now_s = self._even()
        coming = len(self._executors) >= executors and not self._daemons  # with the first stage that needs one
        if coming or self._looked_s is None or now_s - self._looked_s >= _LOOK_EVERY_S:
            self._looked_s = now_s
            self._look()
        if not self._seen or len(self._executors) < executors:
            return None
        self._add_up()
        return self._ticks / _TICKS_PER_S

    def _look(self) -> None:
        parents = {pid: int(fields[1]) for pid in _processes() if (fields := stat_fields(pid)) is not None}
        found = [self._driver] if self._local else [pid for pid in parents if self._is_executor(command_of(pid))]
        self._executors = tuple(pid for pid in found if pid in parents)
        below = [pid for pid, parent in parents.items() if parent in self._executors]
        self._daemons = tuple(pid for pid in below if _is_python(command_of(pid)))

    def _is_executor(self, command: list[str]) -> bool:
        return (_APPLICATION, self._application) in pairwise(command)

    def _add_up(self) -> None:
        used = dict[int, int]()
        for daemon in self._daemons:
            for pid in (daemon, *_children(daemon)):
                fields = stat_fields(pid)
                if fields is not None:
                    used[pid] = int(fields[11]) + int(fields[12])
        for pid, ticks in used.items():
            before = self._used.get(pid, 0)
            self._ticks += ticks - (before if before <= ticks else 0)  # what has used less is another process by now
        self._used = used


def _processes() -> Iterator[int]:
    try:
        yield from (int(name) for name in os.listdir("/proc") if name.isdigit())
    except OSError:  # another kernel: nobody is seen
        return


def _is_python(command: list[str]) -> bool:
    return any(first == "-m" and then in _MODULES for first, then in pairwise(command))


def _children(pid: int) -> tuple[int, ...]:
    """Of a process with one thread, as Spark's daemon is."""
    try:
        return tuple(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()))
    except OSError:
        return ()
