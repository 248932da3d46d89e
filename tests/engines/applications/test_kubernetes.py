"""Kubernetes as a cluster, over what a real API server (1.35.4) said of a namespace with three applications.

Clicks had a driver and two executors of 500m, fraud two that were being ended, batch one of four cores that found no
node; the quota allowed 8 CPUs and 10 pods.
"""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from penstock.engines.applications.cluster import Allowance
from penstock.engines.applications.kubernetes import quantity, room_of
from penstock.errors import OutageError

RECORDED = Path(__file__).parent / "recorded"


def items(kind: str) -> list[Any]:
    """As the API server told them."""
    found: list[Any] = json.loads((RECORDED / f"kubernetes-{kind}.json").read_text())["items"]
    return found


PODS, QUOTAS, NODES = items("pods"), items("resourcequotas"), items("nodes")


def without(*names: str) -> list[Any]:
    return [pod for pod in PODS if pod["metadata"]["name"] not in names]


def quota(**hard: str) -> list[Any]:
    (found,) = copy.deepcopy(QUOTAS)
    found["status"]["hard"] = {name.replace("_", "."): value for name, value in hard.items()}
    return [found]


def test_executors_count_for_their_application_until_they_are_gone() -> None:
    room = room_of(PODS, QUOTAS, NODES)
    assert room.held == {"spark-11": 2, "spark-22": 2, "spark-33": 0}  # fraud's are being ended; batch's is not placed


def test_why_a_pod_waits_is_told_and_while_cpu_lacks_nothing_is_free() -> None:
    room = room_of(PODS, QUOTAS, NODES)
    assert room.waits.keys() == {"spark-33"}
    assert room.waits["spark-33"].startswith("Unschedulable: 0/2 nodes are available: 2 Insufficient cpu.")
    assert room.allowance == Allowance(4)  # what is held


def test_a_quota_allows_what_its_tightest_line_leaves() -> None:
    pods = without("batch-exec-1")
    # 500m for each core: of 8 CPUs 6.2 are used (batch's 4 too), 1.8 are left for three cores more than the four there.
    assert room_of(pods, QUOTAS, NODES).allowance == Allowance(4 + 3)
    # Six of ten pods are there: four executors more, of one core each.
    assert room_of(pods, quota(pods="10"), NODES).allowance == Allowance(4 + 4)
    # 64 MiB for each core, and 320 MiB: no line of use is recorded, so all of it is left.
    assert room_of(pods, quota(requests_memory="320Mi"), NODES).allowance == Allowance(4 + 5)


def test_a_quota_that_was_lowered_below_its_use_allows_less_than_there_is() -> None:
    pods = without("batch-exec-1")
    assert room_of(pods, quota(requests_cpu="5200m"), NODES).allowance == Allowance(4 - 2)


def test_nodes_are_counted_in_cores_of_executors_and_drivers_take_some() -> None:
    room = room_of(without("batch-exec-1"), [], NODES)
    assert [worker.cores for worker in room.workers] == [8, 8]  # two of 4 CPUs, each core of an executor asks for 0.5
    assert room.used == 1  # the driver's 200m, rounded up
    assert room.allowance is None
    assert room.cores_for({"spark-11", "spark-22"}) == 15
    assert room.cores_for({"spark-11"}) == 13  # the two of the other are not to be had


@pytest.mark.parametrize(
    "spec", [{"unschedulable": True}, {"taints": [{"key": "control-plane", "effect": "NoSchedule"}]}]
)
def test_a_node_that_takes_no_pods_counts_only_while_executors_are_there(spec: dict[str, Any]) -> None:
    nodes = copy.deepcopy(NODES)
    nodes[0]["spec"].update(spec)
    assert room_of([], [], nodes).cores == 4
    assert room_of(PODS, [], nodes).cores == room_of(PODS, [], NODES).cores


def test_a_node_that_is_not_ready_does_not_count() -> None:
    nodes = copy.deepcopy(NODES)
    for condition in nodes[0]["status"]["conditions"]:
        condition["status"] = "Unknown"
    assert room_of([], [], nodes).cores == 4


def test_where_nodes_may_not_be_listed_the_quota_says_what_there_is() -> None:
    room = room_of(without("batch-exec-1"), QUOTAS, None)
    assert (room.cores, room.cores_for({"spark-11", "spark-22"})) == (7, 7)
    with pytest.raises(OutageError, match="nodes may not be listed and the namespace has no ResourceQuota"):
        room_of(PODS, [], None)


def test_an_image_that_does_not_come_is_a_reason_too() -> None:
    pods = copy.deepcopy(without("batch-exec-1"))
    pods[1]["status"]["containerStatuses"][0]["state"] = {"waiting": {"reason": "ErrImagePull", "message": "not found"}}
    assert room_of(pods, QUOTAS, NODES).waits == {"spark-11": "ErrImagePull: not found"}


def test_amounts_as_kubernetes_writes_them() -> None:
    assert [quantity(text) for text in ("1", "250m", "1Ki", "2M", 3, "0.5")] == [1.0, 0.25, 1024.0, 2e6, 3.0, 0.5]
