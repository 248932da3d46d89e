"""A task that waits for each row, as a call to another system does: what the tenants of rounds.py do."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from penstock.core.seen.trial import Work

WAIT_S = 0.02


@dataclass(frozen=True, slots=True)
class Waiting:
    """The result is how long was waited."""

    name: str = "waiting"
    wait_s: float = WAIT_S

    @contextmanager
    def open(self) -> Iterator[Work]:
        """Needs nothing."""

        def work(message: int) -> float:
            time.sleep(self.wait_s)
            return self.wait_s

        yield work


def waiting() -> Waiting:
    """For `penstock profile waiting_task:waiting`."""
    return Waiting()
