"""CPU and memory of a process with all that it started, as the kernel counts them."""

import os
from dataclasses import dataclass
from pathlib import Path

from penstock.errors import EngineError

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_KB = 1024


@dataclass(frozen=True, slots=True)
class Usage:
    """What some processes used."""

    cpu_s: float
    processes: int


def below(pid: int) -> tuple[int, ...]:
    """All processes that this one started, and those that they started."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (fields := _fields(int(entry.name))) is not None:
            children.setdefault(int(fields[1]), []).append(int(entry.name))
    found: list[int] = []
    waiting = [pid]
    while waiting:
        born = children.get(waiting.pop(), [])
        found += born
        waiting += born
    return tuple(sorted(found))


def cpu(pids: tuple[int, ...]) -> Usage:
    """Seconds of a core that these have used so far; those that are gone count nothing."""
    known = [fields for pid in pids if (fields := _fields(pid)) is not None]
    return Usage(sum(int(fields[11]) + int(fields[12]) for fields in known) / _TICKS_PER_S, len(known))


def memory_bytes(pids: tuple[int, ...]) -> int:
    """Memory in use: pages that several share are divided among them, or forked workers would count many times."""
    return sum(_proportional_bytes(pid) for pid in pids)


def _proportional_bytes(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
    except (FileNotFoundError, ProcessLookupError):  # it has just ended
        return 0
    except PermissionError:
        raise EngineError(f"the memory of process {pid} may not be read; profile as the user that runs Spark") from None
    return sum(int(line.split()[1]) * _KB for line in lines if line.startswith("Pss:"))


def _fields(pid: int) -> list[str] | None:
    """The fields of /proc/PID/stat after the name, which may hold spaces: state, parent, ..."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
