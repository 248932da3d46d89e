"""Leases of a real API server: of many that ask at once one leads; coordinators that follow one another over them."""

import urllib.error
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest
from fleet_world import SimulatedCluster, of_one

from penstock.calls.coordinated import beside
from penstock.config.coordination import CoordinationFile
from penstock.engines.applications.agent import Agent
from penstock.engines.applications.kubernetes_lease import EPOCH, KubernetesLease
from penstock.engines.applications.link import Link
from penstock.errors import OutageError
from penstock.governing.coordinating import Coordination, Coordinator
from penstock.kubernetes_api import KubernetesApi
from penstock.web.agents_door import AgentsDoor, agent_tokens, new_agent_token
from tests.kubernetes.allowed import may_lead
from tests.kubernetes.real import Kubernetes
from tests.patience import eventually

pytestmark = pytest.mark.kubernetes

LEASE_S = 60.0
QUICK = {"interval": 0.5, "report": 0.2, "lease": LEASE_S}


def lease(kubernetes: Kubernetes, namespace: str, holder: str) -> KubernetesLease:
    admin = kubernetes.admin
    return KubernetesLease(KubernetesApi(admin.server, admin.tls, admin.token), namespace, "fleet", holder)


def test_of_many_that_ask_at_once_one_leads_and_each_takeover_is_a_new_epoch(kubernetes: Kubernetes) -> None:
    namespace = kubernetes.namespace()
    all_of_them = [lease(kubernetes, namespace, f"c-{number}") for number in range(8)]
    before = 0
    for _ in range(3):
        with ThreadPoolExecutor(len(all_of_them)) as at_once:
            found = list(at_once.map(lambda one: one.take(LEASE_S), all_of_them))
        (epoch,) = [leader.epoch for leader in found if leader.ours]
        assert epoch > before
        winner = next(one for one, leader in zip(all_of_them, found, strict=True) if leader.ours)
        assert winner.take(LEASE_S).epoch == epoch  # gone on with
        kept = kubernetes.send("GET", f"/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases/fleet")
        assert (kept["metadata"]["annotations"][EPOCH], kept["spec"]["leaseDurationSeconds"]) == (str(epoch), 60)
        before = epoch
        winner.release()


def test_while_the_api_server_stands_still_nobody_is_told_that_it_leads(kubernetes: Kubernetes) -> None:
    asks = lease(kubernetes, kubernetes.namespace(), "c-1")
    leads = asks.take(LEASE_S)
    assert leads.ours
    with kubernetes.frozen(), pytest.raises(OutageError, match="does not answer"):
        asks.take(LEASE_S)
    assert asks.take(LEASE_S).epoch == leads.epoch


def test_two_coordinators_follow_one_another_over_a_lease_object_and_need_no_store_in_common(
    kubernetes: Kubernetes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    namespace, cluster = kubernetes.namespace(), SimulatedCluster(6)
    monkeypatch.setenv("KUBECONFIG", str(kubernetes.kubeconfig))
    token = new_agent_token(tmp_path / "tokens", "*")
    with ExitStack() as stack:
        doors, coordinators = [], []
        for number in (1, 2):
            file = {"name": "lab", "cluster": {"cores": 6}, "leadership": {"kubernetes": f"{namespace}/fleet"}, **QUICK}
            how = Coordination(str(tmp_path / f"runs-{number}.sqlite"))
            coordinator = Coordinator(CoordinationFile.model_validate(file), how, cluster=cluster)
            door = AgentsDoor(coordinator.hear, lambda: agent_tokens(tmp_path / "tokens"))
            doors.append(stack.enter_context(door.open()))
            stack.enter_context(beside(coordinator))
            coordinators.append(coordinator)
            eventually(lambda: any(one.leads for one in coordinators))
        agent = Agent("fraud", of_one("fraud", cluster, 100.0), Link([door.url for door in doors], token))
        agent.start()
        stack.callback(agent.stop)
        first = eventually(lambda: agent.talk.epoch)
        assert [one.leads for one in coordinators] == [True, False]
        coordinators[0].stop()
        eventually(lambda: agent.talk.epoch > first)
        assert coordinators[1].leads


def test_whose_right_is_for_one_object_can_lead_with_it_and_make_no_other(kubernetes: Kubernetes) -> None:
    namespace = kubernetes.namespace()
    may_lead(kubernetes, namespace, "default")
    request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
    account = f"/api/v1/namespaces/{namespace}/serviceaccounts/default/token"
    token = kubernetes.make(account, request)["status"]["token"]
    asks = KubernetesApi(kubernetes.admin.server, kubernetes.admin.tls, token)
    eventually(lambda: _leads(KubernetesLease(asks, namespace, "fleet", "c-1")))  # rights take a moment to count
    with pytest.raises(OutageError, match="cannot get resource"):
        KubernetesLease(asks, namespace, "other", "c-1").take(LEASE_S)
    with pytest.raises(urllib.error.HTTPError):
        kubernetes.send("GET", f"/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases/other")


def _leads(asks: KubernetesLease) -> bool:
    try:
        return asks.take(LEASE_S).ours
    except OutageError:
        return False
