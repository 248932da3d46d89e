"""What Kafka itself says that a consumer group has read."""

from confluent_kafka import Consumer, TopicPartition

from tests.patience import patience_s


def committed(bootstrap: str, group: str, topic: str, partitions: int) -> int | None:
    """Rows over all partitions; None before anything was committed of each."""
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": group, "log_level": 0})
    try:
        places = [TopicPartition(topic, partition) for partition in range(partitions)]
        offsets = [place.offset for place in consumer.committed(places, timeout=patience_s())]
    finally:
        consumer.close()
    return None if min(offsets) < 0 else sum(offsets)
