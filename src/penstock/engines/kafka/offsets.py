"""Where topics end, as the broker says: how many rows each partition was ever given."""

import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from typing import Any

from confluent_kafka import KafkaError, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient, OffsetSpec  # type: ignore[attr-defined]

from penstock.errors import EngineError

_ASKED_FOR_S = 10.0

_LOOK_EVERY_S = 0.2
_LEAST_S = 0.05
_LATEST: Any = OffsetSpec.latest()  # type: ignore[no-untyped-call]
_OF_ONE_TOPIC = (
    KafkaError.UNKNOWN_TOPIC_OR_PART,
    KafkaError._UNKNOWN_TOPIC,
    KafkaError._UNKNOWN_PARTITION,
    KafkaError.TOPIC_AUTHORIZATION_FAILED,
    KafkaError.TOPIC_EXCEPTION,  # no name for a topic
)

Ends = Mapping[str, Mapping[int, int]]  # topic, partition, offset of the next row


class TopicEnds:
    """Asks one broker, again and again, over one connection."""

    def __init__(self, bootstrap: str, within_s: float = _ASKED_FOR_S) -> None:
        self._bootstrap = bootstrap
        self._within_s = within_s
        self._admin = AdminClient({"bootstrap.servers": bootstrap, "log_level": 0})
        self._partitions: dict[str, tuple[int, ...]] = {}
        self._until_s = 0.0

    def read(self, topics: Sequence[str]) -> Ends:
        """The ends of these topics now; one that is not there has no partitions."""
        ends: dict[str, Mapping[int, int]] = {}
        for topic, found in self.read_each(topics).items():
            if isinstance(found, EngineError):
                raise found
            ends[topic] = found
        return ends

    def read_each(self, topics: Sequence[str]) -> Mapping[str, Mapping[int, int] | EngineError]:
        """The same of each; or why the end of one is not known, while the broker tells of others."""
        self._until_s = time.monotonic() + self._within_s
        try:
            found = self._found(topics)
        except KafkaException as error:
            self._partitions.clear()
            raise self._refused(error) from None
        refused = [why for why in found.values() if isinstance(why, EngineError)]
        if len(refused) == len(found):
            for why in refused:
                if not isinstance(why, _OneTopicError):
                    raise why
        return found

    def read_patiently(self, topics: Sequence[str], within_s: float = _ASKED_FOR_S) -> Ends:
        """The same, asked again and again for so long: for a moment a broker may not know who leads a partition."""
        deadline = time.monotonic() + within_s
        while True:
            try:
                return self.read(topics)
            except EngineError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(_LOOK_EVERY_S)

    def close(self) -> None:
        """Its connection ends with the last who holds it."""

    @property
    def _left_s(self) -> float:
        """Of the time for all questions of one reading together."""
        return max(_LEAST_S, self._until_s - time.monotonic())

    def _found(self, topics: Sequence[str]) -> dict[str, Mapping[int, int] | EngineError]:
        asked: dict[Any, Any] = {}
        found: dict[str, Mapping[int, int] | EngineError] = {topic: {} for topic in topics}
        for topic in sorted(topics):
            partitions = self._of(topic)
            if isinstance(partitions, EngineError):
                found[topic] = partitions
            else:
                asked |= {TopicPartition(topic, partition): _LATEST for partition in partitions}
        told = self._admin.list_offsets(asked, request_timeout=self._left_s) if asked else {}
        for topic in {place.topic for place in told}:
            found[topic] = self._ends({place.partition: of for place, of in told.items() if place.topic == topic})
            if isinstance(found[topic], EngineError):
                del self._partitions[topic]
        return found

    def _ends(self, futures: "Mapping[int, Future[Any]]") -> Mapping[int, int] | EngineError:
        try:
            return {partition: int(future.result(self._left_s).offset) for partition, future in futures.items()}
        except KafkaException as error:
            return self._refused(error)
        except TimeoutError:
            return EngineError(f"the broker at {self._bootstrap} did not answer within {self._within_s:g} s")

    def _refused(self, error: KafkaException) -> EngineError:
        why: KafkaError = error.args[0]
        kind = _OneTopicError if why.code() in _OF_ONE_TOPIC else EngineError
        return kind(f"the broker at {self._bootstrap} does not say: {why.str()}")

    def _of(self, topic: str) -> tuple[int, ...] | EngineError:
        if topic not in self._partitions:
            known = self._admin.list_topics(topic, timeout=self._left_s).topics[topic]
            if known.error is not None and known.error.code() == KafkaError.TOPIC_AUTHORIZATION_FAILED:
                return self._refused(KafkaException(known.error))
            if known.error is not None:
                return ()
            self._partitions[topic] = tuple(sorted(known.partitions))
        return self._partitions[topic]


class _OneTopicError(EngineError):
    """A topic is refused for what is its own; the broker is well."""


def end_offsets(bootstrap: str, topic: str) -> Mapping[int, int]:
    """The end of each partition of one topic; a topic that was made just now may need a moment for its leaders."""
    return TopicEnds(bootstrap).read_patiently([topic])[topic]
