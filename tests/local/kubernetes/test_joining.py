"""Nodes as they join and go, as the program that `cluster up` starts: over an API server that changes new nodes too."""

import json
import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

from penstock.local import processes
from penstock.local.kubernetes import configuration, nodes
from penstock.local.kubernetes.nodes import NodeSize
from tests.cli.calling import environment
from tests.kubernetes.pods import executor
from tests.patience import eventually

pytestmark = pytest.mark.sockets

NODES = "/api/v1/nodes"
Answer = tuple[int, Any]


@dataclass
class Changing:
    """Keeps nodes as an API server does: tainted when new, and in versions of which only the newest can be changed.

    Between the first reading of each and the next change somebody else is quicker, as controllers are now and then.
    `pods` are those of its only namespace, `looks` how often somebody has asked for them.
    """

    kept: dict[str, Any] = field(default_factory=dict)
    read: set[str] = field(default_factory=set)
    overtaken: list[str] = field(default_factory=list)
    pods: dict[str, Any] = field(default_factory=dict)
    looks: int = 0

    def answer(self, method: str, path: str, body: Any) -> Answer:
        if path == "/api/v1/pods":
            self.looks += 1
            return 200, {"items": list(self.pods.values())}
        if path.endswith("/status"):
            self.pods[body["metadata"]["name"]] = body
            return 200, body
        if (method, path) == ("GET", NODES):
            return 200, {"items": list(self.kept.values())}
        if method == "POST":
            return self._make(body)
        name = path.removeprefix(f"{NODES}/")
        return self._change(name, body) if method == "PUT" else self._tell(name)

    def _make(self, node: Any) -> Answer:
        name = node["metadata"]["name"]
        if name in self.kept:
            return 409, {"message": f'nodes "{name}" already exists'}
        taint = {"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}
        metadata = {"name": name, "resourceVersion": "1"}
        self.kept[name] = {**node, "metadata": metadata, "spec": {"taints": [taint]}}
        return 201, self.kept[name]

    def _tell(self, name: str) -> Answer:
        told = self.kept[name]
        if name not in self.read:
            self.read.add(name)
            self._put(name, told)
        return 200, told

    def _change(self, name: str, node: Any) -> Answer:
        if node["metadata"]["resourceVersion"] != self.kept[name]["metadata"]["resourceVersion"]:
            self.overtaken.append(name)
            return 409, {"message": f'nodes "{name}": the object has been modified'}
        self._put(name, node)
        return 200, self.kept[name]

    def _put(self, name: str, node: Any) -> None:
        version = str(int(self.kept[name]["metadata"]["resourceVersion"]) + 1)
        self.kept[name] = {**node, "metadata": {**node["metadata"], "resourceVersion": version}}


def test_nodes_that_are_overtaken_while_they_join_read_what_there_is_and_try_again(tmp_path: Path) -> None:
    changing = Changing()
    with served(changing) as url, joining(tmp_path, url) as program:
        eventually(lambda: ready(changing) == ["node-0", "node-1"] or ended(program, tmp_path))
    assert sorted(changing.overtaken) == ["node-0", "node-1"]


def test_what_ran_on_a_node_that_was_deleted_ends_and_nobody_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changing = Changing(pods={"spark-1-exec-1": bound("node-0", "spark-1-exec-1")})
    begun = waiting_java(tmp_path, monkeypatch)
    with served(changing) as url, joining(tmp_path, url) as program:
        eventually(lambda: (phase(changing) == "Running" and begun.exists()) or ended(program, tmp_path))
        pid = int(begun.read_text())
        try:
            del changing.kept["node-0"]
            eventually(lambda: processes.start_ticks(pid) is None or ended(program, tmp_path))
        finally:
            if processes.start_ticks(pid) is not None:
                os.kill(pid, signal.SIGKILL)
        looks = changing.looks
        eventually(lambda: changing.looks > looks + 1)
    assert phase(changing) == "Running"


def bound(node: str, name: str) -> dict[str, Any]:
    """An executor's pod that is to run there."""
    pod = executor("spark-1", 1)
    (container,) = pod["spec"]["containers"]
    container |= {"args": ["executor"], "env": [{"name": "SPARK_EXECUTOR_MEMORY", "value": "64m"}]}
    pod["metadata"] |= {"uid": f"uid-of-{name}", "namespace": "default"}
    pod["spec"]["nodeName"] = node
    return {**pod, "status": {"phase": "Pending"}}


def waiting_java(place: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Java that only waits; where it writes its process id."""
    java, told = place / "home" / "bin" / "java", place / "pid"
    java.parent.mkdir(parents=True)
    java.write_text(f"#!/bin/sh\necho $$ > {told}.new; mv {told}.new {told}; exec sleep 600\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(java.parents[1]))
    return told


def phase(changing: Changing) -> str:
    (pod,) = changing.pods.values()
    return str(pod["status"]["phase"])


def ready(changing: Changing) -> list[str]:
    return sorted(name for name, node in changing.kept.copy().items() if "taints" not in node["spec"])


def ended(program: "subprocess.Popen[bytes]", place: Path) -> bool:
    """Never; it fails where the program has."""
    assert program.poll() is None, (place / "nodes.log").read_text()
    return False


@contextmanager
def joining(place: Path, url: str) -> Iterator["subprocess.Popen[bytes]"]:
    """The program of two nodes."""
    config = {
        "current-context": "here",
        "contexts": [{"name": "here", "context": {"cluster": "here", "user": "admin"}}],
        "clusters": [{"name": "here", "cluster": {"server": url}}],
        "users": [{"name": "admin", "user": {"token": "secret"}}],
    }
    configuration.kubeconfig(place).write_text(yaml.safe_dump(config))
    with (place / "nodes.log").open("wb") as log:
        program = subprocess.Popen(nodes.command(place, 2, NodeSize(2, 1024)), env=environment(), stderr=log)
    try:
        yield program
    finally:
        program.kill()
        program.wait()


@contextmanager
def served(changing: Changing) -> Iterator[str]:
    """Over HTTP, one request after the other."""
    lock = threading.Lock()

    class Door(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length)) if length else None
            with lock:
                status, said = changing.answer(self.command, self.path, body)
            raw = json.dumps(said).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        do_GET = do_PUT = do_POST  # noqa: N815 - their names there

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its name there
            """Nobody reads it."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Door) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
