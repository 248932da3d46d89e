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
if not chaos_apart.live_apart(disk):
    sys.exit("it cannot be had here")
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


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a disk and a network of its own")
def test_a_link_is_cut_and_a_disk_is_full_for_a_while_and_for_nobody_else(tmp_path: Path) -> None:
    paths = os.pathsep.join([str(ROOT / "benchmarks"), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-c", TOLD, str(tmp_path / "disk")]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True, check=False)
    if "it cannot be had here" in done.stderr:
        pytest.skip("no namespaces here")
    assert done.stdout.splitlines() == ["(True, False, True)", "(True, 'ENOSPC', True)"], done.stderr
    assert str(tmp_path / "disk") not in Path("/proc/mounts").read_text()
    assert list((tmp_path / "disk").iterdir()) == []
