"""The nemesis's database: killed and started again, and reached by the driver at an address of its own."""

import contextlib
import os
import signal
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

from penstock.local import processes
from penstock.local.postgres import postgres_files

DATABASE_ADDRESS = "127.0.0.21"  # as the driver has it, which can be cut off


@contextlib.contextmanager
def _scratch_in(disk: Path | None) -> Iterator[None]:
    """What makes a folder of its own makes it on that disk."""
    before, tempfile.tempdir = tempfile.tempdir, None if disk is None else str(disk)
    try:
        yield
    finally:
        tempfile.tempdir = before


class Postgres:
    """A server that can be killed and started again."""

    def __init__(self, stack: ExitStack, disk: Path | None = None) -> None:
        with _scratch_in(disk):
            self._files = stack.enter_context(postgres_files("chaos"))
        self._life = ExitStack()
        stack.callback(lambda: self._life.close())
        self._run()
        self.url = self._files.server.create("runs")
        self.drivers_url = self.url.replace("@127.0.0.1:", f"@{DATABASE_ADDRESS}:")

    @property
    def pids(self) -> list[int]:
        """The postmaster, and all it has started."""
        text = (self._files.home / "data" / "postmaster.pid").read_text(encoding="ascii")
        return processes.family(int(text.splitlines()[0]))

    @staticmethod
    def send(pids: Sequence[int], number: signal.Signals) -> None:
        """To each that is there."""
        send(pids, number)

    def revive_if_ended(self) -> None:
        """One that could not even recover on a full disk has ended, for good unless somebody starts it."""
        if not (self._files.home / "data" / "postmaster.pid").exists():
            self.revive()

    def revive(self) -> None:
        """As an init system would."""
        self._life.close()
        self._life = ExitStack()
        self._run()

    def _run(self) -> None:
        """At an address for the driver, and at one that is never cut off."""
        listens = {"listen_addresses": f"127.0.0.1,{DATABASE_ADDRESS}"}
        self._life.enter_context(self._files.running(listens))


def send(pids: Sequence[int], number: signal.Signals) -> None:
    """To each that is there."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)
