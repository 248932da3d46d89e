"""Hosts of their own: real network namespaces; where the system permits none, the tests say why they were skipped.

A driver with workers on such hosts is in test_cluster.
"""

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest

from penstock.errors import ConfigError, EngineError
from penstock.local.spark import hosts, standalone
from penstock.local.spark.hosts import Host, Net
from tests.engines.spark.namespaces import REFUSAL, left_of
from tests.harness.ports import own_port
from tests.patience import eventually

ECHO = "import socket, sys; s = socket.create_server((sys.argv[1], 7000)); c, _ = s.accept(); c.sendall(c.recv(9))"
ASK = "import socket, sys; s = socket.create_connection((sys.argv[1], 7000)); s.sendall(b'hello'); print(s.recv(9))"


Test = TypeVar("Test", bound=Callable[..., None])


def on_hosts(test: Test) -> Test:
    """It makes such hosts."""
    made: Test = pytest.mark.cluster(pytest.mark.skipif(REFUSAL is not None, reason=str(REFUSAL))(test))
    return made


@pytest.fixture
def net() -> Iterator[Net]:
    """Two hosts at 100 Mbit/s."""
    planned = hosts.planned(2, "100mbit")
    try:
        hosts.make(planned)
        yield planned
    finally:
        hosts.remove(planned)


def python_on(host: Host, code: str, *arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(host.inside([sys.executable, "-c", code, *arguments]), stdout=subprocess.PIPE, text=True)


@on_hosts
def test_one_host_reaches_another_and_nothing_is_left_afterwards(net: Net) -> None:
    first, second = net.hosts
    with python_on(first, ECHO, first.address):
        heard = eventually(lambda: asked(second, first.address))
    assert heard == "b'hello'\n"
    hosts.remove(net)
    assert left_of(net) == []


def asked(host: Host, address: str) -> str | None:
    done = subprocess.run(
        host.inside([sys.executable, "-c", ASK, address]), capture_output=True, text=True, check=False
    )
    return done.stdout or None


@on_hosts
def test_links_are_shaped_both_ways(net: Net) -> None:
    host = net.hosts[0]
    sends = subprocess.run(
        host.inside(["tc", "qdisc", "show", "dev", "eth0"]), capture_output=True, text=True, check=True
    )
    takes = subprocess.run(["tc", "qdisc", "show", "dev", host.link], capture_output=True, text=True, check=True)
    assert "tbf" in sends.stdout and "rate 100Mbit" in sends.stdout  # noqa: PT018
    assert "tbf" in takes.stdout and "rate 100Mbit" in takes.stdout  # noqa: PT018


@on_hosts
def test_removing_ends_what_runs_on_the_hosts_and_again_is_as_once(net: Net) -> None:
    with python_on(net.hosts[1], "import time; print('up', flush=True); time.sleep(600)") as left_behind:
        assert left_behind.stdout is not None
        assert left_behind.stdout.readline() == "up\n"
        assert [process.pid for process in hosts.remove(net)] == [left_behind.pid]
    assert hosts.remove(net) == ()
    assert left_of(net) == []


@on_hosts
def test_down_removes_what_a_crash_left_half_made(tmp_path: Path) -> None:
    state = tmp_path / "cluster.json"
    planned = hosts.planned(3, "1gbit")
    standalone._file(state).write(standalone.StartedCluster(f"spark://{planned.gateway}:7077", 1, net=planned))
    hosts.make(Net(planned.bridge, planned.gateway, "1gbit", planned.hosts[:2]))  # and here it died
    standalone.down(state)
    assert left_of(planned) == []
    assert not state.exists()
    assert standalone.down(state) == ()


@pytest.mark.parametrize("bandwidth", ["fast", "0mbit", "1gbps", "10"])
def test_a_bandwidth_that_is_none_is_refused(bandwidth: str) -> None:
    with pytest.raises(ConfigError, match="write a rate such as 100mbit or 1gbit"):
        hosts.bits_per_s(bandwidth)


def test_without_root_it_is_said_and_what_to_do_instead() -> None:
    nobody = "import os\nif os.geteuid() == 0: os.setuid(65534)"
    code = f"from penstock.local.spark import hosts\n{nobody}\nhosts.planned(2, '1gbit')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert re.search("need root; workers on loopback addresses need none|install iproute2", done.stderr)


@pytest.mark.skipif(REFUSAL is None, reason="the system permits hosts of their own")
def test_a_cluster_on_hosts_that_the_system_permits_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match=r"hosts of their own|network namespaces"):
        standalone.up(tmp_path / "cluster.json", 2, 1, port=own_port(), bandwidth="1gbit")


def test_the_command_says_what_is_wrong_with_its_bandwidth(tmp_path: Path) -> None:
    state = tmp_path / "cluster.json"
    up = ["cluster", "up", "--hosts", "2", "--bandwidth", "fast", "--state", str(state)]
    command = [sys.executable, "-m", "penstock.cli.main", *up]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "penstock: --bandwidth: 'fast' cannot be used; write a rate such as 100mbit or 1gbit\n"
    assert not state.exists()
