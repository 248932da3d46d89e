"""What an engine hears of its queries, as values: from a listener, from looking about, and of what it did itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from penstock.engines.lost_executors import Departed
from penstock.engines.spark.jobs.query import Query
from penstock.engines.spark.watch.files import WaitingFiles
from penstock.engines.spark.watch.progress import Batch
from penstock.engines.spark.watch.stages import StageReading


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


Event: TypeAlias = Started | Progressed | Idled | Terminated  # what the listener tells, as it tells it


@dataclass(frozen=True, slots=True)
class Adopted:
    """A query was found running when governing began; its stages will tell for certain whether it is `pooled`."""

    query: Query
    pooled: bool = True


@dataclass(frozen=True, slots=True)
class Running:
    """The engine started this query for that job."""

    job: str
    query: Query


@dataclass(frozen=True, slots=True)
class Failed:
    """The engine could not start the job's query."""

    job: str
    error: str


@dataclass(frozen=True, slots=True)
class Met:
    """A query that was known by its events only."""

    query: Query


@dataclass(frozen=True, slots=True)
class FilesWait:
    """Files lie beyond the job's last batch."""

    job: str
    files: WaitingFiles


@dataclass(frozen=True, slots=True)
class StageRead:
    """What a stage did since it was last read; `name` says what it does, where that was asked for."""

    reading: StageReading
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Arrived:
    """So many rows were ever given to the job's topics."""

    job: str
    rows: float


@dataclass(frozen=True, slots=True)
class ExecutorsSeen:
    """Those that live, by when each registered; those that departed, once one is gone; how many are wanted, if told."""

    living: Mapping[str, float]
    departed: Sequence[Departed] = ()
    wanted: int | None = None


Stimulus: TypeAlias = (
    Started
    | Batch
    | Idled
    | Terminated
    | Adopted
    | Running
    | Failed
    | Met
    | FilesWait
    | StageRead
    | Arrived
    | ExecutorsSeen
)


@dataclass(frozen=True, slots=True)
class Now:
    """An instant on two clocks: that by which Spark tells time, and one that nobody sets."""

    wall_s: float
    even_s: float
