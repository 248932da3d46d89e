"""What a fleet's file names, as the engine knows it: the cluster, who leads, the bounds of applications."""

from penstock.config.coordination import ALL_OF_YARN, BoundsPart, ClusterPart, LeadershipPart, of_package
from penstock.core.seen.leader import Lease
from penstock.engines.applications.book import Bounds
from penstock.engines.applications.cluster import Cluster, FixedCluster
from penstock.engines.applications.kubernetes import KubernetesCluster
from penstock.engines.applications.kubernetes_lease import KubernetesLease
from penstock.engines.applications.standalone import StandaloneCluster
from penstock.engines.applications.yarn import YarnCluster
from penstock.kubernetes_api import api


def cluster_of(part: ClusterPart) -> Cluster:
    """The cluster that the file names."""
    if part.installed is not None:
        made: Cluster = of_package(*part.installed)
        return made
    if part.standalone is not None:
        return StandaloneCluster(part.standalone)
    if part.yarn is not None:
        return YarnCluster(part.yarn, part.queue or ALL_OF_YARN)
    if part.kubernetes is not None:
        return KubernetesCluster(api(), part.kubernetes)
    return FixedCluster(part.cores or 0)


def lease_of(part: LeadershipPart, holder: str, place: str) -> Lease | None:
    """The lease that the file names, as that holder asks for it; None where it names none."""
    if part.kubernetes is None:
        return None
    namespace, name = part.kubernetes.split("/")
    return KubernetesLease(api(), namespace, name, holder, place)


def bounds_of(part: BoundsPart) -> Bounds:
    """Of an application."""
    return Bounds(part.min_executors, part.max_executors, part.utility)
