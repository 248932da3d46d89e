"""A real Kubernetes API, without nodes that run anything: etcd, API server, scheduler and controllers in one program.

The program is built once from the Go module beside this file (a quarter of an hour of CPU) and kept in the cache. Where
KUBECONFIG names a cluster, that one is used instead. Nodes are objects that the tests make: pods are bound to them by
the real scheduler and never begin to run.
"""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import yaml

from penstock.engines.applications.kubernetes_api import KubernetesApi, api
from tests.harness.ports import own_port
from tests.patience import eventually

_MODULE = Path(__file__).with_name("control_plane")
_VERSION = "1.35.4"
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
        yield _started(place, binary(), stack)


def binary() -> Path:
    """The program; built where it is not kept yet."""
    files = sorted(_MODULE.iterdir())
    mark = hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "penstock", "kubernetes")
    kept = base / f"control-plane-{_VERSION}-{mark}"
    if not kept.is_file():
        go = shutil.which("go")
        if go is None:
            pytest.skip("no KUBECONFIG names a cluster, and without Go (1.25 or later) none can be built here")
        base.mkdir(parents=True, exist_ok=True)
        fresh = kept.with_suffix(".new")
        flags = ["-trimpath", "-mod=mod", "-p", "2", "-ldflags", f"-s -w {_versions()}"]
        command = [go, "build", *flags, "-o", str(fresh), "."]
        subprocess.run(command, cwd=_MODULE, env={**os.environ, "CGO_ENABLED": "0"}, check=True)
        fresh.replace(kept)
    return kept


def _versions() -> str:
    """Without a version of its own the API server will not begin."""
    said = {"gitVersion": f"v{_VERSION}", "gitMajor": "1", "gitMinor": _VERSION.split(".")[1], "gitTreeState": "clean"}
    said |= {"gitCommit": "test", "buildDate": "2026-01-01T00:00:00Z"}
    places = ("k8s.io/component-base/version", "k8s.io/client-go/pkg/version")
    return " ".join(f"-X {place}.{name}={value}" for place in places for name, value in said.items())


def _started(place: Path, program: Path, stack: ExitStack) -> Kubernetes:
    port, etcd, peer = own_port(), own_port(), own_port()
    _certificates(place)
    (place / "tokens.csv").write_text("admin-token,admin,1,system:masters\n")
    config = place / "admin.conf"
    config.write_text(yaml.safe_dump(_config(f"https://127.0.0.1:{port}")))
    data = f"--data-dir={place}/etcd"
    urls = [f"--client-url=http://127.0.0.1:{etcd}", f"--peer-url=http://127.0.0.1:{peer}"]
    stack.enter_context(_running(place, "etcd", [program, "etcd", data, *urls]))
    server = [program, "kube-apiserver", f"--etcd-servers=http://127.0.0.1:{etcd}", f"--secure-port={port}"]
    server += [*_server(place)]
    process = stack.enter_context(_running(place, "kube-apiserver", server))
    found = Kubernetes(api({"KUBECONFIG": str(config)}), config, process)
    eventually(lambda: _ready(found))
    common = [f"--kubeconfig={config}", "--leader-elect=false", "--secure-port=0"]
    keys = [f"--service-account-private-key-file={place}/sa.key", f"--root-ca-file={place}/ca.crt"]
    # Nodes that nobody runs say nothing: whoever looks after them would take them for dead.
    keys.append("--controllers=*,-node-lifecycle-controller,-pod-garbage-collector-controller")
    for name, more in (("kube-controller-manager", keys), ("kube-scheduler", [])):
        stack.enter_context(_running(place, name, [program, name, *common, *more]))
    return found


def _server(place: Path) -> list[str]:
    return [
        "--bind-address=127.0.0.1",
        "--advertise-address=127.0.0.1",
        "--endpoint-reconciler-type=none",
        "--service-cluster-ip-range=10.96.0.0/16",
        f"--tls-cert-file={place}/api.crt",
        f"--tls-private-key-file={place}/api.key",
        f"--client-ca-file={place}/ca.crt",
        f"--token-auth-file={place}/tokens.csv",
        "--authorization-mode=RBAC",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-account-key-file={place}/sa.pub",
        f"--service-account-signing-key-file={place}/sa.key",
    ]


def _config(server: str) -> dict[str, Any]:
    return {
        "current-context": "test",
        "contexts": [{"name": "test", "context": {"cluster": "test", "user": "admin"}}],
        "clusters": [{"name": "test", "cluster": {"server": server, "certificate-authority": "ca.crt"}}],
        "users": [{"name": "admin", "user": {"token": "admin-token"}}],
    }


def _certificates(place: Path) -> None:
    curve = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
    (place / "names").write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
    for command in (
        f"req -x509 {curve} -keyout ca.key -out ca.crt -days 30 -subj /CN=test",
        f"req {curve} -keyout api.key -out api.csr -subj /CN=kube-apiserver",
        "x509 -req -in api.csr -CA ca.crt -CAkey ca.key -CAcreateserial -out api.crt -days 30 -extfile names",
        "genrsa -out sa.key 2048",
        "rsa -in sa.key -pubout -out sa.pub",
    ):
        subprocess.run(["openssl", *command.split()], cwd=place, check=True, capture_output=True)


def _ready(found: Kubernetes) -> bool:
    try:
        asked = urllib.request.Request(f"{found.admin.server}/readyz")
        with urllib.request.urlopen(asked, context=found.admin.tls, timeout=5.0) as response:
            return bool(response.status == 200)
    except OSError:
        time.sleep(0.1)
        return False


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
