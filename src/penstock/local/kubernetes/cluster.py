"""A Kubernetes on this machine: its parts started one after another, known again, and ended with all that they run.

A state file says what was started, so that exactly that is ended.
"""

import shutil
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from penstock.errors import ConfigError, EngineError, OutageError
from penstock.http_answers import opened
from penstock.kubernetes_api import api
from penstock.local import processes
from penstock.local.java import java
from penstock.local.kubernetes import building, configuration, nodes
from penstock.local.kubernetes.configuration import KubernetesShape
from penstock.local.processes import Process
from penstock.local.state_file import StateFile, default_place

_UP_WITHIN_S = 180.0
_MOST_NODES = 100
_LONGEST_FOLDER = 90  # the kernel takes no longer path of a socket than 107 bytes


@dataclass(frozen=True, slots=True)
class StartedKubernetes:
    """A running one: its API server, its folder, and its parts in the order in which they began."""

    server: str
    place: str
    processes: tuple[Process, ...] = ()

    @property
    def environment(self) -> dict[str, str]:
        """What Spark and coordinators find it by."""
        return {
            "KUBECONFIG": str(configuration.kubeconfig(Path(self.place))),
            "SPARK_CONF_DIR": f"{self.place}/spark",
        }


def default_state_file() -> Path:
    """Where the running one is noted."""
    return default_place("kubernetes")


def up(state: Path, shape: KubernetesShape, tell: Callable[[str], None]) -> StartedKubernetes:
    """Start the control plane and nodes, and wait until pods can be made; `tell` hears of what takes long."""
    place = state.parent.absolute() / f"{state.stem}-files"
    _check(shape, place)
    known = status(state)
    if known is not None and any(process.alive for process in known.processes):
        remedy = "end it with Ctrl-C where it was started, or with `penstock cluster down --kubernetes`"
        raise EngineError(f"a Kubernetes runs already at {known.server}; {remedy}")
    down(state)  # what a crash left
    if processes.listens(shape.port):
        raise ConfigError("--port", shape.port, "the port is in use; choose another")
    java()  # said now, and not by each executor
    program = building.program(tell)
    noted = _file(state)
    found = noted.write(StartedKubernetes(shape.server, str(place)))
    try:
        configuration.write(place, shape)
        size = nodes.NodeSize(shape.cores, shape.memory_mib)
        parts = {**configuration.commands(program, place, shape), "nodes": nodes.command(place, shape.nodes, size)}
        for role, command in parts.items():
            begun = processes.start(role, command, place / f"{role}.log", {})
            found = noted.note(found, processes=(*found.processes, begun))
            if role == "kube-apiserver":  # the others give up where nobody listens
                _wait(found, lambda: answers(place))
        _wait(found, lambda: _takes_pods(place, shape.nodes))
    except BaseException:
        down(state)
        raise
    return found


def down(state: Path) -> tuple[Process, ...]:
    """End what `up` started and what its nodes run, and nothing else; the last first."""
    found = status(state)
    if found is None:
        return ()
    place = Path(found.place)
    ended = tuple(process for process in found.processes if process.alive)
    for process in reversed(ended):
        processes.end(process)
        if process.role == "nodes":
            _end_pods(place)
    _end_pods(place)  # those of nodes that were killed
    shutil.rmtree(place, ignore_errors=True)
    _file(state).remove()
    return ended


def status(state: Path) -> StartedKubernetes | None:
    """What the state file tells of; None when there is none."""
    return _file(state).read()


def answers(place: Path) -> bool:
    """Whether the API server is ready."""
    server = api({"KUBECONFIG": str(configuration.kubeconfig(place))})
    try:
        asked = urllib.request.Request(f"{server.server}/readyz", headers={"Authorization": f"Bearer {server.token}"})
        with opened(asked, 5.0, server.tls) as response:
            return bool(response.status == 200)
    except OSError:
        return False


def _check(shape: KubernetesShape, place: Path) -> None:
    if not 1 <= shape.nodes <= _MOST_NODES:
        raise ConfigError("--workers", shape.nodes, f"write a number from 1 to {_MOST_NODES}")
    if shape.cores < 1:
        raise ConfigError("--cores", shape.cores, "write the cores of each node, at least 1")
    if not 1024 <= shape.port <= 65535:
        raise ConfigError("--port", shape.port, "write a port from 1024 to 65535")
    if len(bytes(place)) > _LONGEST_FOLDER:
        remedy = f"its folder would have a path of more than {_LONGEST_FOLDER} bytes; name a file elsewhere"
        raise ConfigError("--state", str(place), remedy)


def _wait(found: StartedKubernetes, done: Callable[[], bool]) -> None:
    def looked() -> bool:
        dead = [process.role for process in found.processes if not process.alive]
        if dead:
            raise EngineError(f"{dead[0]} ended at once: {_last_line(Path(found.place, f'{dead[0]}.log'))}")
        return done()

    processes.wait(looked, _UP_WITHIN_S, "Kubernetes was not up")


def _takes_pods(place: Path, count: int) -> bool:
    """Whether all nodes are there, and the account that pods run as."""
    server = api({"KUBECONFIG": str(configuration.kubeconfig(place))})
    try:
        found = server.get("/api/v1/nodes")["items"]
        server.get(f"/api/v1/namespaces/{configuration.NAMESPACE}/serviceaccounts/default")
    except OutageError:
        return False
    return sum(1 for node in found if not node["spec"].get("taints")) >= count


def _end_pods(place: Path) -> None:
    for process in processes.found_by("executor", nodes.mark(place)):
        processes.end(process, within_s=5.0)


def _last_line(log: Path) -> str:
    """What it said last: its folder is gone when anybody reads of it."""
    lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return lines[-1][:300] if lines else "it said nothing"


def _file(state: Path) -> StateFile[StartedKubernetes]:
    return StateFile(state, StartedKubernetes, "Kubernetes")
