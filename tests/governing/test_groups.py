"""Groups of processes: who of them is left, and who has only not been taken leave of."""

import platform
import subprocess
import sys

import pytest

from penstock.governing.groups import killed, lives_on
from penstock.local import processes
from tests.patience import eventually

_EXIT = {"x86_64": 60, "aarch64": 93}  # the system call that ends one thread


def a_group(code: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen([sys.executable, "-c", code], process_group=0)


def is_zombie(process: "subprocess.Popen[bytes]") -> bool:
    return (processes.stat_fields(process.pid) or [""])[0] == "Z"


def test_a_group_of_which_only_a_zombie_is_left_is_gone() -> None:
    process = a_group("pass")
    eventually(lambda: is_zombie(process))
    assert not lives_on(process.pid)
    process.wait()


@pytest.mark.skipif(platform.machine() not in _EXIT, reason="the number of a system call is needed")
def test_a_process_lives_whose_first_thread_has_ended_while_another_works() -> None:
    begins = "import ctypes, threading, time; threading.Thread(target=time.sleep, args=(600,)).start()"
    process = a_group(f"{begins}; ctypes.CDLL(None).syscall({_EXIT[platform.machine()]}, 0)")
    eventually(lambda: is_zombie(process))
    assert lives_on(process.pid)
    killed(process.pid)
    eventually(lambda: not lives_on(process.pid))
    process.wait()


def test_a_group_lives_until_it_is_killed() -> None:
    process = a_group("import signal; signal.pause()")
    assert lives_on(process.pid)
    killed(process.pid)
    eventually(lambda: not lives_on(process.pid))
    process.wait()
    assert not lives_on(process.pid)
