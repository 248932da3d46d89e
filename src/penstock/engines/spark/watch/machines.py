"""Machines: the executors of the application, gathered by host, with the load of those hosts that can be seen."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from penstock.core.figures import MachineFigures


@dataclass(frozen=True, slots=True)
class Executor:
    """One executor that takes tasks; in local mode the driver is one."""

    id: str
    host: str
    slots: int
    memory_share: float | None
    tasks_s: float = 0.0  # of all tasks that ended in it since its start
    gc_s: float = 0.0  # of these, while garbage was collected


def machines(
    executors: Sequence[Executor], driver_host: str | None, gc_shares: Mapping[str, float]
) -> tuple[MachineFigures, ...]:
    """One record for each host. Load and memory are known for this machine only, by whatever address it goes."""
    hosts: dict[str, list[Executor]] = {}
    for executor in executors:
        hosts.setdefault(executor.host, []).append(executor)
    told = ((_machine(host, found, driver_host), gc_shares.get(host)) for host, found in sorted(hosts.items()))
    return tuple(replace(machine, gc_share=share) for machine, share in told)


def executor_of(entry: Mapping[str, Any]) -> Executor:
    used, most = entry["memoryUsed"], entry["maxMemory"]
    """One of those that Spark's status store lists."""
    return Executor(
        id=entry["id"],
        host=entry["hostPort"].rsplit(":", 1)[0],
        slots=entry["totalCores"],
        memory_share=used / most if most > 0 else None,
        tasks_s=entry["totalDuration"] / 1000.0,
        gc_s=entry["totalGCTime"] / 1000.0,
    )


def _machine(host: str, executors: Sequence[Executor], driver_host: str | None) -> MachineFigures:
    slots = sum(executor.slots for executor in executors)
    if host == driver_host or host.startswith("127.") or host == "localhost":
        return MachineFigures(
            name=host,
            cores=os.cpu_count() or 1,
            load=os.getloadavg()[0],
            memory_share=_memory_share(Path("/proc/meminfo")),
            executors=len(executors),
            slots=slots,
        )
    return MachineFigures(name=host, cores=slots, executors=len(executors), slots=slots)


def _memory_share(meminfo: Path) -> float | None:
    if not meminfo.exists():
        return None
    fields = dict(line.split(":", 1) for line in meminfo.read_text(encoding="ascii").splitlines())
    total, available = (float(fields[name].split()[0]) for name in ("MemTotal", "MemAvailable"))
    return 1.0 - available / total
