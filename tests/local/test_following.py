"""A process that ends with the one that started it, however that ended and whatever holds it up."""

import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from penstock.local.following import Follower
from penstock.local.processes import start_ticks
from tests.patience import eventually

LEADER = 7


@dataclass(slots=True)
class Started:
    """A process that follows: its clock, its parent's number, and the signals that it gives itself."""

    now_s: float = 0.0
    parent: int = LEADER
    signals: list[int] = field(default_factory=list)

    def follower(self) -> Follower:
        return Follower(LEADER, 90.0, lambda: self.now_s, lambda: self.parent, self.signals.append)


def test_one_whose_leader_is_gone_ends_as_by_ctrl_c_and_by_force_if_it_does_not() -> None:
    started = Started()
    follower = started.follower()
    follower.look()
    assert started.signals == []
    started.parent = 1  # the leader was killed: somebody else is the parent of its children
    for now_s in (10.0, 11.0, 99.0):
        started.now_s = now_s
        follower.look()
    assert started.signals == [signal.SIGINT]
    started.now_s = 101.0
    follower.look()
    assert started.signals == [signal.SIGINT, signal.SIGKILL]


# A driver whose end never comes, with a JVM that does not notice its death.
FOLLOWS = """
import os, pathlib, signal, subprocess, sys, threading
from penstock.local.following import Follower
signal.signal(signal.SIGINT, lambda *_: None)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"])
Follower(os.getppid(), ends_within_s=0.1).start()
note = pathlib.Path(sys.argv[1])
note.with_suffix(".new").write_text(f"{os.getpid()} {child.pid}")
note.with_suffix(".new").rename(note)
while True:
    threading.Event().wait()
"""
LEADS = "import subprocess, sys; subprocess.Popen(sys.argv[1:], process_group=0).wait()"


def test_one_that_does_not_end_goes_with_all_that_it_started(tmp_path: Path) -> None:
    note = tmp_path / "note"
    leader = subprocess.Popen([sys.executable, "-c", LEADS, sys.executable, "-c", FOLLOWS, str(note)])
    eventually(note.exists)
    started = [int(pid) for pid in note.read_text().split()]
    leader.kill()
    leader.wait()
    eventually(lambda: all(start_ticks(pid) is None for pid in started))
