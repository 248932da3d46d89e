"""Parallelism of a stateful query: stop, rewrite its state to another number of partitions, start.

Spark rewrites the state of a checkpoint between two batches (`repartition`, RocksDB state store). A stopped query
can leave a batch begun and not committed; that batch must be run first, with the old partitions.
"""

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.jobs.query import RestartError
from penstock.engines.spark.jobs.starting import CallError
from penstock.engines.spark.jvm.checkpoints import checkpoint_of, read_checkpoint
from penstock.engines.spark.jvm.features import can_cut_state
from penstock.engines.spark.jvm.local_files import readable_state
from penstock.engines.spark.jvm.rewriting import rewriting
from penstock.engines.spark.jvm.starts import own_session, start_query
from penstock.engines.spark.jvm.stops import stop
from penstock.errors import EngineError, first_line

_ONE_BATCH_WITHIN_S = 120.0


def repartition(spark: SparkSession, job: Job, query: StreamingQuery, partitions: int) -> StreamingQuery:
    """The job's query, running again with its state in so many partitions.

    When the rewrite fails the query is started with the partitions it had, and a RestartError says why.
    """
    checkpoint = checkpoint_of(query)
    if read_checkpoint(spark, checkpoint).partitions == partitions:
        return query
    if not can_cut_state():
        raise EngineError(f"{job.name}: this Spark cannot cut a state anew; that came with Spark 4.2")
    stop(query)
    error = _rewrite(spark, job, checkpoint, partitions)
    started = start_query(spark, job)
    if error is not None:
        raise RestartError(f"{job.name}: it runs on with the partitions it had; {error}", started)
    return started


def _rewrite(spark: SparkSession, job: Job, checkpoint: str, partitions: int) -> str | None:
    try:
        finish_last_batch(spark, job, checkpoint)
        # The rewriting goes by its session's format of checkpoints. On a store that does not answer it takes for ever.
        own = own_session(spark, job)
        with readable_state(spark, checkpoint), rewriting(spark, checkpoint):
            own._streamingCheckpointManager.repartition(checkpoint, partitions)
    except (CallError, EngineError, PySparkException) as error:
        return first_line(error)
    return None


def finish_last_batch(spark: SparkSession, job: Job, checkpoint: str) -> None:
    """Run what a stopped query left begun and not committed."""
    found = read_checkpoint(spark, checkpoint)
    if found.begun == found.committed:
        return
    query = start_query(spark, job, once=True)
    if not query.awaitTermination(int(_ONE_BATCH_WITHIN_S)):
        stop(query)
        raise EngineError(f"batch {found.begun} did not end within {_ONE_BATCH_WITHIN_S:.0f} s")
