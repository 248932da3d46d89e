"""Kueue, which lets pods begin when its queues have room: what it has let in of an application's executors.

Kueue keeps a Workload for each of its pods, or for a group of them, which these pods own. As long as one of them is not
admitted nothing is free, whatever quotas and nodes have: whatever else is asked for waits behind it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

GROUP = "kueue.x-k8s.io"
_MANAGED = f"{GROUP}/"  # how the labels of pods begin that it looks after


@dataclass(frozen=True, slots=True)
class Admission:
    """Of executors that Kueue looks after: which pods it has let in, and why others wait, both by the pod's uid."""

    admitted: frozenset[str] = frozenset()
    waits: Mapping[str, str] = field(default_factory=dict)


def is_managed(pods: Sequence[Any]) -> bool:
    """Whether Kueue looks after any of these pods."""
    return any(name.startswith(_MANAGED) for pod in pods for name in pod["metadata"].get("labels") or {})


def admission_of(workloads: Sequence[Any], pods: Sequence[Any]) -> Admission:
    """What these workloads say of these pods; of one that admits fewer than it has, the oldest are in."""
    born = {str(pod["metadata"]["uid"]): str(pod["metadata"].get("creationTimestamp", "")) for pod in pods}
    admitted: set[str] = set()
    waits: dict[str, str] = {}
    for workload in workloads:
        owners = (str(owner["uid"]) for owner in workload["metadata"].get("ownerReferences") or ())
        ours = sorted((uid for uid in owners if uid in born), key=lambda uid: (born[uid], uid))
        count = _admitted(workload)
        admitted |= set(ours[:count])
        waits |= dict.fromkeys(ours[count:], f"Kueue: {_why(workload)}"[:400])
    return Admission(frozenset(admitted), waits)


def _admitted(workload: Any) -> int:
    """How many pods of it may run."""
    if not _is(workload, "Admitted"):
        return 0
    assigned = (workload["status"].get("admission") or {}).get("podSetAssignments") or ()
    asked = {found.get("name", "main"): found.get("count", 1) for found in workload["spec"].get("podSets") or ()}
    return sum(int(one.get("count", asked.get(one.get("name", "main"), 1))) for one in assigned)


def _why(workload: Any) -> str:
    """Why it is not admitted, or not all of it, as Kueue says."""
    for kind in ("Evicted", "QuotaReserved", "Admitted"):
        found = _condition(workload, kind)
        if found is not None and found["status"] == ("True" if kind == "Evicted" else "False"):
            return f"{found.get('reason', '')}: {found.get('message', '')}"
    queue = workload["spec"].get("queueName", "")
    return (
        f"admitted in part, in queue {queue}" if _is(workload, "Admitted") else f"not looked at yet, in queue {queue}"
    )


def _is(workload: Any, kind: str) -> bool:
    found = _condition(workload, kind)
    return found is not None and found["status"] == "True"


def _condition(workload: Any, kind: str) -> Any:
    conditions = (workload.get("status") or {}).get("conditions") or ()
    return next((found for found in conditions if found["type"] == kind), None)
