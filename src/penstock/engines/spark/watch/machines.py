"""Machines: the executors of the application, gathered by host, with the load of those hosts that can be seen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from penstock.core.seen.figures import MachineFigures
from penstock.engines.lost_executors import Departed
from penstock.engines.spark.watch.stages import store_epoch_s

DRIVER = "driver"  # as Spark names the one that takes tasks in local mode
_ASKED = ("Executor killed by driver", "Executor decommission")


@dataclass(frozen=True, slots=True)
class Executor:
    """One executor that takes tasks; in local mode the driver is one."""

    id: str
    host: str
    slots: int
    memory_share: float | None
    tasks_s: float = 0.0  # of all tasks that ended in it since its start
    gc_s: float = 0.0  # of these, while garbage was collected
    since_s: float = 0.0  # when it registered, seconds since the epoch


@dataclass(frozen=True, slots=True)
class Here:
    """How the machine of the driver stands."""

    cores: int
    load: float
    memory_share: float | None = None


def machines(
    executors: Sequence[Executor], driver_host: str | None, gc_shares: Mapping[str, float], here: Here
) -> tuple[MachineFigures, ...]:
    """One record for each host. Load and memory are known for this machine only, by whatever address it goes."""
    hosts: dict[str, list[Executor]] = {}
    for executor in executors:
        hosts.setdefault(executor.host, []).append(executor)
    told = ((_machine(host, found, driver_host, here), gc_shares.get(host)) for host, found in sorted(hosts.items()))
    return tuple(replace(machine, gc_share=share) for machine, share in told)


def executor_of(entry: Mapping[str, Any]) -> Executor:
    """One of those that Spark's status store lists."""
    used, most = entry["memoryUsed"], entry["maxMemory"]
    return Executor(
        id=entry["id"],
        host=entry["hostPort"].rsplit(":", 1)[0],
        slots=entry["totalCores"],
        memory_share=used / most if most > 0 else None,
        tasks_s=entry["totalDuration"] / 1000.0,
        gc_s=entry["totalGCTime"] / 1000.0,
        since_s=store_epoch_s(entry["addTime"]),
    )


def departed_of(entry: Mapping[str, Any]) -> Departed | None:
    """One that Spark's status store lists and that runs no more; None for those that run.

    Whoever ends an executor by Spark's own means is named in the reason: penstock, Spark's dynamic allocation, a worker
    that is taken down in time. All others were lost, those that a cluster manager takes away included.
    """
    if entry["isActive"] or "removeTime" not in entry:
        return None
    return Departed(entry["id"], store_epoch_s(entry["removeTime"]), entry.get("removeReason", "").startswith(_ASKED))


def _machine(host: str, executors: Sequence[Executor], driver_host: str | None, here: Here) -> MachineFigures:
    slots = sum(executor.slots for executor in executors)
    # In local mode there is none to have more of, as a shortfall would be told in.
    count = sum(executor.id != DRIVER for executor in executors) or None
    if host == driver_host or host.startswith("127.") or host == "localhost":
        return MachineFigures(host, here.cores, here.load, here.memory_share, executors=count, slots=slots)
    return MachineFigures(name=host, cores=slots, executors=count, slots=slots)
