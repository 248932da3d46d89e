"""What the Python workers of executors on this machine used, as the kernel tells it of real processes."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from penstock.engines.spark.application.python_workers import PythonWorkers

pytestmark = pytest.mark.skipif(not Path(f"/proc/self/task/{os.getpid()}/children").exists(), reason="no such /proc")

# A daemon that works for 0.2 s and forks a worker, which works for 0.2 s; each line read ends one, worker first.
_DAEMON = """
import os, sys, time
def work():
    while time.process_time() < 0.2:
        pass
work()
pipe = os.pipe()
child = os.fork()
if child == 0:
    os.close(pipe[1])
    work()
    print("worked", flush=True)
    os.read(pipe[0], 1)
    os._exit(0)
for line in sys.stdin:
    os.close(pipe[1])
    os.waitpid(child, 0)
    print("gone", flush=True)
"""


class Clock:
    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def daemon() -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", _DAEMON, "-m", "pyspark.daemon", "pyspark.worker"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as started:
        assert said(started) == "worked\n"
        yield started
        assert started.stdin is not None
        started.stdin.close()


def said(started: subprocess.Popen[str]) -> str:
    assert started.stdout is not None
    return started.stdout.readline()


def test_what_a_daemon_and_its_workers_used_is_added_up_and_stays_when_they_are_gone(
    daemon: subprocess.Popen[str],
) -> None:
    workers = PythonWorkers(os.getpid(), "app-1", local=True, even=Clock())
    before_s = workers.cpu_s(executors=1)
    assert before_s is not None
    assert before_s >= 0.36  # two that worked for 0.2 s, in whole ticks of 0.01 s each of two kinds
    assert daemon.stdin is not None
    daemon.stdin.write("\n")
    daemon.stdin.flush()
    assert said(daemon) == "gone\n"
    after_s = workers.cpu_s(executors=1)
    assert after_s is not None
    assert after_s >= before_s


def test_where_not_all_executors_are_on_this_machine_nobody_can_tell(daemon: subprocess.Popen[str]) -> None:
    assert PythonWorkers(os.getpid(), "app-1", local=True).cpu_s(executors=2) is None
    assert PythonWorkers(os.getpid(), "app-1", local=False).cpu_s(executors=1) is None  # nor is there one of app-1


def test_an_executor_is_known_by_the_application_on_its_command_line(daemon: subprocess.Popen[str]) -> None:
    """Here it is this machine's shell that started nothing: its workers, of which there are none, used nothing."""
    command = ["sh", "-c", "read line", "--app-id", "app-26"]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as executor:
        clock = Clock()
        workers = PythonWorkers(os.getpid(), "app-26", local=False, even=clock)
        assert workers.cpu_s(executors=1) == 0.0
        executor.communicate(b"\n")
        clock.now_s = 60.0
        assert workers.cpu_s(executors=1) is None
