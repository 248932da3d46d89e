"""Threads whose end is known for sure, also where Ctrl-C came in between."""

import subprocess
import sys
import threading
from threading import Event

import pytest

from penstock.threads import BesideThread
from tests.patience import patience_s

# In a process of its own: the signal goes to a main thread, and there may be none beside a test.
_INTERRUPTED = """
import os, signal
from threading import Event
from penstock.threads import BesideThread

waited_for, goes_on, done = Event(), Event(), []

def work():
    waited_for.wait()
    os.kill(os.getpid(), signal.SIGINT)
    goes_on.wait()
    done.append("all of it")

thread = BesideThread(work, "works")
thread.start()
try:
    waited_for.set()
    while True:
        thread.join(1.0)
except KeyboardInterrupt:
    print(thread.is_alive())
goes_on.set()
thread.join()
print(thread.is_alive(), *done)
"""


def test_one_that_works_is_alive_and_waited_for_after_ctrl_c_interrupted_a_wait_for_it() -> None:
    said = subprocess.run(
        [sys.executable, "-c", _INTERRUPTED], capture_output=True, text=True, timeout=patience_s(), check=False
    )
    assert said.stdout.split("\n")[:2] == ["True", "False all of it"], said.stderr


def test_one_is_alive_from_its_start_to_its_end_only_and_keeps_no_process() -> None:
    goes_on = Event()
    thread = BesideThread(goes_on.wait, "waits")
    thread.join()
    assert not thread.is_alive()
    thread.start()
    thread.join(0.0)
    assert (thread.is_alive(), thread.daemon) == (True, True)
    goes_on.set()
    thread.join()
    assert not thread.is_alive()


def test_work_that_fails_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[threading.ExceptHookArgs] = []
    monkeypatch.setattr(threading, "excepthook", told.append)
    thread = BesideThread(_fails, "fails")
    thread.start()
    thread.join()
    assert not thread.is_alive()


def _fails() -> None:
    raise ValueError("what the work came to")
