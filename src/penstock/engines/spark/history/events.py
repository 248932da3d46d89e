"""Events of Spark's log as values: the application, its executors, its streaming queries and their stages. Pure.

What stages did is in the accumulators that they were written down with, so the many events of tasks are not read.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from penstock.engines.spark.watch.events import Progressed, Started, Terminated
from penstock.engines.spark.watch.progress import epoch_s
from penstock.engines.spark.watch.stages import StageReading, stage_name
from penstock.errors import ConfigError

_LISTENER = "org.apache.spark.sql.streaming.StreamingQueryListener$"
_METRIC = "internal.metrics."
_LAST_S = 253_402_300_800.0  # the year 10,000
_MOST_CORES = 100_000  # of one executor; whoever answers reckons with each slot
_MOST_ROWS = 2**63  # of a batch, as Java counts them


@dataclass(frozen=True, slots=True)
class LoggedApplication:
    """What the log says of the whole. Times are seconds since the epoch."""

    spark: str = ""
    name: str = ""
    id: str = ""
    conf: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class ExecutorCame:
    """An executor with so many cores; the driver's own in local mode."""

    id: str
    host: str
    cores: int


@dataclass(frozen=True, slots=True)
class ExecutorWent:
    """It is gone."""

    id: str


@dataclass(frozen=True, slots=True)
class StageEnded:
    """A stage of a streaming query, with what it did, and a name for its place in the plan."""

    reading: StageReading
    name: str


@dataclass(frozen=True, slots=True)
class Said:
    """Part of what is known of the application."""

    fields: Mapping[str, Any]


LogEvent: TypeAlias = Said | ExecutorCame | ExecutorWent | Started | Progressed | Terminated | StageEnded


@dataclass(frozen=True, slots=True)
class Logged:
    """One event and when it happened."""

    at_s: float
    what: LogEvent


def logged(lines: Iterable[bytes]) -> Iterator[Logged]:
    """The events that penstock makes something of, in their order."""
    reader = _Reader()
    for number, line in enumerate(lines, start=1):
        if any(word in line[:200] for word in _WANTED):
            yield from _taken(reader, number, line)


def _taken(reader: "_Reader", number: int, line: bytes) -> list[Logged]:
    try:
        return list(reader.take(json.loads(line)))
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError) as error:
        value = line[:80].decode(errors="replace")
        remedy = f"line {number} is no event as Spark writes it ({error!r}): copy the log again, or leave that line out"
        raise ConfigError("--history", value, remedy) from None


class _Reader:
    """Which batch each stage is of is said when its job begins, and of a query's end not when."""

    def __init__(self) -> None:
        self._of_stage: dict[int, Mapping[str, str]] = {}
        self._at_s = 0.0

    def take(self, event: Mapping[str, Any]) -> Iterator[Logged]:
        handler = _HANDLERS.get(event["Event"])
        if handler is not None:
            for found in handler(self, event):
                self._at_s = max(self._at_s, found.at_s)
                yield Logged(self._at_s, found.what)

    def log_start(self, event: Mapping[str, Any]) -> Iterator[Logged]:
        yield Logged(self._at_s, Said({"spark": str(event["Spark Version"])}))

    def application(self, event: Mapping[str, Any]) -> Iterator[Logged]:
        said = {"name": str(event["App Name"]), "id": str(event.get("App ID", ""))}
        yield Logged(_millis(event["Timestamp"]), Said(said))

    def environment(self, event: Mapping[str, Any]) -> Iterator[Logged]:
        yield Logged(self._at_s, Said({"conf": dict(event.get("Spark Properties", {}))}))

    def executor_came(self, event: Mapping[str, Any]) -> Iterator[Logged]:
        about = event["Executor Info"]
        came = ExecutorCame(str(event["Executor ID"]), str(about["Host"]), _count(about["Total Cores"], _MOST_CORES))
        yield Logged(_millis(event["Timestamp"]), came)

    def executor_went(self, event: Mapping[str, Any]) -> Iterator[Logged]:
        yield Logged(_millis(event["Timestamp"]), ExecutorWent(str(event["Executor ID"])))

    def job(self, event: Mapping[str, Any]) -> Iterator[Logged]:
        properties = event.get("Properties") or {}
        if "streaming.sql.batchId" in properties:
            self._of_stage.update(dict.fromkeys(event["Stage IDs"], properties))
        yield from ()

    def stage(self, event: Mapping[str, Any]) -> Iterator[Logged]:
        about = event["Stage Info"]
        properties = self._of_stage.get(about["Stage ID"])
        if properties is not None and "Completion Time" in about:
            reading = _reading(about, properties)
            yield Logged(_millis(about["Completion Time"]), StageEnded(reading, _name(about)))

    def started(self, event: Mapping[str, Any]) -> Iterator[Logged]:
        at = event["timestamp"]
        yield Logged(epoch_s(at), Started(event["runId"], event.get("name") or event["id"], at))

    def progressed(self, event: Mapping[str, Any]) -> Iterator[Logged]:
        progress = _as_told_live(event["progress"])
        took_s = (progress["durationMs"].get("triggerExecution") or progress.get("batchDuration") or 0) / 1e3
        yield Logged(epoch_s(progress["timestamp"]) + took_s, Progressed(json.dumps(progress)))

    def terminated(self, event: Mapping[str, Any]) -> Iterator[Logged]:
        yield Logged(self._at_s, Terminated(event["runId"], event.get("exception")))


_HANDLERS: Mapping[str, Callable[[_Reader, Mapping[str, Any]], Iterator[Logged]]] = {
    "SparkListenerLogStart": _Reader.log_start,
    "SparkListenerApplicationStart": _Reader.application,
    "SparkListenerEnvironmentUpdate": _Reader.environment,
    "SparkListenerExecutorAdded": _Reader.executor_came,
    "SparkListenerExecutorRemoved": _Reader.executor_went,
    "SparkListenerJobStart": _Reader.job,
    "SparkListenerStageCompleted": _Reader.stage,
    f"{_LISTENER}QueryStartedEvent": _Reader.started,
    f"{_LISTENER}QueryProgressEvent": _Reader.progressed,
    f"{_LISTENER}QueryTerminatedEvent": _Reader.terminated,
}
_WANTED = tuple(name.encode() for name in _HANDLERS)


def _as_told_live(progress: Mapping[str, Any]) -> Mapping[str, Any]:
    """A listener is told the rows of all sources together; the log has each source's alone."""
    rows = sum(_count(max(0, source["numInputRows"]), _MOST_ROWS) for source in progress["sources"])
    return {**progress, "numInputRows": rows, "observedMetrics": {}}


def _reading(about: Mapping[str, Any], properties: Mapping[str, str]) -> StageReading:
    did = {one["Name"]: one.get("Value") for one in about.get("Accumulables", ()) if "Name" in one}

    def told(name: str) -> int:
        return int(did.get(f"{_METRIC}{name}") or 0)

    return StageReading(
        stage_id=about["Stage ID"],
        run_id=properties.get("spark.jobGroup.id", ""),
        batch_id=int(properties["streaming.sql.batchId"]),
        pool=properties.get("spark.scheduler.pool", "default"),
        tasks=about["Number of Tasks"],
        busy_s=told("executorRunTime") / 1e3,
        cpu_s=told("executorCpuTime") / 1e9,
        rows_in=told("input.recordsRead") + told("shuffle.read.recordsRead"),
        rows_out=told("output.recordsWritten") + told("shuffle.write.recordsWritten"),
        shuffle_local_bytes=told("shuffle.read.localBytesRead"),
        shuffle_remote_bytes=told("shuffle.read.remoteBytesRead"),
        complete=True,
        submitted_s=_millis(about["Submission Time"]) if "Submission Time" in about else None,
        completed_s=_millis(about["Completion Time"]),
    )


def _name(about: Mapping[str, Any]) -> str:
    """After the operators of the plan that its RDDs came of."""
    scopes = (json.loads(rdd["Scope"])["name"] for rdd in about.get("RDD Info", ()) if rdd.get("Scope"))
    return stage_name(sorted(set(scopes)))


def _millis(value: Any) -> float:
    """Seconds since the epoch. One damaged time would be that of all later events, for they are told in order."""
    found = float(value) / 1e3
    if not 0.0 <= found < _LAST_S:
        raise ValueError(f"{value} is no time")
    return found


def _count(value: Any, most: int) -> int:
    found = int(value)
    if not 0 <= found <= most:
        raise ValueError(f"{value} is more than there can be")
    return found
