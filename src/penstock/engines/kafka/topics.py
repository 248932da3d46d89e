"""Topics: made before somebody reads them, since a reader of a topic that is not there fails."""

from collections.abc import Iterable

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from penstock.errors import EngineError

_MADE_WITHIN_S = 30.0


def make_topics(bootstrap: str, topics: Iterable[str], partitions: int) -> None:
    """Make those topics; one that is there already stays as it is."""
    admin = AdminClient({"bootstrap.servers": bootstrap, "log_level": 0})
    wanted = [NewTopic(topic, num_partitions=partitions, replication_factor=1) for topic in topics]
    if not wanted:
        return
    for topic, made in admin.create_topics(wanted, operation_timeout=_MADE_WITHIN_S).items():
        try:
            made.result(_MADE_WITHIN_S)
        except KafkaException as error:
            if error.args[0].code() != KafkaError.TOPIC_ALREADY_EXISTS:
                raise EngineError(
                    f"the topic {topic} could not be made at {bootstrap}: {error.args[0].str()}"
                ) from None


def remove_topic(bootstrap: str, topic: str) -> None:
    """Remove a topic with its rows; one that is gone already is no error."""
    admin = AdminClient({"bootstrap.servers": bootstrap, "log_level": 0})
    for removed in admin.delete_topics([topic], operation_timeout=_MADE_WITHIN_S).values():
        try:
            removed.result(_MADE_WITHIN_S)
        except KafkaException as error:
            if error.args[0].code() != KafkaError.UNKNOWN_TOPIC_OR_PART:
                raise EngineError(
                    f"the topic {topic} could not be removed at {bootstrap}: {error.args[0].str()}"
                ) from None
