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
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import yaml

from penstock.engines.applications.kubernetes import KubernetesCluster
from penstock.errors import EngineError
from penstock.kubernetes_api import KubernetesApi, api
from penstock.local.kubernetes import building, cluster, configuration
from penstock.local.kubernetes.configuration import KubernetesShape
from tests.harness.ports import own_port
from tests.patience import eventually

_numbers = count()


@dataclass(frozen=True, slots=True)
class Kubernetes:
    """An API server and its administrator."""

    admin: KubernetesApi
    kubeconfig: Path
    server: "subprocess.Popen[bytes] | None" = None  # where it is ours
    theirs: bool = False  # KUBECONFIG names it: it has nodes of its own, and keeps nothing of ours
    made: list[str] = field(default_factory=list)  # namespaces

    def send(
        self, method: str, path: str, body: Any = None, kind: str = "application/json", within_s: float = 30.0
    ) -> Any:
        """The answer; an HTTPError where it is refused."""
        admin = self.admin
        token = admin.token if admin.token_file is None else admin.token_file.read_text().strip()
        headers = {"Content-Type": kind, **({"Authorization": f"Bearer {token}"} if token else {})}
        raw = None if body is None else json.dumps(body).encode()
        asked = urllib.request.Request(f"{admin.server.rstrip('/')}{path}", raw, headers, method=method)
        with urllib.request.urlopen(asked, context=admin.tls, timeout=within_s) as response:
            return json.load(response)

    def make(self, path: str, manifest: Any) -> Any:
        """The object, made in that list."""
        return self.send("POST", path, manifest)

    def namespace(self) -> str:
        """A new one, in which pods may be made."""
        name = f"penstock-test-{uuid.uuid4().hex[:12]}"  # a cluster of the user's may be tested on by several at once
        self.make("/api/v1/namespaces", {"metadata": {"name": name}})
        self.made.append(name)
        by_controllers = ("serviceaccounts/default", "configmaps/kube-root-ca.crt")
        eventually(lambda: all(self._is_there(f"/api/v1/namespaces/{name}/{one}") for one in by_controllers))
        return name

    @contextmanager
    def node(self, cpu: int) -> Iterator[str]:
        """A node that takes pods until the block ends, and runs none of them, and no other is there; its name."""
        if self.theirs:
            pytest.skip(f"this test is about a cluster of exactly {cpu} CPUs: nodes of KUBECONFIG's are what they are")
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
    def room_for(self, cpu: int) -> Iterator[None]:
        """Pods that ask for so many CPUs find a node until the block ends."""
        if not self.theirs:
            with self.node(2 * cpu):  # pods that go hold theirs until they are gone
                yield
            return
        free = sum(one.free_cores for one in KubernetesCluster(self.admin, "default").room().workers if one.alive)
        if free < cpu:
            pytest.skip(f"this test's pods ask for {cpu} CPUs, and on KUBECONFIG's cluster {free} are free")
        try:
            yield
        finally:
            self.clear()  # the next test's pods want these CPUs

    def config(self, token: str) -> dict[str, Any]:
        """A kubeconfig for whoever has that token."""
        config = yaml.safe_load(self.kubeconfig.read_text())
        context = _named(config["contexts"], config["current-context"])["context"]
        cluster = dict(_named(config["clusters"], context["cluster"])["cluster"])
        if "certificate-authority" in cluster:
            cluster["certificate-authority"] = str(self.kubeconfig.parent / cluster["certificate-authority"])
        return {
            "clusters": [{"name": "here", "cluster": cluster}],
            "users": [{"name": "bearer", "user": {"token": token}}],
            "contexts": [{"name": "here", "context": {"cluster": "here", "user": "bearer"}}],
            "current-context": "here",
        }

    def clear(self) -> None:
        """Remove the namespaces that were made, and what is in them."""
        for name in self.made:
            self.send("DELETE", f"/api/v1/namespaces/{name}")
        eventually(lambda: not any(self._is_there(f"/api/v1/namespaces/{name}") for name in self.made))
        self.made.clear()

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
        theirs = Kubernetes(api(), Path(given.split(os.pathsep)[0]), theirs=True)
        try:
            yield theirs
        finally:
            theirs.clear()
        return
    with ExitStack() as stack:
        yield _started(place, program(), stack)


def _named(entries: list[Any], name: str) -> Any:
    return next(entry for entry in entries if entry["name"] == name)


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
