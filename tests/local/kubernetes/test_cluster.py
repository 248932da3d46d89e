"""A Kubernetes on this machine before anything of it is started: what is refused, what is written, who is told what."""

import os
import signal
import stat
import subprocess
from pathlib import Path

import pytest

from penstock.errors import ConfigError, EngineError
from penstock.local import processes
from penstock.local.kubernetes import building, cluster, configuration, nodes
from penstock.local.kubernetes.cluster import StartedKubernetes
from penstock.local.kubernetes.configuration import KubernetesShape
from penstock.local.processes import Process
from penstock.local.state_file import StateFile
from tests.cli.calling import command, environment, penstock
from tests.harness.ports import own_port
from tests.patience import eventually

SHAPE = KubernetesShape(nodes=2, cores=4, memory_mib=2048, port=16_443, peer_port=16_444)


def nobody(text: str) -> None:
    raise AssertionError(text)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"nodes": 0}, "--workers: 0 cannot be used"),
        ({"cores": 0}, "--cores: 0 cannot be used"),
        ({"port": 80}, "--port: 80 cannot be used"),
    ],
)
def test_what_cannot_be_started_is_refused_before_anything_is(
    tmp_path: Path, change: dict[str, int], message: str
) -> None:
    plain = {"nodes": 1, "cores": 1, "memory_mib": 1024, "port": 16_443, "peer_port": 16_444}
    with pytest.raises(ConfigError, match=message):
        cluster.up(tmp_path / "kubernetes.json", KubernetesShape(**{**plain, **change}), nobody)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_whose_sockets_would_have_too_long_a_path_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="a path of more than 90 bytes; name a file elsewhere"):
        cluster.up(tmp_path / ("a" * 100) / "kubernetes.json", SHAPE, nobody)


def test_without_go_it_is_said_in_one_line_what_is_missing_and_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EngineError, match=r"no Go was found, .*; install Go 1\.25 or later, from https://go\.dev/dl"):
        building.program(nobody)
    assert list(tmp_path.iterdir()) == []


def test_what_go_says_is_told_where_it_cannot_build_and_nothing_half_built_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go = tmp_path / "go"
    go.write_text("#!/bin/sh\necho 'go: downloading all of it' >&2; echo 'no route to the proxy' >&2; exit 1\n")
    go.chmod(0o755)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    said: list[str] = []
    with pytest.raises(EngineError, match=r"could not be built with .*/go: no route to the proxy"):
        building.program(said.append)
    assert said == ["building the control plane of Kubernetes 1.35.4: once, some fifteen minutes of a core"]
    assert list((tmp_path / "cache").rglob("control-plane-*")) == []


def test_a_second_one_is_refused_in_one_line_with_a_remedy_and_the_first_goes_on(tmp_path: Path) -> None:
    state, server = tmp_path / "kubernetes.json", "https://127.0.0.1:16443"
    with subprocess.Popen(["sleep", "600"]) as first:
        etcd = Process("etcd", first.pid, processes.start_ticks(first.pid) or 0)
        StateFile(state, StartedKubernetes, "Kubernetes").write(StartedKubernetes(server, str(tmp_path), (etcd,)))
        second = penstock("cluster", "up", "--kubernetes", "--state", str(state))
        assert first.poll() is None
        first.kill()
    (line,) = second.stderr.splitlines()
    remedy = "end it with Ctrl-C where it was started, or with `penstock cluster down --kubernetes`"
    assert (second.returncode, line) == (2, f"penstock: a Kubernetes runs already at {server}; {remedy}")


@pytest.mark.sockets
def test_ctrl_c_while_it_is_built_ends_the_building_and_leaves_nothing_half_built(tmp_path: Path) -> None:
    for name, says in (("java", ""), ("go", f"touch {tmp_path}/begun; exec sleep 600")):
        (tmp_path / name).write_text(f"#!/bin/sh\n{says}\n")
        (tmp_path / name).chmod(0o755)
    own = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "XDG_CACHE_HOME": str(tmp_path / "cache"), "JAVA_HOME": ""}
    words = ["--port", str(own_port()), "--state", str(tmp_path / "kubernetes.json")]
    up = subprocess.Popen(
        command("cluster", "up", "--kubernetes", *words),
        env={**environment(), **own},
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        eventually(lambda: (tmp_path / "begun").exists() or up.poll() is not None)
        os.killpg(up.pid, signal.SIGINT)  # as a terminal does it: to all that runs in it
        assert up.wait() == 130
    finally:
        up.kill()
    assert list((tmp_path / "cache" / "penstock" / "kubernetes").iterdir()) == []


def test_nobody_else_may_read_its_token_or_reach_its_etcd(tmp_path: Path) -> None:
    place = tmp_path / "files"
    configuration.write(place, SHAPE)
    assert stat.S_IMODE(place.stat().st_mode) == 0o700
    token = (place / "tokens.csv").read_text().partition(",")[0]
    words = [word for command in configuration.commands(Path("program"), place, SHAPE).values() for word in command]
    assert [word for word in words if token in word] == []  # command lines are everybody's to read
    assert f"--client-url=unix://{place}/etcd.sock" in words
    assert "--bind-address=127.0.0.1" in words


def test_an_executor_is_told_its_pods_name_and_address_and_gets_its_options_in_their_order() -> None:
    env = [
        {"name": "SPARK_EXECUTOR_MEMORY", "value": "512m"},
        {"name": "SPARK_EXECUTOR_ID", "value": "7"},
        *({"name": f"SPARK_JAVA_OPT_{number}", "value": f"-Dn={number}"} for number in (10, 2)),
        {"name": "SPARK_EXECUTOR_POD_IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}},
        {"name": "SPARK_EXECUTOR_POD_NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
    ]
    told = nodes.environment({"env": env}, "fraud-exec-7", "127.1.0.1")
    words = nodes.executor(told)
    assert words[2:6] == ["-Dn=2", "-Dn=10", "-Xms512m", "-Xmx512m"]
    given = dict(zip(words[-6::2], words[-5::2], strict=True))
    assert given == {"--executor-id": "7", "--hostname": "127.1.0.1", "--podName": "fraud-exec-7"}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--kubernetes", "--yarn"), "--kubernetes: True cannot be used; leave out --kubernetes or --yarn"),
        (("--kubernetes", "--hosts", "2"), "--hosts: 2 cannot be used; leave it out"),
        (("--kubernetes", "--open"), "--open: True cannot be used; leave it out"),
        (("--kubernetes", "--queues", "a"), "--queues: 'a' cannot be used; write --yarn too"),
    ],
)
def test_options_of_other_clusters_are_refused(words: tuple[str, ...], told: str) -> None:
    done = penstock("cluster", "up", *words)
    assert (done.returncode, told in done.stderr) == (2, True)
