"""Three streaming jobs as anybody would write them: nothing of penstock in here."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamWriter


def _orders(spark: SparkSession, rows_per_second: int) -> DataFrame:
    source = spark.readStream.format("rate").option("rowsPerSecond", rows_per_second).option("numPartitions", 4)
    return source.load().withColumn("shop", F.col("value") % 50).withColumn("amount", F.col("value") % 997)


def fraud(spark: SparkSession, rows_per_second: int = 200, limit: int = 900) -> DataStreamWriter:
    """Orders that are suspiciously large."""
    return _orders(spark, rows_per_second).where(F.col("amount") > limit).writeStream.format("noop")


def revenue(spark: SparkSession, rows_per_second: int = 2000) -> DataStreamWriter:
    """Revenue by shop and ten seconds."""
    windowed = _orders(spark, rows_per_second).withWatermark("timestamp", "20 seconds")
    sums = windowed.groupBy(F.window("timestamp", "10 seconds"), "shop").agg(F.sum("amount").alias("revenue"))
    return sums.writeStream.format("noop").outputMode("update")


def visits(spark: SparkSession, rows_per_second: int = 5000) -> DataStreamWriter:
    """A count of everything, by shop."""
    return _orders(spark, rows_per_second).groupBy("shop").count().writeStream.format("noop").outputMode("update")
