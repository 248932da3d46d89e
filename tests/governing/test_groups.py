"""Groups of processes: who of them is left, and who has only not been taken leave of."""

import subprocess
import sys

from penstock.engines import processes
from penstock.governing.groups import killed, lives_on
from tests.patience import eventually


def a_group(code: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen([sys.executable, "-c", code], process_group=0)


def test_a_group_of_which_only_a_zombie_is_left_is_gone() -> None:
    process = a_group("pass")
    eventually(lambda: (processes.stat_fields(process.pid) or [""])[0] == "Z")
    assert not lives_on(process.pid)
    process.wait()


def test_a_group_lives_until_it_is_killed() -> None:
    process = a_group("import signal; signal.pause()")
    assert lives_on(process.pid)
    killed(process.pid)
    eventually(lambda: not lives_on(process.pid))
    process.wait()
    assert not lives_on(process.pid)
