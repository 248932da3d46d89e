"""The soak's job: counts by key from one topic into another."""

from pyspark.sql import DataFrame, SparkSession, functions
from pyspark.sql.streaming.readwriter import DataStreamWriter


def counts(spark: SparkSession, bootstrap: str, source: str, target: str, trigger: str) -> DataStreamWriter:
    """Running counts: told again after a failure they are the same."""
    return written(rows(spark, bootstrap, source).groupBy("key").count(), bootstrap, target, trigger)


def rows(spark: SparkSession, bootstrap: str, source: str) -> DataFrame:
    """All that was ever sent to the topic."""
    reader = spark.readStream.format("kafka").option("kafka.bootstrap.servers", bootstrap)
    return reader.option("subscribe", source).option("startingOffsets", "earliest").load()


def written(counted: DataFrame, bootstrap: str, target: str, trigger: str) -> DataStreamWriter:
    """Each count that has changed."""
    made = counted.select("key", functions.col("count").cast("string").alias("value"))
    writer = made.writeStream.format("kafka").option("kafka.bootstrap.servers", bootstrap).option("topic", target)
    return writer.outputMode("update").trigger(processingTime=trigger)
