"""Clusters and brokers on this machine, for trying things out: `penstock cluster` and `penstock kafka` as calls.

`state` is the file that notes what was started; the user's own by default.
"""

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from penstock.core.units import size_mib
from penstock.extras import check_extra
from penstock.local.kafka.jars import JarSet
from penstock.local.kafka.jars import jars as fetched
from penstock.local.kubernetes import cluster as of_kubernetes
from penstock.local.kubernetes.configuration import KubernetesShape
from penstock.local.processes import Process, free_port
from penstock.local.spark import standalone
from penstock.local.yarn import cluster as of_yarn
from penstock.local.yarn.configuration import YarnShape

if TYPE_CHECKING:
    from penstock.local.kafka.broker import Broker


def start_cluster(
    workers: int = 2,
    cores: int = 4,
    memory: str = "1g",
    port: int = 7077,
    *,
    bandwidth: str | None = None,
    closed: bool = True,
    state: Path | None = None,
) -> standalone.StartedCluster:
    """A standalone Spark cluster on loopback, from the installed pyspark; its `master` is for `ps.run`.

    With a `bandwidth` such as "1gbit" each worker is in a network namespace of its own, behind such a link (as root).
    One that is not `closed` has no secret: every user of this machine can run code there.
    """
    place = state or standalone.default_state_file()
    worker_mib = size_mib(memory, "memory", least=standalone.LEAST_WORKER_MIB)
    return standalone.up(place, workers, cores, f"{worker_mib}m", port, bandwidth, closed)


def cluster_status(state: Path | None = None) -> standalone.StartedCluster | None:
    """What `start_cluster` started and was not stopped."""
    return standalone.status(state or standalone.default_state_file())


def stop_cluster(state: Path | None = None) -> Sequence[Process]:
    """End exactly what `start_cluster` started."""
    return standalone.down(state or standalone.default_state_file())


def start_yarn(
    workers: int = 2,
    cores: int = 4,
    memory: str = "4g",
    queues: Collection[str] = ("default",),
    *,
    port: int = 8088,
    state: Path | None = None,
) -> of_yarn.Yarn:
    """A YARN on loopback; its `environment` is what drivers need."""
    shape = YarnShape(workers, cores, size_mib(memory, "memory"), tuple(queues), port)
    return of_yarn.up(state or of_yarn.default_state_file(), shape)


def yarn_status(state: Path | None = None) -> of_yarn.Yarn | None:
    """What `start_yarn` started and was not stopped."""
    return of_yarn.status(state or of_yarn.default_state_file())


def stop_yarn(state: Path | None = None) -> Sequence[Process]:
    """End exactly what `start_yarn` started."""
    return of_yarn.down(state or of_yarn.default_state_file())


def start_kubernetes(
    workers: int = 2,
    cores: int = 4,
    memory: str = "8g",
    port: int = 6443,
    *,
    state: Path | None = None,
    say: Callable[[str], None] = lambda text: None,
) -> of_kubernetes.StartedKubernetes:
    """A Kubernetes on loopback: its real control plane, and nodes that run Spark's executors as processes.

    Its `environment` is what drivers and coordinators need. It is built with Go the first time, of which `say` hears.
    """
    shape = KubernetesShape(workers, cores, size_mib(memory, "memory"), port, free_port())
    return of_kubernetes.up(state or of_kubernetes.default_state_file(), shape, say)


def kubernetes_status(state: Path | None = None) -> of_kubernetes.StartedKubernetes | None:
    """What `start_kubernetes` started and was not stopped."""
    return of_kubernetes.status(state or of_kubernetes.default_state_file())


def stop_kubernetes(state: Path | None = None) -> Sequence[Process]:
    """End exactly what `start_kubernetes` started, and what its nodes run."""
    return of_kubernetes.down(state or of_kubernetes.default_state_file())


def start_kafka(port: int = 9092, partitions: int = 4, *, state: Path | None = None) -> "Broker":
    """A Kafka broker on loopback; topics are made on demand, with so many partitions."""
    check_extra("kafka")
    from penstock.local.kafka import broker

    return broker.up(state or broker.default_state_file(), port, partitions)


def kafka_status(state: Path | None = None) -> "Broker | None":
    """What `start_kafka` started and was not stopped."""
    check_extra("kafka")
    from penstock.local.kafka import broker

    return broker.status(state or broker.default_state_file())


def stop_kafka(state: Path | None = None) -> Process | None:
    """End exactly what `start_kafka` started, and remove its records."""
    check_extra("kafka")
    from penstock.local.kafka import broker

    return broker.down(state or broker.default_state_file())


def kafka_jars() -> Sequence[Path]:
    """What a session needs for Kafka, for `spark.jars`; fetched with its checksums, and so is the broker, once."""
    fetched(JarSet.BROKER)
    return fetched(JarSet.CONNECTOR)
