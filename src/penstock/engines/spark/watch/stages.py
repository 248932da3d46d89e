"""Stages as Spark's status store tells of them: task time, rows and shuffle bytes, since the last reading."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

_READ_AT_MOST = 60  # stages in one reading, at 1.5 ms each; of more, the last ones: whole batches are among them
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
    running: int = 0  # of its tasks, at this reading: Spark tells of a task's time when it has ended


@dataclass(frozen=True, slots=True)
class OpenStage:
    """A stage that is read again: what was read of it, and in how many readings it was not in the store."""

    counts_for: float
    cut: bool = False
    before: StageReading | None = None
    absent: int = 0


def chosen(fresh: range) -> dict[int, OpenStage]:
    """Which of the stages that are new are read, by number: the last ones, where there are many.

    >>> {number: (one.counts_for, one.cut) for number, one in chosen(range(7, 9)).items()}
    {7: (1.0, False), 8: (1.0, False)}
    """
    last = fresh[-_READ_AT_MOST:]
    each = len(fresh) / max(1, len(last))
    return {number: OpenStage(counts_for=each, cut=each > 1.0 and number == last[0]) for number in last}


def difference(reading: StageReading, before: StageReading) -> StageReading:
    """What it did between two readings."""
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


def reading_of(document: Mapping[str, Any]) -> StageReading | None:
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
        submitted_s=_told_s(document.get("submissionTime")),
        completed_s=_told_s(document.get("completionTime")),
        running=document.get("numActiveTasks", 0),
    )


def _told_s(text: str | None) -> float | None:
    return None if text is None else store_epoch_s(text)


def store_epoch_s(text: str) -> float:
    """Seconds since the epoch, of a time as Spark's status store writes it.

    >>> store_epoch_s("2026-11-22T08:00:00.125GMT")
    1795334400.125
    """
    return datetime.fromisoformat(text.removesuffix("GMT")).replace(tzinfo=UTC).timestamp()
