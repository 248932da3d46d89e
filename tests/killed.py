"""A program that a test kills and starts again, as whoever looks after it would: with its command line."""

import os
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from penstock.local import processes
from penstock.local.processes import Process
from tests.patience import eventually


@dataclass(frozen=True, slots=True)
class Killed:
    """What it was."""

    role: str
    command: Sequence[str]
    environment: Mapping[str, str]

    def again(self, log: Path) -> Process:
        """Start it; what it prints goes to the log."""
        return processes.start(self.role, self.command, log, self.environment)


def killed(process: Process) -> Killed:
    """Kill it, and wait until it is gone."""
    told = Path(f"/proc/{process.pid}/environ").read_bytes().rstrip(b"\0").split(b"\0")
    environment = dict(part.decode().split("=", 1) for part in told if b"=" in part)
    found = Killed(process.role, processes.command_of(process.pid), environment)
    os.kill(process.pid, signal.SIGKILL)
    eventually(lambda: not process.alive)
    processes.reap(process)
    return found
