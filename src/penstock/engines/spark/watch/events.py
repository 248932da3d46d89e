"""What a listener tells of queries, as values: a start, a committed batch, idleness, an end."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Started:
    """A query began to run, in the pool of its name when it has one."""

    run_id: str
    name: str | None
    timestamp: str


@dataclass(frozen=True, slots=True)
class Progressed:
    """A batch was committed; `json` is Spark's progress document."""

    json: str


@dataclass(frozen=True, slots=True)
class Idled:
    """A query found nothing to do."""

    run_id: str
    timestamp: str


@dataclass(frozen=True, slots=True)
class Terminated:
    """A query ended; `error` is None when it was stopped."""

    run_id: str
    error: str | None


Event = Started | Progressed | Idled | Terminated
