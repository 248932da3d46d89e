"""Kubernetes: nodes, what a namespace's quotas allow, who holds which executors, and why pods wait.

Cores are those of executors, as Spark counts them (`spark.executor.cores`): what a pod asks of a node may be another
number. Where nodes may not be listed, and mostly they may not, the namespace's ResourceQuota says what there is.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, inf
from typing import Any

from penstock.engines.applications.cluster import Allowance, Room, Worker, understood
from penstock.engines.applications.kueue import GROUP, Admission, admission_of, is_managed
from penstock.errors import OutageError
from penstock.kubernetes_api import ForbiddenError, KubernetesApi, NothingThereError

_APPLICATION, _ROLE = "spark-app-selector", "spark-role"  # labels that Spark puts on its pods
_CORES = "SPARK_EXECUTOR_CORES"  # in the environment of an executor's container
_OVER = ("Succeeded", "Failed")
_SUFFIXES = {"m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}
_BINARY = {"Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40, "Pi": 2.0**50}
_QUOTAS = {  # what a quota's line is about, and where a container states it
    "cpu": ("requests", "cpu"),
    "requests.cpu": ("requests", "cpu"),
    "limits.cpu": ("limits", "cpu"),
    "memory": ("requests", "memory"),
    "requests.memory": ("requests", "memory"),
    "limits.memory": ("limits", "memory"),
}
_NUMBER = re.compile("[1-9][0-9]{0,3}")
_COUNTS = ("pods", "count/pods")


@dataclass(frozen=True, slots=True)
class KubernetesCluster:
    """One namespace of it."""

    api: KubernetesApi
    namespace: str

    @property
    def name(self) -> str:
        """For people."""
        return f"Kubernetes, namespace {self.namespace}"

    def room(self) -> Room:
        """What the API server says now."""
        with understood(self.name):
            return self._room(f"/api/v1/namespaces/{self.namespace}")

    def _room(self, within: str) -> Room:
        pods = self.api.get(f"{within}/pods?resourceVersion=0")
        quotas = self.api.get(f"{within}/resourcequotas?resourceVersion=0")
        try:
            nodes: Any = self.api.get("/api/v1/nodes?resourceVersion=0")
        except ForbiddenError:
            nodes = None
        workloads = self._workloads() if is_managed(pods["items"]) else ()
        return room_of(pods["items"], quotas["items"], None if nodes is None else nodes["items"], workloads)

    def _workloads(self) -> Sequence[Any]:
        """Kueue's; none where it is not installed, or where its objects may not be seen: its pods wait all the same."""
        try:
            version = self.api.get(f"/apis/{GROUP}")["preferredVersion"]["groupVersion"]
            found = self.api.get(f"/apis/{version}/namespaces/{self.namespace}/workloads?resourceVersion=0")
        except (ForbiddenError, NothingThereError):
            return ()
        items: Sequence[Any] = found["items"]
        return items


def room_of(
    pods: Sequence[Any], quotas: Sequence[Any], nodes: Sequence[Any] | None, workloads: Sequence[Any] = ()
) -> Room:
    """What the lists of a namespace say; `nodes` is None where nobody may see them, `workloads` are Kueue's."""
    living = [pod for pod in pods if pod["status"].get("phase") not in _OVER]
    executors = [pod for pod in living if _role(pod) == "executor"]
    placed = [pod for pod in executors if pod["spec"].get("nodeName")]
    held = {_application(pod): 0 for pod in living if _role(pod)}
    for pod in placed:
        held[_application(pod)] += _cores(pod)
    admission = admission_of(workloads, executors)
    waits = dict(filter(None, map(_waiting, executors)))
    waits |= {_application(pod): admission.waits[_uid(pod)] for pod in executors if _uid(pod) in admission.waits}
    per_core = _most_per_core(executors, "requests", "cpu") or 1.0
    allowed = _allowed(executors, [quota for quota in quotas if not _scoped(quota)])
    if nodes is None and allowed == inf:
        raise OutageError(
            "nodes may not be listed and the namespace has no ResourceQuota: so the number of free cores is unknown"
        )
    if any("Insufficient" in why for why in waits.values()):  # whatever there is by the numbers: nothing is free
        allowed = min(allowed, sum(held.values()))
    if any(_held_back(pod, admission) for pod in executors):
        allowed = min(allowed, sum(_cores(pod) for pod in executors if not _held_back(pod, admission)))
    allowance = None if allowed == inf else Allowance(floor(allowed))
    if nodes is None:
        return Room((Worker("namespace", floor(allowed), 0),), held, allowance=allowance, waits=waits)
    workers = tuple(_worker(node, living, per_core) for node in nodes)
    others = (pod for pod in living if _role(pod) != "executor")
    used = ceil(sum(_asked(pod, "requests", "cpu") for pod in others) / per_core)
    return Room(workers, held, used=used, allowance=allowance, waits=waits)


def quantity(text: object) -> float:
    """An amount as Kubernetes writes it.

    >>> quantity("2200m"), quantity("8"), quantity("6Gi") / 2**30, quantity("1e3")
    (2.2, 8.0, 6.0, 1000.0)
    """
    said = str(text)
    for units, length in ((_BINARY, 2), (_SUFFIXES, 1)):
        factor = units.get(said[-length:])
        if factor is not None:
            return float(said[:-length]) * factor
    return float(said)


def _role(pod: Any) -> str:
    return str(_labels(pod).get(_ROLE, ""))


def _application(pod: Any) -> str:
    return str(_labels(pod).get(_APPLICATION, ""))


def _labels(pod: Any) -> Mapping[str, Any]:
    found: Mapping[str, Any] = pod["metadata"].get("labels") or {}
    return found


def _cores(pod: Any) -> int:
    """Those that Spark gives tasks to; one where a tenant wrote there what is no number of cores."""
    said = (entry for container in pod["spec"]["containers"] for entry in container.get("env") or ())
    found = next((str(entry.get("value")) for entry in said if entry["name"] == _CORES), "")
    return int(found) if _NUMBER.fullmatch(found) else 1


def _asked(pod: Any, kind: str, resource: str) -> float:
    """What all its containers ask for, or may take at the most."""
    stated = ((container.get("resources") or {}).get(kind) or {} for container in pod["spec"]["containers"])
    return sum(quantity(found.get(resource, 0)) for found in stated)


def _most_per_core(executors: Iterable[Any], kind: str, resource: str) -> float:
    """What one core of an executor takes, of the greediest of them."""
    return max((_asked(pod, kind, resource) / _cores(pod) for pod in executors), default=0.0)


def _allowed(executors: Sequence[Any], quotas: Sequence[Any]) -> float:
    """The cores that quotas allow: those of all executors that count already, and what the tightest line leaves."""
    here = sum(map(_cores, executors))
    return min((here + _left(executors, quota["status"]) for quota in quotas), default=inf)


def _left(executors: Sequence[Any], status: Any) -> float:
    hard, used = status.get("hard") or {}, status.get("used") or {}
    found = inf
    for line, limit in hard.items():
        free = quantity(limit) - quantity(used.get(line, 0))  # below zero where the quota was lowered under its use
        if line in _COUNTS:
            found = min(found, free * min(map(_cores, executors), default=1))
        elif line in _QUOTAS:
            per_core = _most_per_core(executors, *_QUOTAS[line]) or (1.0 if line.endswith("cpu") else 0.0)
            found = min(found, free / per_core) if per_core else found
    return floor(found + 1e-9) if found < inf else inf


def _scoped(quota: Any) -> bool:
    """Whether it is for some pods only; which these are is not looked into."""
    return bool(quota["spec"].get("scopes") or quota["spec"].get("scopeSelector"))


def _held_back(pod: Any, admission: Admission) -> bool:
    """Whether somebody, mostly Kueue, does not let it begin; where its workload may not be seen its gate tells."""
    uid = _uid(pod)
    gated = bool(pod["spec"].get("schedulingGates"))
    return uid in admission.waits or (gated and uid not in admission.admitted)


def _uid(pod: Any) -> str:
    return str(pod["metadata"].get("uid", ""))


def _waiting(pod: Any) -> tuple[str, str] | None:
    """Its application, and why the pod does not run; None for one that does, or that is about to."""
    for condition in pod["status"].get("conditions") or ():
        if condition["type"] == "PodScheduled" and condition["status"] == "False":
            return _application(pod), f"{condition.get('reason', '')}: {condition.get('message', '')}"[:400]
    for container in pod["status"].get("containerStatuses") or ():
        waiting = (container.get("state") or {}).get("waiting") or {}
        if waiting.get("reason", "ContainerCreating") not in ("ContainerCreating", "PodInitializing"):
            return _application(pod), f"{waiting['reason']}: {waiting.get('message', '')}"[:400]
    return None


def _worker(node: Any, living: Sequence[Any], per_core: float) -> Worker:
    name, allocatable = str(node["metadata"]["name"]), node["status"]["allocatable"]
    here = [pod for pod in living if pod["spec"].get("nodeName") == name]
    cpu, memory = quantity(allocatable["cpu"]), quantity(allocatable["memory"])
    taken = sum(_asked(pod, "requests", "cpu") for pod in here)
    ready = any(found["type"] == "Ready" and found["status"] == "True" for found in node["status"]["conditions"])
    return Worker(
        name,
        cores=floor(cpu / per_core + 1e-9),
        free_cores=max(0, floor((cpu - taken) / per_core + 1e-9)),
        memory_mib=int(memory / 2**20),
        free_memory_mib=int((memory - sum(_asked(pod, "requests", "memory") for pod in here)) / 2**20),
        alive=ready and (_open(node) or any(_role(pod) == "executor" for pod in here)),
    )


def _open(node: Any) -> bool:
    """Whether the scheduler may put any pod there: neither cordoned nor tainted."""
    taints = node["spec"].get("taints") or ()
    return not node["spec"].get("unschedulable") and not any(
        taint["effect"] in ("NoSchedule", "NoExecute") for taint in taints
    )
