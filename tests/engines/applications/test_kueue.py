"""Executors that Kueue lets in, or does not: what counts as free then, and why they wait."""

from typing import Any

from penstock.engines.applications.cluster import Allowance
from penstock.engines.applications.kubernetes import room_of
from penstock.engines.applications.kueue import admission_of, is_managed

NODE = {
    "metadata": {"name": "node-1"},
    "spec": {},
    "status": {
        "allocatable": {"cpu": "16", "memory": "64Gi"},
        "conditions": [{"type": "Ready", "status": "True"}],
    },
}
LACKS = "couldn't assign flavors to pod set main: insufficient unused quota for cpu in flavor default, 1 more needed"


def pod(number: int, gated: bool = False, application: str = "spark-1") -> dict[str, Any]:
    labels = {"spark-app-selector": application, "spark-role": "executor", "kueue.x-k8s.io/managed": "true"}
    gates = {"schedulingGates": [{"name": "kueue.x-k8s.io/admission"}]} if gated else {"nodeName": "node-1"}
    container = {"env": [{"name": "SPARK_EXECUTOR_CORES", "value": "2"}], "resources": {"requests": {"cpu": "2"}}}
    return {
        "metadata": {"name": f"exec-{number}", "uid": f"u-{number}", "labels": labels},
        "spec": {"containers": [container], **gates},
        "status": {"phase": "Pending"},
    }


def workload(*pods: int, admits: int | None = None, why: str = "") -> dict[str, Any]:
    """One that these pods own, of which so many are admitted; `why` none is."""
    said = {"reason": "Pending", "message": why}
    conditions = (
        [{"type": "QuotaReserved", "status": "False", **said}] if why else [{"type": "Admitted", "status": "True"}]
    )
    admission = {} if why else {"admission": {"podSetAssignments": [{"name": "main", **_count(admits)}]}}
    return {
        "metadata": {"name": f"pod-{pods}", "ownerReferences": [{"uid": f"u-{number}"} for number in pods]},
        "spec": {"queueName": "streams", "podSets": [{"name": "main", "count": len(pods)}]},
        "status": {"conditions": conditions, **admission},
    }


def _count(admits: int | None) -> dict[str, int]:
    return {} if admits is None else {"count": admits}


def test_while_one_waits_for_kueue_nothing_is_free_and_why_is_told() -> None:
    pods = [pod(1), pod(2), pod(3, gated=True)]
    room = room_of(pods, [], [NODE], [workload(1), workload(2), workload(3, why=LACKS)])
    assert room.allowance == Allowance(4)
    assert room.waits == {"spark-1": f"Kueue: Pending: {LACKS}"}
    assert room_of(pods[:2], [], [NODE], [workload(1), workload(2)]).allowance is None


def test_one_that_was_admitted_and_has_no_node_yet_counts_as_let_in() -> None:
    starting = pod(2, gated=True)  # its gate is taken away in a moment
    assert room_of([pod(1), starting], [], [NODE], [workload(1), workload(2)]).allowance is None


def test_of_a_group_that_is_admitted_in_part_so_many_count_as_were_let_in() -> None:
    pods = [pod(1), pod(2), pod(3), pod(4, gated=True)]
    found = admission_of([workload(1, 2, 3, 4, admits=3)], pods)
    assert (found.admitted, found.waits) == (
        frozenset({"u-1", "u-2", "u-3"}),
        {"u-4": "Kueue: admitted in part, in queue streams"},
    )
    assert room_of(pods, [], [NODE], [workload(1, 2, 3, 4, admits=3)]).allowance == Allowance(6)


def test_one_that_is_evicted_counts_no_more_though_its_pods_are_still_there() -> None:
    evicted = workload(2, why="preempted")
    evicted["status"]["conditions"].append(
        {"type": "Evicted", "status": "True", "reason": "Preempted", "message": "to make room for another"}
    )
    room = room_of([pod(1), pod(2)], [], [NODE], [workload(1), evicted])
    assert room.allowance == Allowance(2)
    assert room.waits == {"spark-1": "Kueue: Preempted: to make room for another"}


def test_where_workloads_may_not_be_seen_the_gates_of_its_pods_tell() -> None:
    assert room_of([pod(1), pod(2, gated=True)], [], [NODE]).allowance == Allowance(2)


def test_it_is_asked_for_only_where_it_looks_after_a_pod() -> None:
    plain = pod(1)
    plain["metadata"]["labels"].pop("kueue.x-k8s.io/managed")
    assert (is_managed([plain]), is_managed([plain, pod(2)])) == (False, True)
