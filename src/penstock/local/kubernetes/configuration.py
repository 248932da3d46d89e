"""What the parts of a Kubernetes on one machine are told; all of it is in one folder that its owner alone may read."""

import base64
import os
import secrets
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

from penstock.errors import EngineError

NAMESPACE = "default"
_HOST = "127.0.0.1"
_DAYS = 365
_CURVE = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"


@dataclass(frozen=True, slots=True)
class KubernetesShape:
    """What is to be started; nodes are of one size."""

    nodes: int
    cores: int
    memory_mib: int
    port: int  # of the API server
    peer_port: int  # which etcd insists on, though it has no peers

    @property
    def server(self) -> str:
        """Where the API server is."""
        return f"https://{_HOST}:{self.port}"


def kubeconfig(place: Path) -> Path:
    """By which its administrator finds it."""
    return place / "admin.conf"


def write(place: Path, shape: KubernetesShape) -> None:
    """Certificates, the administrator's token and kubeconfig, and Spark's settings in `spark`."""
    place.mkdir(parents=True, exist_ok=True)
    place.chmod(0o700)  # whoever reads the token, or reaches etcd's socket, may start anything as this user
    _certificates(place)
    token = secrets.token_urlsafe(32)
    _private(place / "tokens.csv", f"{token},admin,1,system:masters\n")
    _private(kubeconfig(place), yaml.safe_dump(_config(place, shape, token)))
    (place / "spark").mkdir(exist_ok=True)
    lines = (f"{name} {value}\n" for name, value in _SPARK.items())
    (place / "spark" / "spark-defaults.conf").write_text("".join(lines), encoding="utf-8")


def commands(program: Path, place: Path, shape: KubernetesShape) -> Mapping[str, list[str]]:
    """The command line of each part of the control plane, in the order in which they begin."""
    socket = f"unix://{place}/etcd.sock"
    data = [f"--data-dir={place}/etcd", f"--client-url={socket}", f"--peer-url=http://{_HOST}:{shape.peer_port}"]
    common = [f"--kubeconfig={kubeconfig(place)}", "--leader-elect=false", "--secure-port=0"]
    keys = [f"--service-account-private-key-file={place}/sa.key", f"--root-ca-file={place}/ca.crt"]
    # Nodes here have no heartbeat: who waits for that would take them for dead.
    keys.append("--controllers=*,-node-lifecycle-controller")
    words = {
        "etcd": data,
        "kube-apiserver": [f"--etcd-servers={socket}", f"--secure-port={shape.port}", *_server(place)],
        "kube-controller-manager": [*common, *keys],
        "kube-scheduler": common,
    }
    return {role: [str(program), role, *more] for role, more in words.items()}


def _server(place: Path) -> list[str]:
    return [
        f"--bind-address={_HOST}",
        f"--advertise-address={_HOST}",
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


def _config(place: Path, shape: KubernetesShape, token: str) -> dict[str, object]:
    authority = base64.b64encode((place / "ca.crt").read_bytes()).decode()
    cluster = {"server": shape.server, "certificate-authority-data": authority}
    context = {"cluster": "here", "user": "admin", "namespace": NAMESPACE}
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "here",
        "contexts": [{"name": "here", "context": context}],
        "clusters": [{"name": "here", "cluster": cluster}],
        "users": [{"name": "admin", "user": {"token": token}}],
    }


def _certificates(place: Path) -> None:
    openssl = shutil.which("openssl")
    if openssl is None:
        raise EngineError("no openssl was found, which makes certificates; install it: apt install openssl")
    (place / "names").write_text(f"subjectAltName=DNS:localhost,IP:{_HOST}\n", encoding="utf-8")
    for command in (
        f"req -x509 {_CURVE} -keyout ca.key -out ca.crt -days {_DAYS} -subj /CN=penstock",
        f"req {_CURVE} -keyout api.key -out api.csr -subj /CN=kube-apiserver",
        f"x509 -req -in api.csr -CA ca.crt -CAkey ca.key -CAcreateserial -out api.crt -days {_DAYS} -extfile names",
        "genrsa -out sa.key 2048",
        "rsa -in sa.key -pubout -out sa.pub",
    ):
        done = subprocess.run([openssl, *command.split()], cwd=place, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise EngineError(f"openssl {command.split()[0]} failed: {done.stderr.strip().splitlines()[-1:]}")


def _private(file: Path, text: str) -> None:
    with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as kept:
        kept.write(text)


_SPARK: Mapping[str, object] = {
    "spark.kubernetes.namespace": NAMESPACE,
    "spark.kubernetes.container.image": "none",  # nodes here run executors as processes, whatever their image
    "spark.driver.host": _HOST,
    "spark.driver.bindAddress": _HOST,
    "spark.scheduler.minRegisteredResourcesRatio": 0,
}
