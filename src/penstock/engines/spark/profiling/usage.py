"""CPU and memory of a process with all that it started, as the kernel counts them."""

import os
from dataclasses import dataclass
from pathlib import Path

from penstock.errors import EngineError
from penstock.local.processes import family, stat_fields

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_KB = 1024


@dataclass(frozen=True, slots=True)
class Usage:
    """What some processes used."""

    cpu_s: float
    processes: int


def below(pid: int) -> tuple[int, ...]:
    """The processes that this one started, and those that they started, down to the last."""
    return tuple(sorted(family(pid)[1:]))


def cpu(pids: tuple[int, ...]) -> Usage:
    """Seconds of a core that these have used so far; those that are gone count nothing."""
    known = [fields for pid in pids if (fields := stat_fields(pid)) is not None]
    return Usage(sum(int(fields[11]) + int(fields[12]) for fields in known) / _TICKS_PER_S, len(known))


def core_busy_s(core: int) -> float:
    """Seconds that this core has worked so far, for whomever; time that the host took from a virtual machine too."""
    for line in Path("/proc/stat").read_text(encoding="ascii").splitlines():
        name, *ticks = line.split()
        if name == f"cpu{core}":
            user, nice, system, _idle, _waiting, *rest = (int(tick) for tick in ticks[:8])
            return (user + nice + system + sum(rest)) / _TICKS_PER_S
    raise EngineError(f"the kernel tells nothing of core {core}; choose another with taskset")


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
