"""The nodes of a Kubernetes on this machine, as one program: executors of Spark that are bound to them are processes.

    bound --> runs --> over (how it ended is told)
      |         |
      +---------+--> deleted: asked to end, ended when its grace is over, then taken off the list

A node that is deleted is gone as a machine is that fails: what ran on it ends, and nobody says so. Controllers remove
its pods after a minute.

There are no containers here: whatever else is bound to a node waits, and says why.
"""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

import pyspark

from penstock.errors import OutageError
from penstock.kubernetes_api import KubernetesApi, NothingThereError, OvertakenError, api
from penstock.local.java import java

_LOOK_EVERY_S = 0.5
_BACKEND = "org.apache.spark.scheduler.cluster.k8s.KubernetesExecutorBackend"
_JVM = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
_TOLD_BY = {  # the backend's options, by the variables that Spark gives to an executor's pod
    "driver-url": "SPARK_DRIVER_URL",
    "executor-id": "SPARK_EXECUTOR_ID",
    "cores": "SPARK_EXECUTOR_CORES",
    "app-id": "SPARK_APPLICATION_ID",
    "hostname": "SPARK_EXECUTOR_POD_IP",
    "resourceProfileId": "SPARK_RESOURCE_PROFILE_ID",
    "podName": "SPARK_EXECUTOR_POD_NAME",
}
_NO_CONTAINERS = {"reason": "NoContainers", "message": "nodes of `penstock cluster up` run executors of Spark only"}
Manifest = dict[str, Any]


@dataclass(frozen=True, slots=True)
class NodeSize:
    """What each node offers."""

    cores: int
    memory_mib: int


@dataclass(slots=True)
class RunningPod:
    """A pod whose process was started."""

    process: "subprocess.Popen[bytes]"
    address: str
    since: str
    killed_at: float | None = None  # once it was asked to end; by the monotonic clock


def mark(place: Path) -> str:
    """The argument by which processes of pods are known, whoever runs them."""
    return f"-Dpenstock.nodes={place}"


def command(place: Path, nodes: int, size: NodeSize) -> list[str]:
    """The command line of this program."""
    return [sys.executable, "-m", __name__, str(place), str(nodes), str(size.cores), str(size.memory_mib)]


class Nodes:
    """The nodes and what runs on them."""

    def __init__(self, server: KubernetesApi, place: Path, names: tuple[str, ...]) -> None:
        self._server = server
        self._place = place
        self._names = names
        self._pods: dict[str, RunningPod] = {}
        self._numbers = count()

    def join(self, size: NodeSize) -> None:
        """Make the nodes, ready for pods; those that are there already are as well."""
        for name in self._names:
            with contextlib.suppress(OvertakenError):
                self._server.send("POST", "/api/v1/nodes", _node(name, size))
            node = self._server.get(f"/api/v1/nodes/{name}")
            node["spec"].pop("taints", None)  # the API server makes them of what has not said yet that it is ready
            self._server.send("PUT", f"/api/v1/nodes/{name}", node)

    def look(self) -> None:
        """See which pods there are, and do what each needs."""
        there = {node["metadata"]["name"] for node in self._server.get("/api/v1/nodes")["items"]}
        pods = self._server.get("/api/v1/pods")["items"]
        found = {pod["metadata"]["uid"]: pod for pod in pods if pod["spec"].get("nodeName") in there}
        for uid in self._pods.keys() - found.keys():  # deleted by force, or its node is gone
            self._kill(self._pods.pop(uid))
        for uid, pod in found.items():
            if pod["spec"]["nodeName"] in self._names:
                with contextlib.suppress(NothingThereError, OvertakenError):  # it has changed: the next look sees it
                    self._tend(uid, pod)

    def _tend(self, uid: str, pod: Manifest) -> None:
        running, phase = self._pods.get(uid), pod["status"].get("phase")
        if "deletionTimestamp" in pod["metadata"]:
            self._delete(uid, pod, running)
        elif running is not None and running.process.poll() is not None:
            if phase not in ("Succeeded", "Failed"):
                self._say(pod, running)
        elif running is None and phase == "Pending":
            self._begin(uid, pod)

    def _begin(self, uid: str, pod: Manifest) -> None:
        containers = pod["spec"]["containers"]
        if len(containers) != 1 or containers[0].get("args", [])[:1] != ["executor"]:
            if "containerStatuses" not in pod["status"]:
                self._put(pod, "Pending", {"waiting": _NO_CONTAINERS})
            return
        number = next(self._numbers)
        address = f"127.1.{number // 250}.{number % 250 + 1}"
        told = environment(containers[0], pod["metadata"]["name"], address)
        self._pods[uid] = running = RunningPod(self._start(uid, told), address, _now())
        self._say(pod, running)

    def _start(self, uid: str, told: Mapping[str, str]) -> "subprocess.Popen[bytes]":
        own = self._place / "pods" / uid
        own.mkdir(parents=True)
        home = Path(pyspark.__file__).parent
        folders = {"SPARK_HOME": str(home), "SPARK_LOCAL_DIRS": str(own), "SPARK_CONF_DIR": str(own)}
        words = [java(), mark(self._place), *executor(told)]
        with (own / "log").open("wb") as log:
            return subprocess.Popen(
                words,
                env={**os.environ, **told, **folders},
                cwd=own,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def _delete(self, uid: str, pod: Manifest, running: RunningPod | None) -> None:
        if running is not None and running.process.poll() is None:
            now = time.monotonic()
            if running.killed_at is None:
                running.process.terminate()
                running.killed_at = now
            if now - running.killed_at < pod["metadata"].get("deletionGracePeriodSeconds", 30):
                return
            self._kill(running)
        self._pods.pop(uid, None)
        self._server.send("DELETE", f"{_path(pod)}?gracePeriodSeconds=0")

    def _kill(self, running: RunningPod) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(running.process.pid, signal.SIGKILL)
        running.process.wait()

    def _say(self, pod: Manifest, running: RunningPod) -> None:
        code = running.process.poll()
        if code is None:
            self._put(pod, "Running", {"running": {"startedAt": running.since}}, running.address)
            return
        over = {"exitCode": code if code >= 0 else 128 - code, "startedAt": running.since, "finishedAt": _now()}
        self._put(pod, "Failed" if code else "Succeeded", {"terminated": over}, running.address)

    def _put(self, pod: Manifest, phase: str, state: Manifest, address: str | None = None) -> None:
        self._server.send("PUT", f"{_path(pod)}/status", {**pod, "status": _status(pod, phase, state, address)})


def environment(container: Manifest, name: str, address: str) -> dict[str, str]:
    """What a container's process is told; of the pod's own fields those that Spark asks for."""
    fields = {"status.podIP": address, "metadata.name": name}
    told = {}
    for one in container.get("env", ()):
        field = one.get("valueFrom", {}).get("fieldRef", {}).get("fieldPath")
        told[one["name"]] = one.get("value", "") if field is None else fields.get(field, "")
    return told


def executor(told: Mapping[str, str]) -> list[str]:
    """The words after `java` that begin an executor, as the entry point of Spark's image has them.

    >>> executor({"SPARK_EXECUTOR_MEMORY": "1g", "SPARK_EXECUTOR_ID": "3", "SPARK_JAVA_OPT_0": "-Da=b"})[2:5]
    ['-Da=b', '-Xms1g', '-Xmx1g']
    """
    prefix = "SPARK_JAVA_OPT_"
    numbers = sorted(int(name.removeprefix(prefix)) for name in told if name.startswith(prefix))
    options = [told[f"{prefix}{number}"] for number in numbers]
    heap = told["SPARK_EXECUTOR_MEMORY"]
    jars = Path(pyspark.__file__).parent / "jars" / "*"
    given = (word for option, name in _TOLD_BY.items() if name in told for word in (f"--{option}", told[name]))
    return [*_JVM, *options, f"-Xms{heap}", f"-Xmx{heap}", "-cp", str(jars), _BACKEND, *given]


def _status(pod: Manifest, phase: str, state: Manifest, address: str | None) -> Manifest:
    container, runs = pod["spec"]["containers"][0], "running" in state
    told = {
        "name": container["name"],
        "image": container["image"],
        "imageID": "",
        "ready": runs,
        "started": runs,
        "restartCount": 0,
        "state": state,
    }
    kept = {"qosClass": pod["status"]["qosClass"]} if "qosClass" in pod["status"] else {}
    conditions = {"PodScheduled": True, "Initialized": True, "ContainersReady": runs, "Ready": runs}
    where = {} if address is None else {"podIP": address, "podIPs": [{"ip": address}]}
    return {
        **kept,
        **where,
        "phase": phase,
        "startTime": pod["status"].get("startTime") or _now(),
        "hostIP": "127.0.0.1",
        "hostIPs": [{"ip": "127.0.0.1"}],
        "conditions": [{"type": name, "status": str(true)} for name, true in conditions.items()],
        "containerStatuses": [told],
    }


def _node(name: str, size: NodeSize) -> Manifest:
    amounts = {"cpu": str(size.cores), "memory": f"{size.memory_mib}Mi", "pods": "110"}
    ready = {"type": "Ready", "status": "True", "reason": "Made", "message": ""}
    return {"metadata": {"name": name}, "status": {"conditions": [ready], "allocatable": amounts, "capacity": amounts}}


def _path(pod: Manifest) -> str:
    return f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods/{pod['metadata']['name']}"


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _main(place: Path, nodes: int, size: NodeSize) -> None:
    from penstock.local.kubernetes.configuration import kubeconfig

    server = api({"KUBECONFIG": str(kubeconfig(place))})
    found = Nodes(server, place, tuple(f"node-{number}" for number in range(nodes)))
    joined = False
    while True:
        try:
            if not joined:  # others change new nodes too: whoever was overtaken tries again
                found.join(size)
                joined = True
            found.look()
        except OutageError as error:
            print(error, file=sys.stderr, flush=True)
        time.sleep(_LOOK_EVERY_S)


if __name__ == "__main__":
    _main(Path(sys.argv[1]), int(sys.argv[2]), NodeSize(int(sys.argv[3]), int(sys.argv[4])))
