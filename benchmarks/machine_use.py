"""Who used the machine meanwhile: the cores of each process that is ours, of all others, and what the host took."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Reading:
    """CPU time since the machine began, all cores together, and that of some processes. In seconds."""

    busy_s: float
    idle_s: float
    steal_s: float
    load: float  # the mean number of runnable threads over the last minute
    processes_s: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class MachineUse:
    """How the machine was used between two readings."""

    cores: Mapping[str, float]  # that each process of ours kept busy
    others: float  # cores kept busy by everybody else
    idle: float  # cores that had nothing to do
    steal: float  # share of the time that the host gave to others
    load: float  # at the end

    def text(self) -> str:
        """In words."""
        ours = ", ".join(f"{name} {cores:.2f}" for name, cores in self.cores.items())
        told = f"cores: {ours}, others {self.others:.2f}, idle {self.idle:.2f}"
        return f"{told}; steal {self.steal:.1%}, load {self.load:.1f}"


def read_machine(pids: Mapping[str, int]) -> Reading:
    """The machine and these processes now; one that is gone has used nothing."""
    first = Path("/proc/stat").read_text(encoding="ascii").splitlines()[0]
    load = float(Path("/proc/loadavg").read_text(encoding="ascii").split()[0])
    busy_s, idle_s, steal_s = cpu_line(first)
    return Reading(busy_s, idle_s, steal_s, load, {name: _process_s(pid) for name, pid in pids.items()})


def cpu_line(line: str) -> tuple[float, float, float]:
    """Busy, idle and stolen seconds of the first line of /proc/stat."""
    user, nice, system, idle, wait, irq, soft_irq, steal = (int(word) / _TICKS_PER_S for word in line.split()[1:9])
    return user + nice + system + irq + soft_irq, idle + wait, steal


def use_between(before: Reading, after: Reading) -> MachineUse:
    """What was used of the machine meanwhile."""
    busy_s, idle_s = after.busy_s - before.busy_s, after.idle_s - before.idle_s
    steal_s = after.steal_s - before.steal_s
    all_s = max(busy_s + idle_s + steal_s, 1e-9)
    span_s = all_s / (os.cpu_count() or 1)
    ours_s = {name: max(0.0, used - before.processes_s.get(name, 0.0)) for name, used in after.processes_s.items()}
    return MachineUse(
        cores={name: used / span_s for name, used in ours_s.items()},
        others=max(0.0, busy_s - sum(ours_s.values())) / span_s,
        idle=idle_s / span_s,
        steal=steal_s / all_s,
        load=after.load,
    )


def _process_s(pid: int) -> float:
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0.0
    user, system = text.rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / _TICKS_PER_S
