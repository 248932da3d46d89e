"""What a controller asks of an engine, whichever it is: a world, and what Spark's can do beside being governed."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from penstock.core.plan import Outcome, Step
from penstock.core.ports import World, start_by_hand
from penstock.core.seen.figures import Snapshot
from penstock.engines.deed_log import DeedLog
from penstock.errors import EngineError

_log = logging.getLogger("penstock")


class ExecutorsHeld(Protocol):
    """How many executors an application has, where somebody divides them among applications."""

    def executors(self) -> tuple[int, int]:
        """How many live, and how many are wanted."""

    def hold(self, executors: int) -> None:
        """Have so many from now on."""


class JobLimits(Protocol):
    """Limits of jobs that change while they run."""

    def take_over(self, limits: Mapping[str, Any]) -> None:
        """Have these hold from now on, by job."""


class Governable(World, Protocol):
    """A world that says whether it answers, and takes up what others want of it."""

    @property
    def capacity(self) -> ExecutorsHeld:
        """Its executors."""

    @property
    def limits(self) -> JobLimits:
        """Those of its jobs."""

    def ping(self) -> None:
        """Return as soon as it has answered."""

    def start_again(self, job: str) -> None:
        """See `StartsAgain`."""

    def note(self, text: str, why: str, job: str | None = None, error: str | None = None) -> None:
        """Have it in the record that this was done to it."""


class PlainWorld:
    """A world as it is: it has no executors that others divide, and its jobs end when it is closed."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._deeds = DeedLog()
        self._ends_jobs = False

    def open(self) -> None:
        self._world.open()

    def start(self) -> None:
        self._world.start()

    def observe(self, now: float) -> Snapshot:
        snapshot = self._world.observe(now)
        return replace(snapshot, deeds=(*snapshot.deeds, *self._deeds.told(now)))

    def apply(self, steps: Sequence[Step]) -> Outcome:
        return self._world.apply(steps)

    def tend(self) -> None:
        self._world.tend()

    def start_again(self, job: str) -> None:
        start_by_hand(self._world, job)

    def close(self, stop_jobs: bool = False) -> None:
        self._world.close(stop_jobs or self._ends_jobs)

    def end_jobs(self, gently: bool) -> None:
        """Have its jobs end with it; how gently is its own affair."""
        self._ends_jobs = True

    def ping(self) -> None:
        """It answers: each call of a round has a limit of its own."""

    def note(self, text: str, why: str, job: str | None = None, error: str | None = None) -> None:
        self._deeds.note(job, text, why, error)
        _log.info("%s: %s", " ".join(one for one in (job, text) if one), "; ".join(one for one in (why, error) if one))

    @property
    def capacity(self) -> ExecutorsHeld:
        raise EngineError("this engine has no executors that others divide")

    @property
    def limits(self) -> JobLimits:
        raise EngineError("this engine takes no limits while it runs")
