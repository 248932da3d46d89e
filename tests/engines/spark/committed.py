"""What Kafka itself says that a consumer group has read."""

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition

from tests.patience import patience_s

# A broker's first group makes the topic that groups are kept in: until that is led, nothing is committed anywhere.
_NOT_READY = {
    KafkaError.NOT_COORDINATOR,
    KafkaError.COORDINATOR_NOT_AVAILABLE,
    KafkaError.COORDINATOR_LOAD_IN_PROGRESS,
}


def committed(bootstrap: str, group: str, topic: str, partitions: int) -> int | None:
    """Rows over all partitions; None before anything was committed of each."""
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": group, "log_level": 0})
    try:
        places = [TopicPartition(topic, partition) for partition in range(partitions)]
        offsets = [place.offset for place in consumer.committed(places, timeout=patience_s())]
    except KafkaException as error:
        if error.args[0].code() not in _NOT_READY:
            raise
        return None
    finally:
        consumer.close()
    return None if min(offsets) < 0 else sum(offsets)
