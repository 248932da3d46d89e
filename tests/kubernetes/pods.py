"""Simulated applications whose executors are real pods, as a driver of Spark makes and removes them."""

from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from fleet_world import SimulatedApplication, SimulatedCluster

from penstock.engines.applications.wire import Order, SaidState
from tests.kubernetes.real import Kubernetes

ANSWERS_WITHIN_S = 2.0  # a driver goes on reporting while the API server stands still


def executor(application: str, number: int, cpu: str = "1") -> dict[str, Any]:
    """The manifest of an executor's pod."""
    labels = {"spark-app-selector": application, "spark-role": "executor"}
    container = {
        "name": "spark-kubernetes-executor",
        "image": "busybox",
        "command": ["sleep", "3600"],
        "env": [{"name": "SPARK_EXECUTOR_CORES", "value": "1"}],
        "resources": {"requests": {"cpu": cpu, "memory": "16Mi"}},
    }
    name = f"{application}-exec-{number}"
    return {
        "metadata": {"name": name, "labels": labels},
        "spec": {"restartPolicy": "Never", "terminationGracePeriodSeconds": 0, "containers": [container]},
    }


@dataclass
class PodApplication(SimulatedApplication):
    """Holds as many executors as pods of it found a node."""

    kubernetes: Kubernetes | None = None
    namespace: str = ""
    made: int = 0
    known: list[Any] = field(default_factory=list)  # pods, as of the last answer

    def give(self, order: Order) -> None:
        super().give(order)
        self.sync()

    def state(self) -> SaidState:
        self.sync()
        with self.cluster.lock:
            self.held = sum(1 for pod in self.known if pod["spec"].get("nodeName"))
        return super().state()

    def pods(self) -> list[Any]:
        """Those that there are."""
        path = f"{self._place}?labelSelector=spark-app-selector%3D{self.name}"
        return sorted(self._send("GET", path)["items"], key=lambda pod: str(pod["metadata"]["creationTimestamp"]))

    def sync(self) -> None:
        """As many pods as are wanted; what is refused, or not answered, is tried again with the next report."""
        with suppress(OSError):
            self.known = self.pods()
            for pod in self.known[self.wanted :]:
                self._send("DELETE", f"{self._place}/{pod['metadata']['name']}?gracePeriodSeconds=0")
            for _ in range(self.wanted - len(self.known)):
                self.made += 1
                self._send("POST", self._place, executor(self.name, self.made))

    def _send(self, method: str, path: str, body: Any = None) -> Any:
        assert self.kubernetes is not None
        return self.kubernetes.send(method, path, body, within_s=ANSWERS_WITHIN_S)

    @property
    def _place(self) -> str:
        return f"/api/v1/namespaces/{self.namespace}/pods"


def of_pods(kubernetes: Kubernetes, namespace: str, name: str, rate: float, wanted: int, **more: Any) -> PodApplication:
    """An application with one tenant of its name; what limits it is the real cluster."""
    return PodApplication(
        name, SimulatedCluster(1000), {name: rate}, wanted=wanted, kubernetes=kubernetes, namespace=namespace, **more
    )
