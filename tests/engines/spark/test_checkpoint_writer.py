"""Files of checkpoints on this machine are written without a process for each; elsewhere Spark chooses."""

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from penstock.engines.spark.jvm.checkpoint_writer import PLAIN_WRITER, WRITER_CONF, write_plainly
from penstock.engines.spark.jvm.local_files import files_at

CHOSEN = f"org.apache.spark.sql.execution.streaming.checkpointing.{PLAIN_WRITER}"
ELSEWHERE = "hdfs://127.0.0.1:1/orders"


@pytest.fixture
def own(spark: SparkSession) -> SparkSession:
    return spark.newSession()


def writer_of(spark: SparkSession, checkpoint: Path) -> str:
    """Who writes the log of offsets of a query that starts now."""
    rows = spark.readStream.format("rate").load()
    query = rows.writeStream.format("noop").option("checkpointLocation", str(checkpoint)).start()
    try:
        log: Any = query._jsq
        log = log.streamingQuery().offsetLog()
        field = log.getClass().getSuperclass().getDeclaredField("fileManager")
        field.setAccessible(True)
        return str(field.get(log).getClass().getSimpleName())
    finally:
        query.stop()


def test_queries_write_theirs_plainly(own: SparkSession, tmp_path: Path) -> None:
    assert writer_of(own, tmp_path / "before") == "FileContextBasedCheckpointFileManager"
    write_plainly(own)
    assert writer_of(own, tmp_path / "after") == PLAIN_WRITER


def test_one_checkpoint_elsewhere_leaves_the_choice_to_spark(own: SparkSession, tmp_path: Path) -> None:
    write_plainly(own)
    files_at(own, tmp_path)
    assert own.conf.get(WRITER_CONF, None) is not None
    files_at(own, ELSEWHERE)
    assert own.conf.get(WRITER_CONF, None) is None


def test_who_chose_keeps_the_choice(own: SparkSession) -> None:
    own.conf.set(WRITER_CONF, CHOSEN)
    write_plainly(own)
    files_at(own, ELSEWHERE)
    assert own.conf.get(WRITER_CONF, None) == CHOSEN
