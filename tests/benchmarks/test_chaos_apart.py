"""What the nemesis fills and cuts is its own: a disk and a network that nobody else sees, and that end with it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.drivers import ROOT

TOLD = """
import errno, socket, sys
from pathlib import Path
import chaos_apart
disk = Path(sys.argv[1])
if refused := chaos_apart.live_apart({disk: 128}):
    sys.exit(f"it cannot be had here: {refused}")
listening = socket.create_server(("127.0.0.11", 0))

def reached():
    try:
        socket.create_connection(listening.getsockname(), timeout=0.2).close()
        listening.accept()[0].close()
        return True
    except OSError:
        return False

def written():
    try:
        (disk / "one").write_bytes(bytes(1 << 20))
        return True
    except OSError as error:
        return errno.errorcode[error.errno]
    finally:
        (disk / "one").unlink(missing_ok=True)

def during(fault, look):
    before = look()
    with fault:
        meanwhile = look()
    return before, meanwhile, look()

print(during(chaos_apart.cut("127.0.0.11"), reached))
print(during(chaos_apart.full(disk), written))
"""

ON_HOSTS = """
import subprocess, sys
from pathlib import Path
import chaos_apart
from penstock.local.spark import hosts
if refused := chaos_apart.live_apart({Path(sys.argv[1]): 128}):
    sys.exit(f"it cannot be had here: {refused}")
net = hosts.planned(2, "1gbit")
hosts.make(net)
there = "import socket; s = socket.create_server(('', 7000)); print(flush=True)\\nwhile True: s.accept()[0].close()"
asks = "import socket, sys; socket.create_connection((sys.argv[1], 7000), timeout=0.5)"

def reached(asking, host):
    command = [sys.executable, "-c", asks, host.address]
    inside = command if asking is None else asking.inside(command)
    return subprocess.run(inside, capture_output=True).returncode == 0

def look():
    first, second = net.hosts
    return [reached(None, first), reached(second, first), reached(first, second), reached(None, second)]

try:
    for host in net.hosts:
        command = host.inside([sys.executable, "-c", there])
        subprocess.Popen(command, stdout=subprocess.PIPE).stdout.readline()
    print(look())
    with chaos_apart.unplugged(net.hosts[0]):
        print(look())
    print(look())
    print(*(host.namespace for host in net.hosts))
finally:
    hosts.remove(net)
"""

ON_ITS_DISK = """
import sys
from pathlib import Path
import chaos_apart, chaos_world
disk = Path(sys.argv[1])
if refused := chaos_apart.live_apart({disk: 128}):
    sys.exit(f"it cannot be had here: {refused}")
book = disk / "routed" / "routing"
book.mkdir(parents=True)
(book / "1").write_text("a table")
kept = chaos_world.aside(book)
print(book.exists(), (kept / "1").read_text())
kept.rename(book)
print((book / "1").read_text())
"""


REMOVED = """
import sys
from pathlib import Path
import chaos_apart
disk = Path(sys.argv[1])
if refused := chaos_apart.live_apart({disk: 1}):
    sys.exit(f"it cannot be had here: {refused}")
(disk / "one").write_text("a file")
chaos_apart.removed(disk.parent, [disk])
"""


def told_by(program: str, disk: Path) -> list[str]:
    """What the program prints, with the benchmarks beside it; it is skipped where there are no namespaces."""
    paths = os.pathsep.join([str(ROOT / "benchmarks"), os.environ.get("PYTHONPATH", "")])
    command, environment = [sys.executable, "-c", program, str(disk)], {**os.environ, "PYTHONPATH": paths}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if "it cannot be had here" in done.stderr or "permits no network namespaces" in done.stderr:
        pytest.skip(done.stderr)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a disk and a network of its own")
def test_a_link_is_cut_and_a_disk_is_full_for_a_while_and_for_nobody_else(tmp_path: Path) -> None:
    told = told_by(TOLD, tmp_path / "disk")
    assert told == ["(True, False, True)", "(True, 'ENOSPC', True)"]
    assert str(tmp_path / "disk") not in Path("/proc/mounts").read_text()
    assert list((tmp_path / "disk").iterdir()) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a disk of its own")
def test_where_the_disk_was_nothing_is_left_of_its_folder(tmp_path: Path) -> None:
    told_by(REMOVED, tmp_path / "of a run" / "disk")
    assert not (tmp_path / "of a run").exists()


def test_a_book_that_is_lost_for_a_while_is_kept_on_the_disk_of_its_checkpoint(tmp_path: Path) -> None:
    assert told_by(ON_ITS_DISK, tmp_path / "disk") == ["False a table", "a table"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make hosts of their own")
def test_a_host_whose_link_is_cut_is_reached_by_nobody_and_reaches_nobody_while_the_others_are(tmp_path: Path) -> None:
    before, meanwhile, after, names = told_by(ON_HOSTS, tmp_path / "disk")
    assert (before, after) == ("[True, True, True, True]", "[True, True, True, True]")
    assert meanwhile == "[False, False, False, True]"
    assert [name for name in names.split() if Path("/run/netns", name).exists()] == []
