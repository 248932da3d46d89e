"""Who writes the files of checkpoints: on a disk of this machine, with one call of the operating system for each.

Spark asks Hadoop's FileContext, whose every look at a file of a local disk starts a process, `readlink`: some 50 of
them in each batch of a query that counts on four partitions. Hadoop's FileSystem does the same by itself. On other
file systems FileContext is the better one, as on HDFS, where only it renames a file over another.

With a changelog a batch writes what it changed of its state; without one, a snapshot of all that changed files of it.
"""

from typing import Any

from pyspark.sql import SparkSession

from penstock.engines.spark.jvm.class_homes import home_of, there

CHANGELOG = "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled"
WRITER_CONF = "spark.sql.streaming.checkpointFileManagerClass"
PLAIN_WRITER = "FileSystemBasedCheckpointFileManager"
_OURS = "spark.penstock.checkpointsWrittenPlainly"


def write_plainly(spark: SparkSession) -> None:
    """Queries that start from now on write theirs by FileSystem, unless somebody chose who does."""
    jvm: Any = spark.sparkContext._jvm
    plain = home_of(jvm, PLAIN_WRITER)
    if spark.conf.get(WRITER_CONF, None) is None and there(jvm, plain):
        spark.conf.set(WRITER_CONF, plain)
        spark.conf.set(_OURS, "true")


def write_as_spark_does(spark: SparkSession) -> None:
    """A checkpoint is kept elsewhere: from now on Spark chooses for all, where `write_plainly` had."""
    if spark.conf.get(_OURS, None) is not None:
        spark.conf.unset(WRITER_CONF)
        spark.conf.unset(_OURS)
