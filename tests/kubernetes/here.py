"""`penstock cluster up --kubernetes` as a program, up for as long as a test needs it."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from signal import SIGCONT, SIGSTOP
from typing import Any

import pytest

from penstock.kubernetes_api import api
from penstock.local import processes
from penstock.local.kubernetes import cluster, nodes
from penstock.local.kubernetes.cluster import StartedKubernetes
from tests.cli.calling import command, environment
from tests.harness.ports import own_port
from tests.kubernetes.real import Kubernetes, program
from tests.patience import eventually

PODS = "/api/v1/namespaces/default/pods"


@dataclass(frozen=True)
class Here:
    """One that is up."""

    kubernetes: Kubernetes
    process: "subprocess.Popen[bytes]"
    state: Path
    found: StartedKubernetes

    def pod(self, name: str) -> Any:
        return self.kubernetes.send("GET", f"{PODS}/{name}")

    def running(self) -> int:
        """Executors that run as processes."""
        return len(processes.found_by("executor", nodes.mark(Path(self.found.place))))

    @contextmanager
    def standing_still(self) -> Iterator[None]:
        """The API server does, until the block ends."""
        server = next(part for part in self.found.processes if part.role == "kube-apiserver")
        processes.send(server, SIGSTOP)
        try:
            yield
        finally:
            processes.send(server, SIGCONT)


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Here]:
    built()
    with up(tmp_path) as found:
        yield found


def built() -> None:
    """It is, or the test is skipped."""
    if os.environ.get("KUBECONFIG"):
        pytest.skip(
            "this test's executors are processes of this machine, on what `penstock cluster up --kubernetes` starts; "
            "KUBECONFIG names another cluster: unset it to run this one"
        )
    program()


@contextmanager
def up(place: Path, workers: int = 2, cores: int = 2) -> Iterator[Here]:
    state = place / "kubernetes.json"
    words = ["--workers", str(workers), "--cores", str(cores), "--port", str(own_port()), "--state", str(state)]
    with (place / "up.log").open("wb") as log:
        process = subprocess.Popen(
            command("cluster", "up", "--kubernetes", *words), env=environment(), stderr=log, start_new_session=True
        )
    try:
        eventually(lambda: "try, in another shell" in said(process, place))
        found = cluster.status(state)
        assert found is not None
        config = Path(found.environment["KUBECONFIG"])
        yield Here(Kubernetes(api({"KUBECONFIG": str(config)}), config), process, state, found)
    finally:
        process.terminate()
        process.wait()
        cluster.down(state)


def said(process: "subprocess.Popen[bytes]", place: Path) -> str:
    log = (place / "up.log").read_text()
    assert process.poll() is None, log
    return log
