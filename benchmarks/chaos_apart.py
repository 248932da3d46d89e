"""A disk and a network of the nemesis's own: what it fills and cuts there is nobody else's.

Both are this process's and its children's alone (Linux namespaces), and are gone when the last of them has ended,
however it ends. So are hosts that are made in that network (`penstock.local.spark.hosts`). It takes root, and
iproute2.
"""

import ctypes
import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from penstock.local.spark.hosts import Host, Net

_MOUNTS, _NETWORK = 0x00020000, 0x40000000  # CLONE_NEWNS, CLONE_NEWNET
_ENVIRONMENT = {**os.environ, "PATH": f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"}


_NAMES = Path("/run/netns")  # where iproute2 keeps the names of networks


def live_apart(disks: Mapping[Path, int]) -> str | None:
    """From now on, with a disk of so many MiB in each of those places.

    What stands against it, and then all is as it was; else None.
    """
    try:
        _ran("ip", "-V")
    except (OSError, subprocess.CalledProcessError):
        return "iproute2 is not installed"
    if os.geteuid() != 0:
        return "it takes root"
    if ctypes.CDLL(None, use_errno=True).unshare(_MOUNTS | _NETWORK) != 0:
        return f"this system permits no namespaces ({os.strerror(ctypes.get_errno())})"
    _ran("mount", "--make-rprivate", "/")
    _ran("ip", "link", "set", "lo", "up")
    for place, mib in {**disks, _NAMES: 1}.items():
        place.mkdir(parents=True, exist_ok=True)
        _ran("mount", "-t", "tmpfs", "-o", f"size={mib}m,mode=0755", "chaos", str(place))
    return None


def removed(place: Path, disks: Iterable[Path]) -> None:
    """The folder, with the disks in it: a place that a disk is mounted on cannot be removed."""
    for disk in disks:
        with suppress(subprocess.CalledProcessError):  # it was never mounted
            _ran("umount", "--lazy", str(disk))
    shutil.rmtree(place, ignore_errors=True)


@contextmanager
def full(disk: Path) -> Iterator[None]:
    """No byte more goes onto it meanwhile."""
    file = disk / "full"
    try:
        with suppress(OSError), file.open("wb", buffering=0) as filled:
            while True:
                filled.write(bytes(65536))
        yield
    finally:
        file.unlink(missing_ok=True)


@contextmanager
def cut(address: str) -> Iterator[None]:
    """Nothing reaches that address meanwhile: no word, no refusal of one."""
    route = ("blackhole", f"{address}/32", "table", "local")
    _ran("ip", "route", "add", *route)
    try:
        yield
    finally:
        _ran("ip", "route", "del", *route)


def reached_at(net: Net) -> str:
    """One more address of this machine's in that network, which `cut` can cut off: the one of a range, as loopback's.

    Hosts have theirs from .11 on, this machine .1.
    """
    subnet = net.gateway.rpartition(".")[0]
    _ran("ip", "route", "add", "local", f"{subnet}.4/30", "dev", "lo")
    return f"{subnet}.5"


@contextmanager
def unplugged(host: Host) -> Iterator[None]:
    """The other end of that host's link is down meanwhile: nothing comes or goes, whoever sends it."""
    _ran("ip", "link", "set", host.link, "down")
    try:
        yield
    finally:
        _ran("ip", "link", "set", host.link, "up")


def _ran(*command: str) -> None:
    subprocess.run(command, env=_ENVIRONMENT, capture_output=True, check=True)
