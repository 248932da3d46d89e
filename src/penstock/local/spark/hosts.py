"""Hosts of their own on one machine: network namespaces on a bridge, each with an address and a shaped link.

    this machine  198.18.n.1  ---- bridge ----+---- 198.18.n.11  host 0
                                              +---- 198.18.n.12  host 1 ...

What crosses from one to another crosses a link of the given bandwidth, both ways. All names are known before the
first thing is made, so that whoever noted them can take everything down, whatever happened in between.
"""

import contextlib
import os
import re
import secrets
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from penstock.errors import ConfigError, EngineError
from penstock.local import processes
from penstock.local.processes import Process

_FIRST_ADDRESS = 11
_SUBNETS = 254  # 198.18.1 to .254: the addresses set aside for benchmarks (RFC 2544), which no network uses
_QUEUED = "50ms"  # what waits at a link longer than this is dropped
_BITS = {"kbit": 1e3, "mbit": 1e6, "gbit": 1e9}
_BURST_S = 0.002  # of the link's rate may pass at once; much less, and the shaper falls short of 1 gbit
_LEAST_BURST_BYTES = 65_536  # one segment as the kernel hands it down


@dataclass(frozen=True, slots=True)
class Host:
    """One host: its network namespace, the end of its link on this machine, and its address."""

    namespace: str
    link: str
    address: str

    def inside(self, command: Sequence[str]) -> list[str]:
        """The command as it runs on this host."""
        return [_tool("ip"), "netns", "exec", self.namespace, *command]


@dataclass(frozen=True, slots=True)
class Net:
    """Hosts around a bridge; this machine has the address `gateway` there."""

    bridge: str
    gateway: str
    bandwidth: str
    hosts: tuple[Host, ...]


def bits_per_s(bandwidth: str) -> float:
    """The bandwidth in bits a second.

    >>> bits_per_s("1gbit"), bits_per_s("2.5mbit")
    (1000000000.0, 2500000.0)
    """
    found = re.fullmatch(r"(\d+(?:\.\d+)?)(kbit|mbit|gbit)", str(bandwidth))
    if found is None or float(found[1]) <= 0:
        raise ConfigError("--bandwidth", bandwidth, "write a rate such as 100mbit or 1gbit")
    return float(found[1]) * _BITS[found[2]]


def planned(hosts: int, bandwidth: str) -> Net:
    """The names and addresses of so many hosts; nothing is made yet."""
    bits_per_s(bandwidth)
    _check_permitted()
    token, subnet = secrets.token_hex(3), _free_subnet()
    made = (
        Host(f"penstock-{token}-{number}", f"pk{token}h{number}", f"{subnet}.{_FIRST_ADDRESS + number}")
        for number in range(hosts)
    )
    return Net(f"pk{token}br", f"{subnet}.1", bandwidth, tuple(made))


def make(net: Net) -> None:
    """Make what was planned; an EngineError says what the system refused."""
    _ip("link", "add", net.bridge, "type", "bridge")
    _ip("addr", "add", f"{net.gateway}/24", "dev", net.bridge)
    _ip("link", "set", net.bridge, "up")
    for host in net.hosts:
        _make_host(net, host)


def remove(net: Net) -> tuple[Process, ...]:
    """Remove whatever there is of it, with all processes on its hosts; they are returned. Again is as once."""
    ended = tuple(process for host in net.hosts for process in _processes_on(host))
    for process in ended:
        processes.end(process)
    for host in net.hosts:
        _remove_link(host.link)
        if Path("/run/netns", host.namespace).exists():
            _ip("netns", "delete", host.namespace)
    _remove_link(net.bridge)
    return ended


def _make_host(net: Net, host: Host) -> None:
    _ip("netns", "add", host.namespace)
    _ip("link", "add", host.link, "type", "veth", "peer", "name", "eth0", "netns", host.namespace)
    _ip("link", "set", host.link, "master", net.bridge, "up")
    within = ("-n", host.namespace)
    _ip(*within, "addr", "add", f"{host.address}/24", "dev", "eth0")
    _ip(*within, "link", "set", "lo", "up")
    _ip(*within, "link", "set", "eth0", "up")
    _shape(net.bandwidth, "-n", host.namespace, device="eth0")  # what the host sends
    _shape(net.bandwidth, device=host.link)  # what it receives


def _shape(bandwidth: str, *where: str, device: str) -> None:
    rate = bits_per_s(bandwidth)
    burst = max(_LEAST_BURST_BYTES, round(rate / 8 * _BURST_S))
    shaper = ("tbf", "rate", f"{rate:.0f}bit", "burst", str(burst), "latency", _QUEUED)
    _run([_tool("tc"), *where, "qdisc", "add", "dev", device, "root", *shaper])


def _processes_on(host: Host) -> tuple[Process, ...]:
    """All that run in the namespace. It is ours, and so are they: executors that a dead worker left behind too."""
    if not Path("/run/netns", host.namespace).exists():
        return ()
    pids = [int(pid) for pid in _ip("netns", "pids", host.namespace).split()]
    known = ((pid, processes.start_ticks(pid)) for pid in pids)
    return tuple(Process(f"process on {host.address}", pid, ticks) for pid, ticks in known if ticks is not None)


def _remove_link(name: str) -> None:
    if Path("/sys/class/net", name).exists():
        # With its namespace the other end of a link goes, and this one with it: maybe between the look and this.
        with contextlib.suppress(EngineError):
            _ip("link", "delete", name)


def _check_permitted() -> None:
    missing = [tool for tool in ("ip", "tc") if shutil.which(tool, path=_PATH) is None]
    if missing:
        raise EngineError(
            f"hosts of their own need {' and '.join(missing)}, which is not installed; "
            "install iproute2, for example: apt-get install iproute2"
        )
    if os.geteuid() != 0:
        raise EngineError(f"hosts of their own need root; {_INSTEAD}")
    probe = f"penstock-{secrets.token_hex(3)}-probe"
    try:
        _ip("netns", "add", probe)
    except EngineError as error:
        raise EngineError(f"this system permits no network namespaces ({error}); {_INSTEAD}") from None
    _ip("netns", "delete", probe)


_INSTEAD = "workers on loopback addresses need none: penstock cluster up --workers 4"
_PATH = f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin"  # users' paths often lack the last two


def _free_subnet() -> str:
    taken = _ip("-o", "-4", "addr", "show")
    start = secrets.randbelow(_SUBNETS)
    for number in range(_SUBNETS):
        subnet = f"198.18.{1 + (start + number) % _SUBNETS}"
        if f" {subnet}." not in taken:
            return subnet
    raise EngineError("all of 198.18.1 to 198.18.254 are in use here; end other clusters first")


def _ip(*arguments: str) -> str:
    return _run([_tool("ip"), *arguments])


def _tool(name: str) -> str:
    return shutil.which(name, path=_PATH) or name


def _run(command: Sequence[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = " ".join((done.stderr or done.stdout).split())
        raise EngineError(f"`{' '.join([Path(command[0]).name, *command[1:]])}` failed: {said or 'it did not say why'}")
    return done.stdout
