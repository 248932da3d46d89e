"""The state of a real-time aggregation under the name that Spark's rewriting of state knows.

Real-time mode keeps keys and values as an aggregation in micro-batches does, and calls its operator otherwise. Spark
4.3 rewrites state by the name in the checkpoint, refuses that of real-time mode, and wants it back at the start.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pyspark.sql import SparkSession

_REAL_TIME = '"operatorName":"StatefulStreamlineAggregate"'
_MICRO_BATCH = '"operatorName":"stateStoreSave"'


@contextmanager
def named_for_rewriting(spark: SparkSession, checkpoint: str) -> Iterator[None]:
    """While the block lasts, the checkpoint's real-time aggregations go by the name of those in micro-batches."""
    files = _Files(spark, checkpoint)
    renamed = [path for path in files.paths if _REAL_TIME in files.read(path)]
    try:
        for path in renamed:
            files.write(path, files.read(path).replace(_REAL_TIME, _MICRO_BATCH))
        yield
    finally:
        for path in renamed:  # read again: the rewriting notes the new number of partitions there
            files.write(path, files.read(path).replace(_MICRO_BATCH, _REAL_TIME))


class _Files:
    """What a checkpoint says of its operators, wherever it is kept."""

    def __init__(self, spark: SparkSession, checkpoint: str) -> None:
        jvm: Any = spark.sparkContext._jvm
        self._text = jvm.org.apache.commons.io.IOUtils.toString
        pattern = jvm.org.apache.hadoop.fs.Path(f"{checkpoint}/state/*/_metadata/metadata")
        self._system = pattern.getFileSystem(spark._jsparkSession.sessionState().newHadoopConf())
        self.paths = [status.getPath() for status in self._system.globStatus(pattern) or ()]

    def read(self, path: Any) -> str:
        """All of a file."""
        stream = self._system.open(path)
        try:
            return str(self._text(stream, "UTF-8"))
        finally:
            stream.close()

    def write(self, path: Any, text: str) -> None:
        """Another text in its place."""
        stream = self._system.create(path, True)
        try:
            stream.write(bytearray(text, "utf-8"))
        finally:
            stream.close()
