"""Where the stateful tasks of a batch ran, out of the jobs that its query had.

Spark writes down what happened a little after it did: while some of a batch is missing, nothing is known of it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from penstock.engines.spark.routing.pins import RanTask
from penstock.engines.spark.watch.stages import StageReading


@dataclass(frozen=True, slots=True)
class RanStage:
    """A stage of a job, and the number of its newest attempt."""

    reading: StageReading
    attempt: int


@dataclass(frozen=True, slots=True)
class RanJob:
    """The stages of a job that began, and whether it runs."""

    stages: Sequence[RanStage] = ()
    runs: bool = False

    @property
    def batch(self) -> int | None:
        """Whose it is; None while no stage says so."""
        return max((stage.reading.batch_id for stage in self.stages), default=None)

    @property
    def is_told(self) -> bool:
        """Whether Spark has written all of it down."""
        return not self.runs and all(stage.reading.complete for stage in self.stages)


class Account(Protocol):
    """What Spark has written down."""

    def job(self, number: int) -> RanJob:
        """Of a job."""

    def tasks(self, stage: RanStage) -> list[RanTask] | None:
        """Of a stage that keeps state, none of another; None while some are not written down."""


@dataclass(slots=True)
class BatchAccount:
    """Tells it batch by batch; a query's jobs are looked through once, when their batch is known as a whole."""

    account: Account
    _told: dict[str, int] = field(default_factory=dict)  # by query, the last job of the batches that were told

    def ran(self, query: str, jobs: Sequence[int], batch: int) -> list[RanTask] | None:
        """The stateful tasks of that batch; None while some may be missing."""
        fresh = sorted(job for job in jobs if job > self._told.get(query, -1))
        found = self._batch(fresh, batch)
        if found is None:
            return None
        tasks, last = found
        if last is not None:
            self._told[query] = last
        return tasks

    def _batch(self, jobs: Sequence[int], batch: int) -> tuple[list[RanTask], int | None] | None:
        found: list[RanTask] = []
        last = None
        for number in jobs:
            job = self.account.job(number)
            if _is_later(job, batch, bool(found)):
                break
            if not job.is_told:
                return None
            for stage in job.stages if job.batch == batch else ():
                tasks = self.account.tasks(stage)
                if tasks is None:
                    return None
                found += tasks
            last = number
        return found, last


def _is_later(job: RanJob, batch: int, found: bool) -> bool:
    """Whether the next batch has begun with it. One that runs and says nothing yet is, once this one's are found."""
    return job.runs and found if job.batch is None else job.batch > batch
