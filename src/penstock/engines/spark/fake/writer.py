"""What a job's function makes of the fake: how its query behaves."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from penstock.engines.spark.jobs.job import Job


@dataclass(frozen=True, slots=True)
class FakeWriter:
    """A query before its start."""

    trigger_s: float = 0.2
    partitions: int | None = None  # of its state; None: it keeps none
    stages: tuple[tuple[str, int], ...] = (("Scan", 2),)  # what each of a batch's stages does, and its tasks
    unboundable: str | None = None  # why its batches cannot be bounded while it runs
    fails: str | None = None  # with its first batch, by this error
    topic_partitions: int = 2  # of what it reads, in real-time mode


def fake_job(name: str, function: Callable[[Any], FakeWriter], **fields: Any) -> Job:
    """A job for the fake: its function is handed the fake, as it would be handed a session."""
    made: Any = function
    return Job(name, made, **fields)
