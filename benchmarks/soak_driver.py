"""The soak's driver in a process of its own, `penstock run` or the queries alone: how much memory it has, and whom else
there is to kill."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from soak_growth import Series

from penstock.engines.spark import launch
from penstock.local import processes

HEAP_MIB = 1024
PARTS_EVERY_S = 60.0  # a JVM's memory map takes some milliseconds to tell
_GC_EVERY = "1min"
_PLAIN = Path(__file__).with_name("soak_plain.py")
_MAPPING = re.compile(r"^[0-9a-f]+-[0-9a-f]+ (\S+) \S+ \S+ \d+\s*(.*)$")
_COLLECTED = re.compile(r"^\[([\d.]+)s\].*Pause Full.*->(\d+)M\(")
_ENDS_WITHIN_S = 120.0


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
    """`penstock run` on a tenants file, its checkpoints those of the life before; or the same queries without it."""

    place: Path
    governed: bool = True
    lives: list[Life] = field(default_factory=list)
    process: "subprocess.Popen[bytes] | None" = None

    def start(self) -> None:
        """Begin a life."""
        number = len(self.lives)
        environment = {**os.environ, "XDG_STATE_HOME": str(self.place / "state")}
        runs = ["-m", "penstock.cli.main", "run"] if self.governed else [str(_PLAIN)]
        command = [sys.executable, *runs, str(self.place / "tenants.yaml")]
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
