"""Counts by key over files that are given on command, and the batch answer to them."""

from collections import Counter
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession, functions
from pyspark.sql.streaming.readwriter import DataStreamWriter

ROWS_PER_FILE, KEYS = 400, 13


class CountedFiles:
    """A directory of files of keys, and a job that counts them, a file a batch.

    Files that are given after a change of the query are counted after it, for certain.
    """

    def __init__(self, spark: SparkSession, place: Path) -> None:
        self._spark, self._rows = spark, 0
        self._files, self._checkpoint = str(place / "in"), str(place / "checkpoint")
        self._batches: dict[int, dict[int, int]] = {}

    def give(self, files: int) -> None:
        """So many more files."""
        before, self._rows = self._rows, self._rows + files * ROWS_PER_FILE
        keys = self._spark.range(before, self._rows, 1, files).select((functions.col("id") * 7919 % KEYS).alias("key"))
        keys.write.mode("append").parquet(self._files)

    def job(self, spark: SparkSession) -> DataStreamWriter:
        """The function of the job."""
        rows = spark.readStream.schema("key long").option("maxFilesPerTrigger", 1).parquet(self._files)
        writer = rows.groupBy("key").count().writeStream.outputMode("update").foreachBatch(self._keep)
        return writer.option("checkpointLocation", self._checkpoint).trigger(processingTime="100 milliseconds")

    @property
    def counted(self) -> dict[int, int]:
        """The count of each key that the last batch with it told; a batch that is done again tells anew."""
        found: dict[int, int] = {}
        for number in sorted(self._batches):
            found |= self._batches[number]
        return found

    @property
    def expected(self) -> dict[int, int]:
        """The batch answer."""
        return dict(Counter(number * 7919 % KEYS for number in range(self._rows)))

    def _keep(self, batch: DataFrame, batch_id: int) -> None:
        self._batches[batch_id] = {row["key"]: row["count"] for row in batch.collect()}
