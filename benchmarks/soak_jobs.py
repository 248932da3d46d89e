"""The soak's job: counts by key from one topic into another."""

from pyspark.sql import SparkSession, functions
from pyspark.sql.streaming.readwriter import DataStreamWriter


def counts(spark: SparkSession, bootstrap: str, source: str, target: str, trigger: str) -> DataStreamWriter:
    """Running counts: told again after a failure they are the same."""
    reader = spark.readStream.format("kafka").option("kafka.bootstrap.servers", bootstrap)
    rows = reader.option("subscribe", source).option("startingOffsets", "earliest").load()
    made = rows.groupBy("key").count().select("key", functions.col("count").cast("string").alias("value"))
    writer = made.writeStream.format("kafka").option("kafka.bootstrap.servers", bootstrap).option("topic", target)
    return writer.outputMode("update").trigger(processingTime=trigger)
