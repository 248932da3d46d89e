"""The Helm chart, installed by helm into a real API server: what appears, what it may do, what is left of it."""

import json
import subprocess
from collections.abc import Iterator, Set
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from penstock.engines.applications.kubernetes import KubernetesCluster
from penstock.kubernetes_api import KubernetesApi
from tests.deploy.chart import CHART, helm
from tests.kubernetes.pods import executor
from tests.kubernetes.real import Kubernetes
from tests.patience import eventually

pytestmark = pytest.mark.kubernetes

COORDINATOR = "fleet-coordinator"
LEASES = "coordination.k8s.io"
VERBS = ("get", "list", "watch", "create", "update", "patch", "delete")
MORE = (
    "keda.enabled=true",
    "pages.enabled=true",
    "applications.quota.pods=50",
    "postgresql.enabled=true",
    "lease.enabled=true",
    "kueue.enabled=true",
)
DATA = "data-fleet-penstock-postgresql-0"  # told of in docs/fleet-clusters.md
STAYS = {"events"}  # which only tell of the past


@dataclass(frozen=True)
class Release:
    """One release, in a namespace whose applications are in another."""

    kubernetes: Kubernetes
    namespace: str
    applications: str

    def helm(self, *words: str) -> Any:
        """What helm answers to a command about it."""
        command = [helm(), *words, "--namespace", self.namespace, "--kubeconfig", str(self.kubernetes.kubeconfig)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def sets(self, *values: str) -> list[str]:
        """The words of an install or an upgrade with these values."""
        given = (f"applications.namespace={self.applications}", *values)
        return ["fleet", str(CHART), *(word for value in given for word in ("--set", value))]

    def get(self, path: str) -> Any:
        return self.kubernetes.send("GET", path.format(here=self.namespace, there=self.applications))

    def there(self) -> Set[tuple[str, str, str]]:
        """All objects in both namespaces, of whatever kind the API server has: namespace, kind, name."""
        return {
            (space, kind, item["metadata"]["name"])
            for prefix, kind in self.kinds()
            for space in (self.namespace, self.applications)
            for item in self.get(f"{prefix}/namespaces/{space}/{kind}")["items"]
        }

    def kinds(self) -> Iterator[tuple[str, str]]:
        """Path and plural of every kind in namespaces that can be listed."""
        groups = self.get("/apis")["groups"]
        for prefix in ("/api/v1", *(f"/apis/{group['preferredVersion']['groupVersion']}" for group in groups)):
            for kind in self.get(prefix)["resources"]:
                if kind["namespaced"] and "list" in kind["verbs"] and kind["name"] not in STAYS:
                    yield prefix, kind["name"]

    def may(self, verb: str, resource: str, namespace: str, group: str = "", name: str = "") -> bool:
        """Whether the coordinator's account may do that, as the API server has it; to all of them without a name."""
        asked = {"verb": verb, "resource": resource, "namespace": namespace, "group": group, "name": name}
        groups = ["system:serviceaccounts", f"system:serviceaccounts:{self.namespace}", "system:authenticated"]
        review = {
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SubjectAccessReview",
            "spec": {
                "user": f"system:serviceaccount:{self.namespace}:{COORDINATOR}",
                "groups": groups,
                "resourceAttributes": asked,
            },
        }
        said = self.kubernetes.make("/apis/authorization.k8s.io/v1/subjectaccessreviews", review)
        return bool(said["status"]["allowed"])


@pytest.fixture
def release(kubernetes: Kubernetes) -> Release:
    return Release(kubernetes, kubernetes.namespace(), kubernetes.namespace())


@contextmanager
def installed(release: Release, *values: str) -> Iterator[None]:
    release.helm("install", *release.sets(*values))
    try:
        yield
    finally:
        release.helm("uninstall", "fleet", "--wait", "--ignore-not-found")


def test_what_is_installed_appears_and_its_pods_are_let_in_where_pods_are_restricted(release: Release) -> None:
    label = {"metadata": {"labels": {"pod-security.kubernetes.io/enforce": "restricted"}}}
    release.kubernetes.send("PATCH", f"/api/v1/namespaces/{release.namespace}", label, "application/merge-patch+json")
    with installed(release, *MORE):
        pods = "/api/v1/namespaces/{here}/pods?labelSelector=app.kubernetes.io/instance%3Dfleet"
        eventually(lambda: len(release.get(pods)["items"]) == 3)  # two coordinators, one PostgreSQL
        budget = "/apis/policy/v1/namespaces/{here}/poddisruptionbudgets/" + COORDINATOR
        eventually(lambda: release.get(budget)["status"].get("expectedPods") == 2)  # it chooses them
        service = release.get("/api/v1/namespaces/{here}/services/" + COORDINATOR)
        assert [port["name"] for port in service["spec"]["ports"]] == ["agents", "pages", "keda"]
        quota = "/api/v1/namespaces/{there}/resourcequotas/" + COORDINATOR
        eventually(lambda: release.get(quota).get("status", {}).get("hard") == {"pods": "50"})
        assert json.loads(release.helm("list", "--output", "json"))[0]["status"] == "deployed"


def test_the_account_may_list_what_the_applications_have_and_lead_by_its_own_lease_and_nothing_else(
    release: Release,
) -> None:
    with installed(release, *MORE):
        allowed = {
            (verb, resource, space)
            for space in (release.applications, release.namespace, "default", "kube-system")
            for group, resource in (
                ("", "pods"),
                ("", "resourcequotas"),
                ("", "secrets"),
                ("", "configmaps"),
                ("", "serviceaccounts"),
                ("", "pods/exec"),
                ("apps", "statefulsets"),
                ("rbac.authorization.k8s.io", "roles"),
                ("coordination.k8s.io", "leases"),
                ("kueue.x-k8s.io", "workloads"),
                ("kueue.x-k8s.io", "clusterqueues"),
            )
            for verb in VERBS
            if release.may(verb, resource, space, group)
        }
        assert allowed == {("list", kind, release.applications) for kind in ("pods", "resourcequotas", "workloads")}
        own = {verb for verb in VERBS if release.may(verb, "leases", release.namespace, LEASES, COORDINATOR)}
        assert own == {"get", "update"}
        assert not any(release.may(verb, "leases", release.applications, LEASES, COORDINATOR) for verb in VERBS)
        assert not any(release.may(verb, "nodes", "") for verb in VERBS)
        run_there = executor("spark-1", 1)
        release.kubernetes.make(f"/api/v1/namespaces/{release.applications}/pods", run_there)
        account = f"/api/v1/namespaces/{release.namespace}/serviceaccounts/{COORDINATOR}/token"
        kind = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
        token = release.kubernetes.make(account, kind)["status"]["token"]
        admin = release.kubernetes.admin
        room = KubernetesCluster(KubernetesApi(admin.server, admin.tls, token), release.applications).room()
        assert room.tells  # with these rights it sees what it divides


def test_an_upgrade_changes_what_was_changed_and_nothing_is_left_when_it_is_uninstalled(release: Release) -> None:
    before = release.there()
    kept = {(release.namespace, "persistentvolumeclaims", DATA)}
    with installed(release, *MORE):
        eventually(lambda: kept <= release.there())  # made by a controller, which an upgrade right away forestalls
        assert len(release.there() - before) > 7
        release.helm("upgrade", *release.sets("fleet.interval=20s"))
        assert {(release.applications, "resourcequotas", COORDINATOR)} & release.there() == set()
        file = release.get("/api/v1/namespaces/{here}/configmaps/" + COORDINATOR)["data"]["fleet.yaml"]
        assert "interval: 20s" in file
        stateful = release.get("/apis/apps/v1/namespaces/{here}/statefulsets/" + COORDINATOR)
        assert stateful["metadata"]["generation"] == 2  # its pods begin anew, with the new file
        history = json.loads(release.helm("history", "fleet", "--output", "json"))
        assert [found["revision"] for found in history] == [1, 2]
    eventually(lambda: release.there() - before == kept)
