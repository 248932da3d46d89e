"""What the logs of a checkpoint say: which batch was begun, which committed, and in how many parts the state is cut."""

from dataclasses import dataclass
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from penstock.engines.spark.jvm.rewriting import logs_of, partitions_in
from penstock.errors import EngineError


@dataclass(frozen=True, slots=True)
class CheckpointState:
    """The last batch that was begun, the last that was committed, and the partitions of the state."""

    begun: int
    committed: int
    partitions: int


def checkpoint_of(query: StreamingQuery) -> str:
    """Where the query keeps its checkpoint."""
    jsq: Any = query._jsq
    return str(jsq.streamingQuery().resolvedCheckpointRoot())


def read_checkpoint(spark: SparkSession, checkpoint: str) -> CheckpointState:
    """What the logs of a checkpoint say; an EngineError when no batch was committed yet."""
    logs = logs_of(spark, checkpoint)
    begun, committed = logs.offsetLog().getLatestBatchId(), logs.commitLog().getLatestBatchId()
    if not begun.isDefined() or not committed.isDefined():
        raise EngineError(f"the checkpoint {checkpoint} holds no committed batch yet")
    batch = int(begun.get())
    return CheckpointState(batch, int(committed.get()), partitions_in(logs.offsetLog().get(batch).get()))
