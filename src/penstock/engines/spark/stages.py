"""Stages: task time, rows and shuffle bytes of every job's stages, read from Spark's status store without its UI."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark import SparkContext

_READ_AT_MOST = 60  # stages in one reading, at 1.5 ms each; of more, the last ones: whole batches are among them
_ABSENT_AT_MOST = 3  # readings in which a stage may be missing from the store before it is given up
_RUN_ID = "runId = "
_BATCH = "batch = "


@dataclass(frozen=True, slots=True)
class StageReading:
    """What one stage did since it was last read.

    `counts_for` is how many stages it stands for, where not all were read. `cut` says that those before it were not: a
    batch's stages have consecutive numbers, so some of its own batch may be among them.
    """

    stage_id: int
    run_id: str
    batch_id: int
    pool: str
    tasks: int
    busy_s: float
    cpu_s: float
    rows_in: int
    rows_out: int
    shuffle_local_bytes: int
    shuffle_remote_bytes: int
    complete: bool
    counts_for: float = 1.0
    cut: bool = False
    submitted_s: float | None = None  # since the epoch; a stage waits for slots from then on
    completed_s: float | None = None


class StageReader:
    """Reads what is new since the last reading, stages that still run included."""

    def __init__(self, context: SparkContext) -> None:
        scheduler: Any = context._jsc.sc()
        jvm: Any = context._jvm
        self._store = scheduler.statusStore()
        self._scheduler = scheduler.dagScheduler()
        self._mapper = jvm.org.apache.spark.status.api.v1.JacksonMessageWriter().mapper()
        self._array_list = jvm.java.util.ArrayList
        self._next_id: int = self._scheduler.nextStageId()
        self._open: dict[int, _Open] = {}

    def read(self) -> list[StageReading]:
        """The work of streaming queries since the last call."""
        until = self._scheduler.nextStageId()
        fresh = range(self._next_id, until)
        self._next_id = until
        self._open.update(chosen(fresh))
        found = {document["stageId"]: document for document in self._fetch()}
        since = [self._since_last(stage_id, found.get(stage_id)) for stage_id in list(self._open)]
        return [reading for reading in since if reading is not None]

    def name(self, stage_id: int) -> str | None:
        """What the stage does, after the operators of the physical plan inside it."""
        try:
            graph = self._store.operationGraphForStage(stage_id)
        except Py4JJavaError:
            return None  # Spark forgets old stages
        clusters = graph.rootCluster().childClusters()
        return stage_name([clusters.apply(index).name() for index in range(clusters.size())])

    def _fetch(self) -> list[dict[str, Any]]:
        found = self._array_list()
        for stage_id in self._open:
            try:
                found.add(self._store.lastStageAttempt(stage_id))
            except Py4JJavaError:
                continue  # not in the store yet, or not any more
        documents: list[dict[str, Any]] = json.loads(self._mapper.writeValueAsString(found))
        return documents

    def _since_last(self, stage_id: int, document: Mapping[str, Any] | None) -> StageReading | None:
        """What the stage did since it was last read; None when it is nothing, and the stage then stays open or goes."""
        found = self._open.pop(stage_id)
        if document is None:
            # Spark writes a stage down some time after it gave it a number; those it never runs are not written.
            if found.absent < _ABSENT_AT_MOST:
                self._open[stage_id] = replace(found, absent=found.absent + 1)
            return None
        if document["status"] == "PENDING":  # whose it is will be known when it begins
            self._open[stage_id] = found
            return None
        reading = _reading_of(document)
        if reading is None:
            return None
        reading = replace(reading, counts_for=found.counts_for, cut=found.cut)
        if not reading.complete:
            self._open[stage_id] = replace(found, before=reading, absent=0)
        return reading if found.before is None else _difference(reading, found.before)


@dataclass(frozen=True, slots=True)
class _Open:
    """A stage that is read again: what was read of it, and in how many readings it was not in the store."""

    counts_for: float
    cut: bool = False
    before: StageReading | None = None
    absent: int = 0


def chosen(fresh: range) -> dict[int, _Open]:
    """Which of the stages that are new are read, by number: the last ones, where there are many.

    >>> {number: (one.counts_for, one.cut) for number, one in chosen(range(7, 9)).items()}
    {7: (1.0, False), 8: (1.0, False)}
    """
    last = fresh[-_READ_AT_MOST:]
    each = len(fresh) / max(1, len(last))
    return {number: _Open(counts_for=each, cut=each > 1.0 and number == last[0]) for number in last}


def _difference(reading: StageReading, before: StageReading) -> StageReading:
    return replace(
        reading,
        busy_s=reading.busy_s - before.busy_s,
        cpu_s=reading.cpu_s - before.cpu_s,
        rows_in=reading.rows_in - before.rows_in,
        rows_out=reading.rows_out - before.rows_out,
        shuffle_local_bytes=reading.shuffle_local_bytes - before.shuffle_local_bytes,
        shuffle_remote_bytes=reading.shuffle_remote_bytes - before.shuffle_remote_bytes,
    )


def stage_name(clusters: Sequence[str]) -> str:
    """A short name out of those of the plan's nodes: what is common to all stages is left out.

    >>> stage_name(["WholeStageCodegen (2)", "StateStoreSave", "Exchange", "StateStoreRestore"])
    'StateStoreSave + Exchange'
    """
    telling = [name for name in clusters if not name.startswith(("WholeStageCodegen", "StateStoreRestore"))]
    return " + ".join(dict.fromkeys(telling)) or "stage"


def _reading_of(document: Mapping[str, Any]) -> StageReading | None:
    """The stage's figures; None for a stage of no streaming query."""
    words = str(document.get("description", "")).splitlines()
    run_id = next((line[len(_RUN_ID) :] for line in words if line.startswith(_RUN_ID)), None)
    batch = next((line[len(_BATCH) :] for line in words if line.startswith(_BATCH)), "")
    return _reading(document, run_id, int(batch)) if run_id is not None and batch.isdigit() else None


def _reading(document: Mapping[str, Any], run_id: str, batch_id: int) -> StageReading:
    return StageReading(
        stage_id=document["stageId"],
        run_id=run_id,
        batch_id=batch_id,
        pool=document["schedulingPool"],
        tasks=document["numTasks"],
        busy_s=document["executorRunTime"] / 1e3,
        cpu_s=document["executorCpuTime"] / 1e9,
        rows_in=document["inputRecords"] + document["shuffleReadRecords"],
        rows_out=document["outputRecords"] + document["shuffleWriteRecords"],
        shuffle_local_bytes=document["shuffleLocalBytesRead"],
        shuffle_remote_bytes=document["shuffleRemoteBytesRead"],
        complete=document["status"] not in ("ACTIVE", "PENDING"),
        submitted_s=_epoch_s(document.get("submissionTime")),
        completed_s=_epoch_s(document.get("completionTime")),
    )


def _epoch_s(text: str | None) -> float | None:
    """Seconds since the epoch, of a time as Spark's status pages write it: 2026-11-22T08:00:00.123GMT."""
    return None if text is None else datetime.fromisoformat(text.removesuffix("GMT")).replace(tzinfo=UTC).timestamp()
