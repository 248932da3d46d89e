"""Jobs that read Kafka, as the tests need them."""

from collections.abc import Callable

from confluent_kafka import Producer
from observer import messages
from pyspark.sql import DataFrame, SparkSession, functions
from pyspark.sql.streaming.readwriter import DataStreamWriter

from tests.patience import patience_s


def send(bootstrap: str, topic: str, rows: int) -> None:
    """So many rows at once, numbered, over ten keys."""
    producer = Producer({"bootstrap.servers": bootstrap, "log_level": 0})
    for number in range(rows):
        producer.produce(topic, b"%d" % number, b"k%d" % (number % 10))
    assert producer.flush(patience_s()) == 0


def read(spark: SparkSession, bootstrap: str, topic: str) -> DataFrame:
    """All rows of a topic, from its start."""
    reader = spark.readStream.format("kafka").option("kafka.bootstrap.servers", bootstrap)
    return reader.option("subscribe", topic).option("startingOffsets", "earliest").load()


def passing(
    bootstrap: str, topic: str, trigger: str = "200 milliseconds"
) -> Callable[[SparkSession], DataStreamWriter]:
    """A job that reads and drops."""

    def job(spark: SparkSession) -> DataStreamWriter:
        return read(spark, bootstrap, topic).writeStream.format("noop").trigger(processingTime=trigger)

    return job


def counting(bootstrap: str, topic: str, target: str, checkpoint: str) -> Callable[[SparkSession], DataStreamWriter]:
    """A job that counts rows by key into another topic."""

    def job(spark: SparkSession) -> DataStreamWriter:
        counts = read(spark, bootstrap, topic).groupBy("key").count()
        named = counts.select("key", functions.col("count").cast("string").alias("value"))
        writer = named.writeStream.format("kafka").option("kafka.bootstrap.servers", bootstrap).option("topic", target)
        return writer.outputMode("update").option("checkpointLocation", checkpoint)

    return job


def counts(bootstrap: str, topic: str) -> dict[str, int]:
    """The highest count told of each key."""
    found: dict[str, int] = {}
    for message in messages(bootstrap, topic):
        key = (message.key() or b"").decode()
        found[key] = max(found.get(key, 0), int(message.value() or 0))
    return found
