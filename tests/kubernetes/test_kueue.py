"""Kueue's own definition of a Workload in a real API server: what a coordinator makes of what is admitted.

The definition comes from Kueue's module, by Go's own client; its controller, which would admit, does not run: the tests
write what it writes.
"""

import json
import shutil
import subprocess
import urllib.error
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from penstock.engines.applications.kubernetes import KubernetesCluster
from penstock.errors import OutageError
from tests.kubernetes.allowed import as_coordinator, quota
from tests.kubernetes.pods import executor
from tests.kubernetes.real import Kubernetes
from tests.patience import eventually

pytestmark = pytest.mark.kubernetes

MODULE = "sigs.k8s.io/kueue@v0.10.1"
DEFINITION = Path("config", "components", "crd", "bases", "kueue.x-k8s.io_workloads.yaml")
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
API = "kueue.x-k8s.io/v1beta1"
LACKS = "couldn't assign flavors to pod set main: insufficient unused quota for cpu in flavor default, 1 more needed"


@pytest.fixture(scope="module")
def kueue(kubernetes: Kubernetes) -> Iterator[Kubernetes]:
    if _served(kubernetes):
        pytest.skip(
            "KUBECONFIG's cluster has a Kueue, whose controller would write what these tests write in its place"
        )
    definition = yaml.safe_load((_module() / DEFINITION).read_text())
    kubernetes.make(DEFINITIONS, definition)
    eventually(lambda: _served(kubernetes))
    yield kubernetes
    kubernetes.send("DELETE", f"{DEFINITIONS}/{definition['metadata']['name']}")
    eventually(lambda: not _served(kubernetes))


def _module() -> Path:
    go = shutil.which("go")
    if go is None:
        pytest.skip("without Go there is no way to Kueue's definitions")
    done = subprocess.run([go, "mod", "download", "-json", MODULE], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"Kueue's module cannot be had: {done.stdout or done.stderr}")
    return Path(json.loads(done.stdout)["Dir"])


def test_executors_that_kueue_did_not_let_in_leave_nothing_free_until_it_does(kueue: Kubernetes) -> None:
    namespace = kueue.namespace()
    quota(kueue, namespace, requests_cpu="8")
    cluster = KubernetesCluster(kueue.admin, namespace)
    with kueue.room_for(cpu=8):
        in_, out = _pod(kueue, namespace, 1), _pod(kueue, namespace, 2)
        _workload(kueue, namespace, in_, admitted=True)
        waiting = _workload(kueue, namespace, out, admitted=False)
        room = cluster.room()
        assert room.allowance is not None
        assert (room.allowance.cores, room.waits) == (1, {"spark-1": f"Kueue: Pending: {LACKS}"})
        _say(kueue, waiting, admitted=True)
        eventually(lambda: cluster.room().cores_for({"spark-1"}) == 8)


def test_who_may_not_see_workloads_goes_by_the_gates_of_pods(kueue: Kubernetes) -> None:
    namespace = kueue.namespace()
    cluster = KubernetesCluster(as_coordinator(kueue, namespace), namespace)
    eventually(lambda: _cores(cluster) == 32)  # by the quota of the manifests
    _workload(kueue, namespace, _pod(kueue, namespace, 1), admitted=False)
    eventually(lambda: _cores(cluster) == 0)


def _pod(kubernetes: Kubernetes, namespace: str, number: int) -> Any:
    """As Kueue leaves it until its workload is admitted."""
    manifest = executor("spark-1", number)
    manifest["metadata"]["labels"] |= {"kueue.x-k8s.io/managed": "true", "kueue.x-k8s.io/queue-name": "streams"}
    manifest["spec"]["schedulingGates"] = [{"name": "kueue.x-k8s.io/admission"}]
    return kubernetes.make(f"/api/v1/namespaces/{namespace}/pods", manifest)


def _workload(kubernetes: Kubernetes, namespace: str, pod: Any, admitted: bool) -> Any:
    name, uid = pod["metadata"]["name"], pod["metadata"]["uid"]
    owner = {"apiVersion": "v1", "kind": "Pod", "name": name, "uid": uid, "controller": True}
    template = {"spec": {"containers": pod["spec"]["containers"], "restartPolicy": "Never"}}
    manifest = {
        "apiVersion": API,
        "kind": "Workload",
        "metadata": {"name": f"pod-{name}", "ownerReferences": [owner]},
        "spec": {"queueName": "streams", "podSets": [{"name": "main", "count": 1, "template": template}]},
    }
    made = kubernetes.make(f"/apis/{API}/namespaces/{namespace}/workloads", manifest)
    return _say(kubernetes, made, admitted)


def _say(kubernetes: Kubernetes, workload: Any, admitted: bool) -> Any:
    """What Kueue writes in its status."""
    path = f"/apis/{API}/namespaces/{workload['metadata']['namespace']}/workloads/{workload['metadata']['name']}/status"
    at = {"lastTransitionTime": "2026-01-01T00:00:00Z"}
    if admitted:
        conditions = [
            {"type": kind, "status": "True", "reason": kind, "message": "", **at}
            for kind in ("QuotaReserved", "Admitted")
        ]
        assignment = {"name": "main", "count": 1, "flavors": {"cpu": "default"}, "resourceUsage": {"cpu": "1"}}
        status = {"conditions": conditions, "admission": {"clusterQueue": "all", "podSetAssignments": [assignment]}}
    else:
        pending = {"type": "QuotaReserved", "status": "False", "reason": "Pending", "message": LACKS, **at}
        status = {"conditions": [pending]}
    return kubernetes.send("PATCH", path, {"status": status}, "application/merge-patch+json")


def _served(kubernetes: Kubernetes) -> bool:
    try:
        return bool(kubernetes.send("GET", f"/apis/{API}/namespaces/default/workloads"))
    except urllib.error.HTTPError:
        return False


def _cores(cluster: KubernetesCluster) -> int | None:
    try:
        return cluster.room().cores_for({"spark-1"})
    except OutageError:  # rights take a moment to count
        return None
