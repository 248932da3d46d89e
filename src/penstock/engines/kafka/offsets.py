"""Where topics end, as the broker says: how many rows each partition was ever given."""

import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from typing import Any

from confluent_kafka import KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient, OffsetSpec  # type: ignore[attr-defined]

from penstock.errors import EngineError

_ASKED_FOR_S = 10.0

_LOOK_EVERY_S = 0.2
_LEAST_S = 0.05
_LATEST: Any = OffsetSpec.latest()  # type: ignore[no-untyped-call]

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
        self._until_s = time.monotonic() + self._within_s
        try:
            wanted = [(topic, partition) for topic in sorted(topics) for partition in self._of(topic)]
            asked: Any = {TopicPartition(topic, partition): _LATEST for topic, partition in wanted}
            found = self._admin.list_offsets(asked, request_timeout=self._left_s) if asked else {}
            ends: dict[str, dict[int, int]] = {topic: {} for topic in topics}
            for place, future in found.items():
                ends[place.topic][place.partition] = self._offset(future)
        except KafkaException as error:
            self._partitions.clear()
            raise EngineError(f"the broker at {self._bootstrap} does not say: {error.args[0].str()}") from None
        except TimeoutError:
            raise EngineError(f"the broker at {self._bootstrap} did not answer within {self._within_s:g} s") from None
        return ends

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

    def _offset(self, future: "Future[Any]") -> int:
        return int(future.result(self._left_s).offset)

    def _of(self, topic: str) -> tuple[int, ...]:
        if topic not in self._partitions:
            known = self._admin.list_topics(topic, timeout=self._left_s).topics[topic]
            if known.error is not None:
                return ()
            self._partitions[topic] = tuple(sorted(known.partitions))
        return self._partitions[topic]


def end_offsets(bootstrap: str, topic: str) -> Mapping[int, int]:
    """The end of each partition of one topic; a topic that was made just now may need a moment for its leaders."""
    return TopicEnds(bootstrap).read_patiently([topic])[topic]
