"""A disk and a network of the nemesis's own: what it fills and cuts there is nobody else's.

Both are this process's and its children's alone (Linux namespaces), and are gone when the last of them has ended,
however it ends. It takes root, and iproute2.
"""

import ctypes
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_MOUNTS, _NETWORK = 0x00020000, 0x40000000  # CLONE_NEWNS, CLONE_NEWNET
_DISK_MIB = 128  # checkpoints of eight tenants that count 50 keys take a fifth of that
_ENVIRONMENT = {**os.environ, "PATH": f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"}


def live_apart(disk: Path) -> bool:
    """From now on, with a small disk in that place; False where it cannot be had, and then all is as it was."""
    try:
        _ran("ip", "-V")
    except (OSError, subprocess.CalledProcessError):
        return False
    if os.geteuid() != 0 or ctypes.CDLL(None).unshare(_MOUNTS | _NETWORK) != 0:
        return False
    _ran("mount", "--make-rprivate", "/")
    _ran("ip", "link", "set", "lo", "up")
    disk.mkdir(parents=True, exist_ok=True)
    _ran("mount", "-t", "tmpfs", "-o", f"size={_DISK_MIB}m,mode=0755", "chaos", str(disk))
    return True


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


def _ran(*command: str) -> None:
    subprocess.run(command, env=_ENVIRONMENT, capture_output=True, check=True)
