"""Two real drivers whose executors are pods, coordinators that lead by a Lease object, and what only pods suffer."""

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from penstock.engines.applications.cluster import Room
from penstock.engines.applications.kubernetes import KubernetesCluster
from penstock.local.postgres import postgres_files
from tests.governing.real_fleet import RealFleet
from tests.governing.two_drivers import CORES, NAMES, TwoDrivers
from tests.kubernetes import here
from tests.kubernetes.allowed import quota
from tests.kubernetes.here import PODS, Here
from tests.patience import eventually

NAMESPACE = "default"
EXECUTORS = f"{PODS}?labelSelector=spark-role%3Dexecutor"


class LedByObject(TwoDrivers):
    """Who coordinates them is in a Lease object."""

    def governed(self, **more: Any) -> dict[str, Any]:
        return super().governed(leadership={"kubernetes": f"{NAMESPACE}/fleet"}, **more)


@dataclass(frozen=True, slots=True)
class PodFleet:
    """The Kubernetes, the drivers and their coordinators."""

    up: Here
    fleet: RealFleet

    def placed(self) -> Mapping[str, Mapping[str, str]]:
        """The nodes of each application's executors, by the names of their pods; those that are to go are left out."""
        found: dict[str, dict[str, str]] = {}
        for pod in self.up.kubernetes.send("GET", EXECUTORS)["items"]:
            named, node = pod["metadata"], pod["spec"].get("nodeName")
            if node and pod["status"]["phase"] in ("Pending", "Running") and "deletionTimestamp" not in named:
                found.setdefault(named["labels"]["spark-app-selector"], {})[named["name"]] = node
        return found


@dataclass(frozen=True, slots=True)
class Deleted:
    """A pod that was, the pods of its application when another had come in its place, and what was held."""

    pod: str
    pods: frozenset[str]
    room: Room


def begun(place: Path, stack: ExitStack) -> PodFleet:
    """The drivers have begun; there is a core for each executor, on a node of its own."""
    here.built()
    up = stack.enter_context(here.up(place, workers=CORES, cores=1))
    stack.enter_context(pytest.MonkeyPatch.context()).setenv("KUBECONFIG", str(up.kubernetes.kubeconfig))
    cluster = KubernetesCluster(up.kubernetes.admin, NAMESPACE)
    master, found = f"k8s://{up.found.server}", up.found.environment
    drivers = LedByObject(place, master, cluster, {"kubernetes": NAMESPACE}, found)
    fleet = RealFleet(drivers, stack.enter_context(postgres_files("s3cret-Wort")), stack)
    for name in NAMES:
        fleet.begin(name)
    return PodFleet(up, fleet)


def a_pod_is_deleted(site: PodFleet) -> Deleted:
    """As `kubectl delete pod` does: one of the application that has three."""
    application = _with(site, 3)
    pod = next(iter(site.placed()[application]))
    site.up.kubernetes.send("DELETE", f"{PODS}/{pod}")
    eventually(lambda: len(site.placed()[application]) == 3 and pod not in site.placed()[application])
    return Deleted(pod, frozenset(site.placed()[application]), site.fleet.drivers.until(1, 3))


def a_node_is_gone(site: PodFleet) -> Room:
    """It ran the only executor of an application; its pods stay until controllers have found that it is gone."""
    # More than one executor does; by what it needed before, each batch would take twice as long as the one before.
    site.fleet.drivers.needs("clicks", 1.2)
    (node,) = site.placed()[_with(site, 1)].values()
    site.up.kubernetes.send("DELETE", f"/api/v1/nodes/{node}")
    eventually(lambda: all(node not in pods.values() for pods in site.placed().values()))
    room = site.fleet.drivers.until(1, 2)
    eventually(lambda: site.up.running() == 3)  # each is a process
    return room


def the_quota_is_lowered(site: PodFleet) -> Room:
    """Below what is used, to what both need at the least."""
    quota(site.up.kubernetes, NAMESPACE, requests_cpu="2")
    return site.fleet.drivers.until(1, 1)


def _with(site: PodFleet, executors: int) -> str:
    """The application that holds so many, of two that hold one and three."""
    held = site.fleet.drivers.until(1, 3).held
    return next(name for name, cores in held.items() if cores == executors)
