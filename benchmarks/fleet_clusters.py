"""The cluster of `fleet_of_eight`, up for as long as a way lasts: a standalone one, a YARN or a Kubernetes."""

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from penstock.engines.applications.cluster import Cluster
from penstock.engines.applications.kubernetes import KubernetesCluster
from penstock.engines.applications.standalone import StandaloneCluster
from penstock.engines.applications.yarn import YarnCluster
from penstock.kubernetes_api import api
from penstock.local import processes
from penstock.local.kubernetes import cluster as of_kubernetes
from penstock.local.kubernetes.configuration import NAMESPACE, KubernetesShape
from penstock.local.spark import standalone
from penstock.local.yarn import cluster as of_yarn
from penstock.local.yarn.configuration import YarnShape

NODE_MIB = 8192  # more than a node's executors ask for: what binds are cores


@dataclass(frozen=True, slots=True)
class Cores:
    """What there is to be: nodes with so many slots each, and applications that want to be told apart."""

    nodes: int
    slots: int
    applications: int


@dataclass(frozen=True, slots=True)
class Standing:
    """A cluster that is up; `fleet` names it in a coordinator's file, by `around` drivers find it.

    `has_masters`: each application has one, which takes a core beside its executors.
    """

    master: str
    cluster: Cluster
    fleet: Mapping[str, Any]
    around: Mapping[str, str] = field(default_factory=dict)
    has_masters: bool = False


def _down(down: Callable[[Path], object], state: Path) -> None:
    """Take a cluster down, whole though a signal comes meanwhile: nobody else would."""
    try:
        down(state)
    except BaseException:
        down(state)
        raise


@contextmanager
def _standalone(place: Path, cores: Cores) -> Iterator[Standing]:
    state = place / "cluster.json"
    started = standalone.up(state, cores.nodes, cores.slots, memory=f"{NODE_MIB}m", port=processes.free_port())
    try:
        processes.wait(lambda: standalone.page_of(state) is not None, 60.0, "the master has no page")
        url = standalone.page_of(state) or ""
        yield Standing(started.master, StandaloneCluster(url), {"standalone": url})
    finally:
        _down(standalone.down, state)


@contextmanager
def _yarn(place: Path, cores: Cores) -> Iterator[Standing]:
    state = place / "cluster.json"
    masters = -(-cores.applications // cores.nodes)  # each takes a core
    shape = YarnShape(cores.nodes, cores.slots + masters, NODE_MIB, ("default",), _five_ports())
    found = of_yarn.up(state, shape)
    try:
        around = {**found.environment, "PYSPARK_PYTHON": sys.executable}
        yield Standing("yarn", YarnCluster(found.page), {"yarn": found.page}, around, has_masters=True)
    finally:
        _down(of_yarn.down, state)


@contextmanager
def _kubernetes(place: Path, cores: Cores) -> Iterator[Standing]:
    state = place / "cluster.json"
    shape = KubernetesShape(cores.nodes, cores.slots, NODE_MIB, processes.free_port(), processes.free_port())
    found = of_kubernetes.up(state, shape, lambda text: print(text, file=sys.stderr))
    try:
        cluster = KubernetesCluster(api(found.environment), NAMESPACE)
        yield Standing(f"k8s://{found.server}", cluster, {"kubernetes": NAMESPACE}, found.environment)
    finally:
        _down(of_kubernetes.down, state)


KINDS: Mapping[str, Callable[[Path, Cores], Any]] = {
    "standalone": _standalone,
    "yarn": _yarn,
    "kubernetes": _kubernetes,
}


def _five_ports() -> int:
    """The first of five in a row where nobody listens."""
    while True:
        first = processes.free_port()
        if first < 65_000 and not any(processes.listens(port) for port in range(first, first + 5)):
            return first
