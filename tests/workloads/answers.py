"""A workload's job over files of its records, and the rows that came out, in the order of their batches."""

import os
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql.streaming.readwriter import DataStreamWriter

from tests.workloads.first_records import first_records

STEP_MS = 10.0
# Spark gives the Python process of a stateful operator ten seconds to start, however busy the machine is; a query that
# fails for that goes on from its checkpoint, as it does under a restart policy.
SLOW_START, STARTS = "Python worker failed to connect back", 6
START_MS = 10_000  # an operator's watermark begins at 0, and takes what happened at that moment for late
LATER_MS = 3_600_000

JobFunction = Callable[..., DataStreamWriter]


def lines_of(kind: str, count: int, step_ms: float = STEP_MS, last: int = 40) -> list[str]:
    """Records in the order of their time; the last few come an hour later, so that all windows before them close."""
    early = first_records(kind, count, start_ms=START_MS, step_ms=step_ms)
    late = first_records(kind, count + last, start_ms=LATER_MS - round(count * step_ms), step_ms=step_ms)
    return early + late[count:]


def streamed(
    spark: SparkSession, place: Path, job: JobFunction, lines: Sequence[str], params: Mapping[str, Any] | None = None
) -> list[Row]:
    """All rows that the job writes, of two files with a batch each and a third with the late records."""
    described = {"files": _files(place / "in", lines), "per_batch": 1}
    batches: dict[int, list[Row]] = {}
    for attempt in range(STARTS):
        try:
            _run(job(spark, source=described, **(params or {})), place / "checkpoint", batches)
            break
        except StreamingQueryException as error:
            if SLOW_START not in str(error) or attempt == STARTS - 1:
                raise
    return [row for number in sorted(batches) for row in batches[number]]


def millis(at: datetime) -> int:
    """Milliseconds since the epoch."""
    return round(at.timestamp() * 1000)


def _files(source: Path, lines: Sequence[str]) -> str:
    source.mkdir()
    middle = len(lines) // 2
    for number, part in enumerate((lines[:middle], lines[middle:-40], lines[-40:])):
        written = source / f"part-{number}.txt"
        written.write_text("\n".join(part))
        os.utime(written, (number + 1, number + 1))  # files are read by age, and these are of the same moment
    return str(source)


def _run(writer: DataStreamWriter, checkpoint: Path, batches: dict[int, list[Row]]) -> None:
    def take(batch: DataFrame, batch_id: int) -> None:
        batches[batch_id] = batch.collect()

    bounded = writer.option("checkpointLocation", str(checkpoint)).foreachBatch(take).trigger(availableNow=True)
    bounded.start().awaitTermination()
