"""The toy engine, which has its run ended after so many looks at it: a test then waits for no length of time."""

import os
import signal
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from penstock.core.seen.figures import Snapshot
from tests.engines.toy.engine import ToyEngine, toy


@dataclass
class EndingToy(ToyEngine):
    """After the last look the process is asked to end, as whoever stops a driver asks."""

    looks: int = 1

    def observe(self, now: float) -> Snapshot:
        self.looks -= 1
        if self.looks == 0:
            os.kill(os.getpid(), signal.SIGTERM)
        return super().observe(now)


def ending(settings: Mapping[str, Any], jobs: Mapping[str, Mapping[str, Any]]) -> EndingToy:
    """As an entry point leads to it; `looks` says how many there are."""
    return EndingToy(toy(settings, jobs).jobs, looks=settings.get("looks", 40))
