"""YARN, by its ResourceManager's REST: nodes, what a queue allows, who holds which containers, and what waits.

Cores are virtual ones. YARN counts them where the capacity scheduler's resource-calculator is the
DominantResourceCalculator; with its default one each container has one, whatever it asked for.
"""

import json
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import floor
from typing import Any

from penstock.engines.applications.cluster import Allowance, Room, Worker, understood
from penstock.errors import OutageError
from penstock.http_answers import opened

_ANSWERS_WITHIN_S = 5.0
_MOST_BYTES = 256 * 2**20
_ALL = "root"
_LIVES = ("RUNNING", "DECOMMISSIONING")
_STATES = "NEW,NEW_SAVING,SUBMITTED,ACCEPTED,RUNNING"


@dataclass(frozen=True, slots=True)
class YarnCluster:
    """The ResourceManagers whose pages are at those addresses (of which one leads), and the queue that it may use."""

    urls: str
    queue: str = _ALL

    @property
    def name(self) -> str:
        """Its page, and the queue."""
        return self.urls if self.queue == _ALL else f"{self.urls}, queue {self.queue}"

    def room(self) -> Room:
        """What the ResourceManager that leads says now; one that does not sends on to the one that does."""
        said = ""
        for url in self.urls.split(","):
            try:
                with understood(f"the ResourceManager at {url}"):
                    return self._room(url.rstrip("/"))
            except OutageError as error:
                said = str(error)
        raise OutageError(said)

    def _room(self, url: str) -> Room:
        nodes = _asked(url, "nodes")["nodes"] or {}
        applications = _asked(url, f"apps?states={_STATES}")["apps"] or {}
        scheduler = _asked(url, "scheduler")["scheduler"]["schedulerInfo"]
        return room_of(nodes.get("node", ()), applications.get("app", ()), scheduler, self.queue)


def room_of(nodes: Sequence[Any], applications: Sequence[Any], scheduler: Any, queue: str = _ALL) -> Room:
    """What the pages say; `queue` bounds the applications in it and below."""
    held = {str(one["id"]): _cores(one) for one in applications}
    megabytes = _most_megabytes_per_core(applications, held)
    workers = tuple(_worker(node, megabytes) for node in nodes)
    masters = sum(_of_master(one)[0] for one in applications)
    within = _below(scheduler, queue)
    if within is None:
        raise OutageError(f"YARN has no queue {queue}")
    ours = [one for one in applications if _is_in(one, queue, within)]
    waits = dict(filter(None, (_waiting(one, scheduler) for one in applications)))
    allowance = None
    if queue != _ALL:
        total = sum(worker.cores for worker in workers if worker.alive)
        share = float(within.get("absoluteMaxCapacity", 100.0)) / 100.0
        cores = floor(total * share + 1e-6) - sum(_of_master(one)[0] for one in ours)
        allowance = Allowance(max(0, cores), frozenset(str(one["id"]) for one in ours))
    return Room(workers, held, used=masters, allowance=allowance, waits=waits)


def _asked(url: str, what: str) -> Any:
    asked = urllib.request.Request(f"{url}/ws/v1/cluster/{what}", headers={"Accept": "application/json"})
    # A ResourceManager that stands by sends on to the one that does not; nothing secret is told it.
    with opened(asked, _ANSWERS_WITHIN_S, goes_elsewhere=True) as response:
        return json.loads(response.read(_MOST_BYTES))


def _cores(application: Any) -> int:
    """Those of its executors: what it has but its master."""
    return max(0, int(application["allocatedVCores"]) - _of_master(application)[0])


def _of_master(application: Any) -> tuple[int, int]:
    """Cores and megabytes of its master; in cluster mode that is the driver."""
    usages = (application.get("resourceInfo") or {}).get("resourceUsagesByPartition") or ()
    found = [usage["amUsed"] for usage in usages if usage.get("amUsed")]
    return sum(int(one["vCores"]) for one in found), sum(int(one["memory"]) for one in found)


def _most_megabytes_per_core(applications: Sequence[Any], held: Mapping[str, int]) -> float:
    """What a core of an executor takes, of the greediest application; 0 where nobody has any."""
    known = [(one, held[str(one["id"])]) for one in applications]
    return max(((int(one["allocatedMB"]) - _of_master(one)[1]) / cores for one, cores in known if cores), default=0.0)


def _worker(node: Any, megabytes: float) -> Worker:
    """A node whose memory is nearly used up offers fewer cores than it has."""
    free, free_mib = int(node["availableVirtualCores"]), int(node["availMemoryMB"])
    usable = min(free, floor(free_mib / megabytes)) if megabytes else free
    used = int(node["usedVirtualCores"])
    return Worker(
        name=str(node["id"]),
        cores=used + max(0, usable),
        free_cores=max(0, usable),
        memory_mib=int(node["usedMemoryMB"]) + free_mib,
        free_memory_mib=free_mib,
        alive=node["state"] in _LIVES,
    )


def _queues(found: Any) -> Iterator[Any]:
    """That queue, and all below it."""
    yield found
    for child in (found.get("queues") or {}).get("queue") or ():
        yield from _queues(child)


def _below(scheduler: Any, path: str) -> Any:
    """The queue of that path; None where there is none."""
    return next((queue for queue in _queues(scheduler) if _path(queue) == path), None)


def _path(queue: Any) -> str:
    return str(queue.get("queuePath") or queue["queueName"])


def _is_in(application: Any, queue: str, found: Any) -> bool:
    """By the queue's path or, as older versions name it, by its last word."""
    name = str(application["queue"])
    return name == queue or name.startswith(f"{queue}.") or name in {one["queueName"] for one in _queues(found)}


def _waiting(application: Any, scheduler: Any) -> tuple[str, str] | None:
    """The application, and why containers that it asked for do not come; None where none is missing."""
    name = str(application["id"])
    if application["state"] == "ACCEPTED":
        return name, f"its master waits: {application.get('diagnostics', '')}"[:400]
    usages = (application.get("resourceInfo") or {}).get("resourceUsagesByPartition") or ()
    pending = sum(int(usage["pending"]["vCores"]) for usage in usages if usage.get("pending"))
    if not pending:
        return None
    last = str(application["queue"]).rpartition(".")[2]
    queue = next((one for one in _queues(scheduler) if one["queueName"] == last), None)
    used = "" if queue is None else f"; queue {_path(queue)} uses {float(queue['absoluteUsedCapacity']):.0f} %"
    allowed = "" if queue is None else f" of the cluster and may use {float(queue['absoluteMaxCapacity']):.0f} %"
    return name, f"YARN has not given {pending} cores that it asked for{used}{allowed}"
