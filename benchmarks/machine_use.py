"""Who used the machine meanwhile: the cores of each process that is ours, of all others, and what the host took."""

import os
from collections.abc import Iterable, Mapping
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


def read_machine(names: Mapping[int, str]) -> Reading:
    """The machine now, and those processes by name, each with all that it has started and nobody else of them has."""
    first = Path("/proc/stat").read_text(encoding="ascii").splitlines()[0]
    load = float(Path("/proc/loadavg").read_text(encoding="ascii").split()[0])
    busy_s, idle_s, steal_s = cpu_line(first)
    texts = (_text(place / "stat") for place in Path("/proc").iterdir() if place.name.isdigit())
    return Reading(busy_s, idle_s, steal_s, load, used_by(names, [process(text) for text in texts if text]))


def cpu_line(line: str) -> tuple[float, float, float]:
    """Busy, idle and stolen seconds of the first line of /proc/stat."""
    user, nice, system, idle, wait, irq, soft_irq, steal = (int(word) / _TICKS_PER_S for word in line.split()[1:9])
    return user + nice + system + irq + soft_irq, idle + wait, steal


@dataclass(frozen=True, slots=True)
class Process:
    """One process: who started it, and its CPU time with that of those it started that have ended."""

    pid: int
    parent: int
    used_s: float


def process(text: str) -> Process:
    """Of its /proc/PID/stat; the name in it may hold anything."""
    pid, _, rest = text.partition(" ")
    words = rest.rpartition(")")[2].split()
    return Process(int(pid), int(words[1]), sum(int(word) for word in words[11:15]) / _TICKS_PER_S)


def used_by(names: Mapping[int, str], processes: Iterable[Process]) -> dict[str, float]:
    """CPU seconds by name: a process counts to the nearest of those named that it comes from."""
    known = {process.pid: process for process in processes}
    used_s = dict.fromkeys(names.values(), 0.0)
    for process in known.values():
        at: Process | None = process
        while at is not None and at.pid not in names:
            at = known.get(at.parent)
        if at is not None:
            used_s[names[at.pid]] += process.used_s
    return used_s


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


def _text(place: Path) -> str:
    try:
        return place.read_text(encoding="utf-8", errors="replace")
    except OSError:  # it has ended
        return ""
