"""The query of each application of `fleet_of_eight`: rows that wait, as I/O does, at a pace of their own.

Of every batch is written down which seconds it read and which rows it let through: `fleet_rows` tells what is missing.
"""

from collections.abc import Sequence
from pathlib import Path

from fleet_gate import Gate
from fleet_rows import BatchRows, comes_sql, keep, peak_of
from pyspark.sql import SparkSession, functions
from pyspark.sql.streaming.listener import (
    QueryProgressEvent,
    QueryStartedEvent,
    QueryTerminatedEvent,
    StreamingQueryListener,
)
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.readwriter import DataStreamWriter

from penstock.engines.spark.measured import measured
from penstock.workloads.work import waiting as waited_for

WAIT_S = 0.018  # of each row: a slot processes 55 a second
_TASKS = 12  # of a batch: more of them are shorter, so that slots turn over
_TRIGGER_S = 4.0  # eight drivers that plan batches all the time take two cores whole
_COUNTED = "counted"


def waiting(
    spark: SparkSession, name: str, curve: Sequence[Sequence[float]], place: str, together: bool = False
) -> DataStreamWriter | StreamingQuery:
    """Rows a second by time, as `curve` has it; checkpoints, and what was counted, below that place.

    `together`: it begins once all sessions of the fleet are there.
    """
    if together:
        Gate(Path(place)).wait(name)
    spark.streams.addListener(_Counting(Path(place) / f"{name}.rows"))
    source = spark.readStream.format("rate").option("rowsPerSecond", peak_of(curve)).option("numPartitions", _TASKS)
    rows = source.load().where(functions.expr(comes_sql(curve)))
    done = waited_for(measured(rows, event_time="timestamp"), WAIT_S)
    counted = done.observe(
        _COUNTED, functions.count(functions.lit(1)).alias("rows"), functions.sum("value").alias("total")
    )
    writer = counted.writeStream.format("noop").trigger(processingTime=f"{_TRIGGER_S:g} seconds")
    return writer.option("checkpointLocation", str(Path(place) / name))


class _Counting(StreamingQueryListener):
    """Writes each batch down once it has ended."""

    def __init__(self, place: Path) -> None:
        self._place = place

    def onQueryStarted(self, event: QueryStartedEvent) -> None:  # noqa: N802
        """Nothing was read yet."""

    def onQueryProgress(self, event: QueryProgressEvent) -> None:  # noqa: N802
        """A batch has ended; one without rows tells nothing."""
        told = event.progress
        found = told.observedMetrics.get(_COUNTED)
        (source,) = told.sources
        if found is None or source.endOffset is None:
            return
        start = 0 if source.startOffset in (None, "None", "null") else int(source.startOffset)
        keep(self._place, BatchRows(told.batchId, start, int(source.endOffset), found["rows"], found["total"] or 0))

    def onQueryTerminated(self, event: QueryTerminatedEvent) -> None:  # noqa: N802
        """What it read last was told before."""
