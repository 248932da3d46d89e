"""Topics: made before somebody reads them, since a reader of a topic that is not there fails."""

from collections.abc import Iterable
from concurrent.futures import Future

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from penstock.errors import EngineError

_MADE_WITHIN_S = 30.0
_ANSWERS_WITHIN_S = 10.0


def make_topics(bootstrap: str, topics: Iterable[str], partitions: int) -> None:
    """Make those topics; one that is there already stays as it is."""
    admin = AdminClient({"bootstrap.servers": bootstrap, "log_level": 0})
    wanted = [NewTopic(topic, num_partitions=partitions, replication_factor=1) for topic in topics]
    if not wanted:
        return
    _answers(admin, bootstrap)
    for topic, made in admin.create_topics(wanted, operation_timeout=_MADE_WITHIN_S).items():
        _done(made, KafkaError.TOPIC_ALREADY_EXISTS, f"the topic {topic} could not be made at {bootstrap}")


def remove_topic(bootstrap: str, topic: str) -> None:
    """Remove a topic with its rows; one that is gone already is no error."""
    admin = AdminClient({"bootstrap.servers": bootstrap, "log_level": 0})
    _answers(admin, bootstrap)
    for removed in admin.delete_topics([topic], operation_timeout=_MADE_WITHIN_S).values():
        _done(removed, KafkaError.UNKNOWN_TOPIC_OR_PART, f"the topic {topic} could not be removed at {bootstrap}")


def _done(asked: "Future[None]", already: int, otherwise: str) -> None:
    """It is done, or was `already`; an EngineError where the broker refuses, or stands still."""
    try:
        asked.result(_MADE_WITHIN_S)
    except KafkaException as error:
        if error.args[0].code() != already:
            raise EngineError(f"{otherwise}: {error.args[0].str()}") from None
    except TimeoutError:
        raise EngineError(f"{otherwise}: no answer came within {_MADE_WITHIN_S:g} s") from None


def _answers(admin: AdminClient, bootstrap: str) -> None:
    """A broker that is not there would be waited for much longer, and end in nothing but a timeout."""
    try:
        admin.list_topics(timeout=_ANSWERS_WITHIN_S)
    except KafkaException as error:
        why = error.args[0].str()
        raise EngineError(
            f"no broker answers at {bootstrap} ({why}); start one with `penstock kafka up`, or name another"
        ) from None
