"""What cluster managers and agents say, changed by chance: it is understood, or refused in words, and others go on."""

import json
import random
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingTCPServer
from threading import Thread
from typing import Any

import pytest
from fleet_world import held

from penstock.engines.applications import kubernetes, standalone, yarn
from penstock.engines.applications.cluster import Cluster, Room, understood
from penstock.engines.applications.cluster_watch import cores_for, machines_of
from penstock.engines.applications.wire import read_report
from penstock.errors import OutageError, PenstockError
from penstock.kubernetes_api import KubernetesApi
from tests.engines.applications.garbling import garbled, garbled_bytes
from tests.engines.applications.lying import Deceived, a_lie

RECORDED = Path(__file__).parent / "recorded"
CASES = 300
PAGE: dict[str, Any] = {
    "workers": [
        {"host": "a", "port": 1, "cores": 4, "coresfree": 1, "memory": 2048, "memoryfree": 512, "state": "ALIVE"}
    ],
    "activeapps": [{"id": "app-1", "name": "fraud", "cores": 3, "memoryperexecutor": 512}],
}


def of_yarn() -> dict[str, Any]:
    return dict(json.loads((RECORDED / "yarn.json").read_text())["grown"])


def of_kubernetes() -> dict[str, Any]:
    kinds = {"pods": "pods", "quotas": "resourcequotas", "nodes": "nodes"}
    said = {name: json.loads((RECORDED / f"kubernetes-{kind}.json").read_text()) for name, kind in kinds.items()}
    return {name: found["items"] for name, found in said.items()}


MANAGERS: dict[str, tuple[dict[str, Any], Callable[[Any], Room]]] = {
    "standalone": (PAGE, standalone.room_of),
    "yarn": (of_yarn(), lambda said: yarn.room_of(said["nodes"], said["apps"], said["scheduler"])),
    "kubernetes": (
        of_kubernetes(),
        lambda said: kubernetes.room_of(said["pods"], said["quotas"], said["nodes"]),
    ),
}


@pytest.mark.parametrize("manager", MANAGERS)
def test_whatever_stands_in_a_field_there_is_a_number_of_cores_or_an_outage(manager: str) -> None:
    said, room_of = MANAGERS[manager]
    chance, taken = random.Random(7), 0
    for _ in range(CASES):
        try:
            with understood(manager):
                room = room_of(garbled(said, chance))
        except OutageError:
            continue
        taken += 1
        found = cores_for(room, ())
        assert isinstance(found, int)
        assert 0 <= found <= 10_000_000
        assert all(one.memory_share is None or one.memory_share == one.memory_share for one in machines_of(room))
    assert CASES > taken > CASES / 20


def test_what_a_tenant_writes_into_its_pods_keeps_nobody_from_the_cluster() -> None:
    for cores in ("0", "-2", "lots", "", "1e3", "9" * 5000, None):
        said = of_kubernetes()
        (entry,) = (
            entry
            for entry in said["pods"][-1]["spec"]["containers"][0]["env"]
            if entry["name"] == "SPARK_EXECUTOR_CORES"
        )
        entry["value"] = cores
        room = MANAGERS["kubernetes"][1](said)
        assert room.held.keys() == {"spark-11", "spark-22", "spark-33"}


ANSWERS = {
    "no HTTP": b"hello\r\n\r\n",
    "nothing": b"",
    "bytes": b"HTTP/1.1 200 OK\r\n\r\n\xff\xfe",
    "half of it": b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{",
    "no length": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    "without end": b"HTTP/1.1 200 OK\r\n\r\n" + b"[" * 100_000,
    "a list": b"HTTP/1.1 200 OK\r\n\r\n[]",
    "a number": b"HTTP/1.1 200 OK\r\n\r\n1",
    "an error in what is no JSON": b"HTTP/1.1 500 \x1b[2J\r\n\r\n" + b"[" * 60_000,
    "sent on to nowhere": b"HTTP/1.1 302 Found\r\nLocation: ftp://\r\n\r\n",
}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_what_is_no_answer_is_an_outage_of_every_manager(answer: bytes) -> None:
    with answering(answer) as url:
        clusters: tuple[Cluster, ...] = (
            standalone.StandaloneCluster(url),
            yarn.YarnCluster(url),
            kubernetes.KubernetesCluster(KubernetesApi(url, ssl.create_default_context()), "streams"),
        )
        for cluster in clusters:
            with pytest.raises(OutageError) as told:
                cluster.room()
            assert "\x1b" not in str(told.value)


def test_a_token_that_cannot_be_read_for_a_moment_is_an_outage(tmp_path: Path) -> None:
    api = KubernetesApi("http://127.0.0.1:1", ssl.create_default_context(), token_file=tmp_path / "renewed")
    with pytest.raises(OutageError, match="cannot be asked without a token: FileNotFoundError"):
        api.get("/api/v1/nodes")


@contextmanager
def answering(answer: bytes) -> Iterator[str]:
    """A server that says that to whatever it is asked."""

    class Handler(StreamRequestHandler):
        def handle(self) -> None:
            while self.rfile.readline().strip():
                pass
            self.wfile.write(answer)

    with ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.long), pytest.param(3, marks=pytest.mark.long)])
def test_whatever_an_agent_sends_is_heard_or_refused_in_words_and_the_others_are_governed_on(seed: int) -> None:
    fleet, chance, heard = Deceived(), random.Random(seed), 0
    fleet.round(*fleet.honest)
    for number in range(1, 1500):
        whole = number % 3 > 0
        said: dict[str, Any] = {"penstock": 1, "application": "liar", "instance": "liar-1", "number": number}
        said["state"] = a_lie() if whole else {"executors": {"now": 2}, "seen": number}
        said |= {} if whole else {"base": number - 1}
        raw = json.dumps(garbled(said, chance)).encode()
        with suppress(PenstockError):
            fleet.engine.hear(read_report(garbled_bytes(raw, chance) if number % 5 == 0 else raw))
            heard += 1
    assert heard > 20
    for _ in range(3):
        fleet.round(*fleet.honest)
        assert fleet.carried.error is None
    found = held(fleet.cluster)
    assert min(found["clicks"], found["fraud"]) >= 1
