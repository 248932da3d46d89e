"""The soak's driver: `penstock run` in a process of its own, how much memory it has, and whom else there is to kill."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from statistics import median

from penstock.engines.spark import launch
from penstock.local import processes

HEAP_MIB = 1024
JUDGED_FROM_S = 600.0  # the JVM compiles, and Spark keeps the last 1000 jobs, stages and executions, for so long
JUDGED_LIFE_S = 1200.0  # a life that is shorter says nothing of growth
MEAN_OF_S = 120.0
PARTS_EVERY_S = 60.0  # a JVM's memory map takes some milliseconds to tell
_DAY_S = 86_400.0
_POINTS = 120  # of a series: more tell no more of its slope
_GC_EVERY = "1min"
_MAPPING = re.compile(r"^[0-9a-f]+-[0-9a-f]+ (\S+) \S+ \S+ \d+\s*(.*)$")
_COLLECTED = re.compile(r"^\[([\d.]+)s\].*Pause Full.*->(\d+)M\(")
_ENDS_WITHIN_S = 120.0

Series = list[tuple[float, float]]  # seconds of a life, and MiB


@dataclass(frozen=True, slots=True)
class Parts:
    """What a driver's memory is made of, in MiB."""

    at_s: float
    python: float
    code: float  # that the JVM has compiled
    rest: float  # of the JVM, without that and without its heap


@dataclass(frozen=True, slots=True)
class Life:
    """One life of the driver: how much memory it had, seen from outside."""

    number: int
    started_s: float
    resident: Series = field(default_factory=list)  # its Python and its JVM, whose heap is there in full from the start
    parts: list[Parts] = field(default_factory=list)  # of it, once a minute
    heap: Series = field(default_factory=list)  # what that heap held after each full collection: what is in use


@dataclass(slots=True)
class Driver:
    """`penstock run` on a tenants file, its checkpoints those of the life before."""

    place: Path
    lives: list[Life] = field(default_factory=list)
    process: "subprocess.Popen[bytes] | None" = None

    def start(self) -> None:
        """Begin a life."""
        number = len(self.lives)
        environment = {**os.environ, "XDG_STATE_HOME": str(self.place / "state")}
        command = [sys.executable, "-m", "penstock.cli.main", "run", str(self.place / "tenants.yaml")]
        with self._log(number).open("wb") as log:
            # In a group of its own: Ctrl-C is ours, and what it should end we end.
            self.process = subprocess.Popen(command, stdout=log, stderr=log, env=environment, start_new_session=True)
        self.lives.append(Life(number, time.monotonic()))

    def look(self) -> float:
        """Note its memory, in MiB; a driver that ended by itself is a failure of the soak."""
        assert self.process is not None
        life = self.lives[-1]
        if self.process.poll() is not None:
            said = self._log(life.number).read_text(encoding="utf-8", errors="replace").splitlines()[-5:]
            raise SystemExit("the driver ended by itself; it said:\n" + "\n".join(said))
        pids, at_s = processes.family(self.process.pid), time.monotonic() - life.started_s
        resident = sum(map(_rss_mib, pids))
        life.resident.append((at_s, resident))
        if not life.parts or at_s >= life.parts[-1].at_s + PARTS_EVERY_S:
            life.parts.append(_parts(at_s, pids))
        return resident

    def kill(self) -> None:
        """End its Python, with the controller in it, and its JVM at once."""
        if self.process is None:
            return
        for pid in processes.family(self.process.pid):
            with contextlib.suppress(ProcessLookupError):  # ended with its parent
                os.kill(pid, signal.SIGKILL)
        self.process.wait(_ENDS_WITHIN_S)
        self.process = None
        self.lives[-1].heap.extend(_collected(self._gc_log))

    @property
    def conf(self) -> dict[str, str]:
        """What the tenants file must say, so that its memory can be seen."""
        log4j = Path(launch.__file__).with_name("log4j2.properties")
        # The heap is there in full from the start: what grows beside it is seen at once.
        heap = f"-Xms{HEAP_MIB}m -XX:+AlwaysPreTouch -Xlog:gc:file={self._gc_log}:uptime:filecount=0"
        return {
            "spark.driver.memory": f"{HEAP_MIB}m",
            "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={log4j} {heap}",
            # A full collection every minute, by Spark's own clock, tells what is really in use.
            "spark.cleaner.periodicGC.interval": _GC_EVERY,
        }

    @property
    def _gc_log(self) -> Path:
        return self.place / "gc.log"

    def _log(self, number: int) -> Path:
        return self.place / f"driver-{number}.log"


def growth(series: Sequence[tuple[float, float]]) -> float | None:
    """MiB that came on top from the end of warming up to the end of a life; None for a life too short to tell."""
    if not series or series[-1][0] < JUDGED_LIFE_S:
        return None
    end_s = series[-1][0]
    first = [mib for at_s, mib in series if JUDGED_FROM_S <= at_s < JUDGED_FROM_S + MEAN_OF_S]
    last = [mib for at_s, mib in series if at_s > end_s - MEAN_OF_S]
    return sum(last) / len(last) - sum(first) / len(first) if first else None


def per_day(series: Sequence[tuple[float, float]]) -> float | None:
    """MiB that would come on top in 24 hours, by the second half of a life; None for a life too short to tell.

    The median of the slopes between any two points: what is there for a moment only counts little.

    >>> minutes = [(60.0 * minute, 100.0 + 0.5 * minute) for minute in range(61)]
    >>> per_day(minutes)
    720.0
    >>> per_day([*minutes[:40], (2400.0, 900.0), *minutes[41:]])
    720.0
    >>> per_day(minutes[:15])
    """
    if not series or series[-1][0] < JUDGED_LIFE_S:
        return None
    from_s = max(JUDGED_FROM_S, series[-1][0] / 2.0)
    half = [point for point in series if point[0] >= from_s]
    half = half[:: max(1, len(half) // _POINTS)]
    slopes = [(b - a) / (later - earlier) for (earlier, a), (later, b) in combinations(half, 2) if later > earlier]
    return median(slopes) * _DAY_S if slopes else None


def executors(place: Path) -> list[int]:
    """The executors of our own workers: their working directories are below ours."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if entry.joinpath("cwd").readlink().is_relative_to(place) and b"CoarseGrained" in (
                entry.joinpath("cmdline").read_bytes()
            ):
                found.append(int(entry.name))
        except OSError:  # gone, or another user's
            continue
    return sorted(found)


def jvms(pids: Sequence[int]) -> list[int]:
    """Those that run Java; one that ended a moment ago is none."""
    return [pid for pid in pids if [Path(word).name for word in processes.command_of(pid)[:1]] == ["java"]]


def _collected(gc_log: Path) -> Series:
    found = (_COLLECTED.match(line) for line in gc_log.read_text(encoding="utf-8").splitlines())
    return [(float(match[1]), float(match[2])) for match in found if match is not None]


def _parts(at_s: float, pids: Sequence[int]) -> Parts:
    java = jvms(pids)
    code = sum(_code_mib(_smaps(pid)) for pid in java)
    rest = sum(_rss_mib(pid) - HEAP_MIB for pid in java) - code
    return Parts(at_s, sum(_rss_mib(pid) for pid in pids if pid not in java), code, rest)


def _smaps(pid: int) -> Sequence[str]:
    try:
        return Path(f"/proc/{pid}/smaps").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:  # it has just ended
        return ()


def _code_mib(smaps: Iterable[str]) -> float:
    """Resident, in mappings of no file that may be executed: what a JVM has compiled.

    >>> own, library = "7f00-7f10 rwxp 0000 00:00 0", "7f10-7f20 r-xp 0000 08:01 7  /lib/libc.so"
    >>> _code_mib([own, "Rss:  2048 kB", library, "Rss:  4 kB"])
    2.0
    """
    found, code = 0.0, False
    for line in smaps:
        begins = _MAPPING.match(line)
        if begins is not None:
            code = "x" in begins[1] and not begins[2]
        elif code and line.startswith("Rss:"):
            found += int(line.split()[1]) / 1024
    return found


def _rss_mib(pid: int) -> float:
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20
