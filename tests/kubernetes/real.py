"""A real Kubernetes API, without nodes that run anything: etcd, API server, scheduler and controllers in one program.

Its parts are those of `penstock cluster up --kubernetes`: the program is built once (a quarter of an hour of CPU) and
kept in the cache. Where KUBECONFIG names a cluster, that one is used instead. Nodes are objects that the tests make:
pods are bound to them by the real scheduler and never begin to run.
"""

import json
import os
import shutil
import signal
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from penstock.engines.applications.kubernetes_api import KubernetesApi, api
from penstock.engines.kubernetes import building, cluster, configuration
from penstock.engines.kubernetes.configuration import KubernetesShape
from penstock.errors import EngineError
from tests.harness.ports import own_port
from tests.patience import eventually

_numbers = count()


@dataclass(frozen=True, slots=True)
class Kubernetes:
    """An API server and its administrator."""

    admin: KubernetesApi
    kubeconfig: Path
    server: "subprocess.Popen[bytes] | None" = None  # where it is ours

    def send(
        self, method: str, path: str, body: Any = None, kind: str = "application/json", within_s: float = 30.0
    ) -> Any:
        """The answer; an HTTPError where it is refused."""
        headers = {"Content-Type": kind, "Authorization": f"Bearer {self.admin.token}"}
        raw = None if body is None else json.dumps(body).encode()
        asked = urllib.request.Request(f"{self.admin.server}{path}", raw, headers, method=method)
        with urllib.request.urlopen(asked, context=self.admin.tls, timeout=within_s) as response:
            return json.load(response)

    def make(self, path: str, manifest: Any) -> Any:
        """The object, made in that list."""
        return self.send("POST", path, manifest)

    def namespace(self) -> str:
        """A new one, in which pods may be made."""
        name = f"test-{next(_numbers)}"
        self.make("/api/v1/namespaces", {"metadata": {"name": name}})
        eventually(lambda: self._is_there(f"/api/v1/namespaces/{name}/serviceaccounts/default"))
        return name

    @contextmanager
    def node(self, cpu: int) -> Iterator[str]:
        """A node that takes pods until the block ends, and runs none of them; its name."""
        if os.environ.get("KUBECONFIG"):
            pytest.skip("KUBECONFIG names a cluster, which has nodes of its own")
        name = f"node-{next(_numbers)}"
        ready = {"type": "Ready", "status": "True", "reason": "Made", "message": ""}
        amounts = {"cpu": str(cpu), "memory": "64Gi", "pods": "110"}
        status = {"conditions": [ready], "allocatable": amounts, "capacity": amounts}
        self.make("/api/v1/nodes", {"metadata": {"name": name}, "status": status})
        # The API server taints what has not said yet that it is ready; whoever would take that off is not here.
        patch: dict[str, Any] = {"spec": {"taints": []}}
        self.send("PATCH", f"/api/v1/nodes/{name}", patch, "application/merge-patch+json")
        try:
            yield name
        finally:
            self.send("DELETE", f"/api/v1/nodes/{name}")

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """The API server stands still until the block ends."""
        if self.server is None:
            pytest.skip("KUBECONFIG names a cluster, which is not ours to stop")
        self.server.send_signal(signal.SIGSTOP)
        os.waitpid(self.server.pid, os.WUNTRACED)
        try:
            yield
        finally:
            self.server.send_signal(signal.SIGCONT)

    def _is_there(self, path: str) -> bool:
        try:
            return bool(self.send("GET", path))
        except urllib.error.HTTPError:
            return False


@pytest.fixture(scope="session")
def kubernetes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kubernetes]:
    place = tmp_path_factory.mktemp("kubernetes")
    given = os.environ.get("KUBECONFIG")
    if given:
        yield Kubernetes(api(), Path(given))
        return
    with ExitStack() as stack:
        yield _started(place, program(), stack)


def program() -> Path:
    """The control plane's, built the first time; the test is skipped where there is no Go for that."""
    try:
        return building.program(print)
    except EngineError as error:
        if shutil.which("go"):
            raise
        pytest.skip(f"no KUBECONFIG names a cluster, and {error}")


def _started(place: Path, built: Path, stack: ExitStack) -> Kubernetes:
    shape = KubernetesShape(nodes=0, cores=0, memory_mib=0, port=own_port(), peer_port=own_port())
    configuration.write(place, shape)
    config = configuration.kubeconfig(place)
    parts = configuration.commands(built, place, shape)
    found = Kubernetes(api({"KUBECONFIG": str(config)}), config)
    for name, command in parts.items():
        process = stack.enter_context(_running(place, name, command))
        if name == "kube-apiserver":
            found = replace(found, server=process)
            eventually(lambda: cluster.answers(place))
    return found


@contextmanager
def _running(place: Path, name: str, command: list[Any]) -> Iterator["subprocess.Popen[bytes]"]:
    with (place / f"{name}.log").open("wb") as log:
        process = subprocess.Popen([str(word) for word in command], stdout=log, stderr=log, stdin=subprocess.DEVNULL)
    try:
        yield process
        assert process.poll() is None, (place / f"{name}.log").read_text()[-2000:]
    finally:
        process.terminate()
        try:
            process.wait(20.0)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
