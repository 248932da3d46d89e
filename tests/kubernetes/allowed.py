"""What a namespace allows: so much to all, what our manifests' account may see, an object to lead with."""

import urllib.error
from pathlib import Path

import yaml

from penstock.kubernetes_api import KubernetesApi
from tests.kubernetes.real import Kubernetes
from tests.patience import eventually

ACCESS = Path(__file__).parents[2] / "deploy" / "kubernetes" / "coordinator" / "access.yaml"


def quota(kubernetes: Kubernetes, namespace: str, name: str = "all", **hard: str) -> None:
    """The quota of that name, made or changed; it counts once the controller has looked at it."""
    place = f"/api/v1/namespaces/{namespace}/resourcequotas"
    spec = {"hard": {line.replace("_", "."): value for line, value in hard.items()}}
    try:
        kubernetes.make(place, {"metadata": {"name": name}, "spec": spec})
    except urllib.error.HTTPError:
        kubernetes.send("PATCH", f"{place}/{name}", {"spec": spec}, "application/merge-patch+json")
    eventually(lambda: kubernetes.send("GET", f"{place}/{name}").get("status", {}).get("hard") == spec["hard"])


def as_coordinator(kubernetes: Kubernetes, namespace: str) -> KubernetesApi:
    """What the account of our manifests sees, applied to that namespace."""
    for manifest in yaml.safe_load_all(ACCESS.read_text()):
        kind = manifest["kind"]
        manifest["metadata"]["namespace"] = namespace
        for subject in manifest.get("subjects", ()):
            subject["namespace"] = namespace
        group = "apis/rbac.authorization.k8s.io/v1" if kind.startswith("Role") else "api/v1"
        kubernetes.make(f"/{group}/namespaces/{namespace}/{kind.lower()}s", manifest)
    account = f"/api/v1/namespaces/{namespace}/serviceaccounts/penstock-coordinator/token"
    token = kubernetes.make(account, {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}})
    return KubernetesApi(kubernetes.admin.server, kubernetes.admin.tls, token["status"]["token"])


def may_lead(kubernetes: Kubernetes, namespace: str, account: str) -> None:
    """An object to lead with, and the right to read and write it, as the chart makes them."""
    rights = f"/apis/rbac.authorization.k8s.io/v1/namespaces/{namespace}"
    rule = {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ["get", "update"]}
    role = {"metadata": {"name": "lease"}, "rules": [{**rule, "resourceNames": ["fleet"]}]}
    kubernetes.make(f"{rights}/roles", role)
    subject = {"kind": "ServiceAccount", "name": account, "namespace": namespace}
    ref = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "lease"}
    kubernetes.make(f"{rights}/rolebindings", {"metadata": {"name": "lease"}, "subjects": [subject], "roleRef": ref})
    kubernetes.make(f"/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases", {"metadata": {"name": "fleet"}})
