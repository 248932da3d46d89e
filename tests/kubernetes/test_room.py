"""What a real API server says of a namespace: quotas, nodes, pods and why they wait, and who may see what."""

import urllib.error
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from penstock.engines.applications.kubernetes import KubernetesCluster
from penstock.errors import OutageError
from penstock.kubernetes_api import ForbiddenError, api
from tests.kubernetes.allowed import as_coordinator, quota
from tests.kubernetes.pods import executor
from tests.kubernetes.real import Kubernetes
from tests.patience import eventually

pytestmark = pytest.mark.kubernetes


@pytest.fixture
def namespace(kubernetes: Kubernetes) -> str:
    return kubernetes.namespace()


@pytest.fixture
def node(kubernetes: Kubernetes) -> Iterator[str]:
    """A node of two CPUs, where there is none but what tests make."""
    with kubernetes.node(cpu=2) as name:
        yield name


def run(kubernetes: Kubernetes, namespace: str, *pods: dict[str, Any]) -> None:
    for pod in pods:
        kubernetes.make(f"/api/v1/namespaces/{namespace}/pods", pod)


def test_a_quota_says_what_there_is_and_one_that_is_lowered_says_less(
    kubernetes: Kubernetes, namespace: str, node: str
) -> None:
    quota(kubernetes, namespace, requests_cpu="3")
    cluster = KubernetesCluster(kubernetes.admin, namespace)
    run(kubernetes, namespace, executor("spark-1", 1), executor("spark-1", 2))
    eventually(lambda: cluster.room().held == {"spark-1": 2})
    eventually(lambda: cluster.room().allowance is not None and cluster.room().allowance.cores == 3)  # type: ignore[union-attr]
    assert cluster.room().cores_for({"spark-1"}) == 2  # the node has no more
    quota(kubernetes, namespace, requests_cpu="1")
    eventually(lambda: cluster.room().cores_for({"spark-1"}) == 1)


def test_a_pod_that_finds_no_node_waits_and_says_why(kubernetes: Kubernetes, namespace: str, node: str) -> None:
    cluster = KubernetesCluster(kubernetes.admin, namespace)
    run(kubernetes, namespace, *(executor("spark-1", number) for number in range(3)))
    eventually(lambda: cluster.room().held == {"spark-1": 2} and cluster.room().waits)
    room = cluster.room()
    assert room.cores_for({"spark-1"}) == 2
    assert "Insufficient cpu" in room.waits["spark-1"]


def test_the_coordinators_role_lets_it_see_its_namespace_and_do_nothing(kubernetes: Kubernetes, namespace: str) -> None:
    asks = as_coordinator(kubernetes, namespace)
    cluster = KubernetesCluster(asks, namespace)
    eventually(lambda: _told(cluster))
    assert cluster.room().cores == 32  # by the quota of the manifests alone
    for path in ("/api/v1/nodes", f"/api/v1/namespaces/{namespace}/secrets", "/api/v1/namespaces/default/pods"):
        with pytest.raises(ForbiddenError, match="cannot list resource"):
            asks.get(path)
    theirs = Kubernetes(asks, Path())
    with pytest.raises(urllib.error.HTTPError, match="403"):
        theirs.make(f"/api/v1/namespaces/{namespace}/pods", executor("spark-1", 1))


def test_a_kubeconfig_may_name_files_for_its_certificates_and_its_token(kubernetes: Kubernetes, tmp_path: Path) -> None:
    if kubernetes.theirs:
        pytest.skip("KUBECONFIG's administrator is the user's, whose secrets are not copied to files of ours")
    config = yaml.safe_load(kubernetes.kubeconfig.read_text())
    (tmp_path / "ca.crt").write_bytes(kubernetes.kubeconfig.with_name("ca.crt").read_bytes())
    config["clusters"][0]["cluster"] = {"server": kubernetes.admin.server, "certificate-authority": "ca.crt"}
    (tmp_path / "token").write_text(f"{kubernetes.admin.token}\n")
    config["users"][0]["user"] = {"tokenFile": "token"}
    (tmp_path / "config").write_text(yaml.safe_dump(config))
    found = api({"KUBECONFIG": str(tmp_path / "config")})
    assert found.get("/api/v1/namespaces/default")["metadata"]["name"] == "default"
    (tmp_path / "token").write_text("another")
    with pytest.raises(OutageError, match="Unauthorized"):
        found.get("/api/v1/namespaces/default")


def _told(cluster: KubernetesCluster) -> bool:
    try:
        return cluster.room().cores == 32
    except OutageError:
        return False
