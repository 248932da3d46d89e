"""Latency end to end, as somebody sees it who reads nothing but the topics: when a row was produced, by the source
topic's own timestamp, to when a result that covers it was appended to the target topic, by the broker's clock.

Rows and results are matched by Kafka's key, in the order of their offsets. A result that passes one row on covers the
next row of its key; a running count of n covers all rows of its key up to the n-th.
"""

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from confluent_kafka import TIMESTAMP_LOG_APPEND_TIME, Consumer, Message, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic
from numpy.typing import NDArray

from penstock.engines.kafka.offsets import end_offsets
from penstock.errors import EngineError

_MADE_WITHIN_S = 30.0
_READ_WITHIN_S = 60.0
_LOOK_EVERY_S = 0.2
_AT_ONCE = 10_000

Covers = Callable[[bytes, int], int]  # a result's value and the rows covered so far: the rows covered with it


def each(value: bytes, covered: int) -> int:
    """Results that pass one row on."""
    return covered + 1


def count(value: bytes, covered: int) -> int:
    """Results that are running counts; one that is told again covers nothing more."""
    return max(covered, int(value))


@dataclass(frozen=True, slots=True)
class Observed:
    """What was seen: of each row that a result covers, when it was produced and how long it took."""

    produced_s: NDArray[np.float64]
    latency_s: NDArray[np.float64]
    rows: int  # in the source
    uncovered: int  # rows that no result covers: lost, or not there yet
    beyond: int  # results that cover more rows than there were: doubled

    def between(self, from_s: float, to_s: float) -> NDArray[np.float64]:
        """The latencies of the rows that were done within these times."""
        done_s = self.produced_s + self.latency_s
        return self.latency_s[(done_s >= from_s) & (done_s < to_s)]


@dataclass(slots=True)
class _Key:
    produced_s: list[float] = field(default_factory=list)
    latency_s: list[float] = field(default_factory=list)
    beyond: int = 0


def make_timed_topic(bootstrap: str, topic: str, partitions: int) -> None:
    """A target topic whose timestamps are those of appending."""
    admin = AdminClient({"bootstrap.servers": bootstrap, "log_level": 0})
    wanted = NewTopic(topic, num_partitions=partitions, config={"message.timestamp.type": "LogAppendTime"})
    admin.create_topics([wanted])[topic].result(_MADE_WITHIN_S)


def observe(bootstrap: str, source: str, target: str, covers: Covers) -> Observed:
    """What the two topics hold just now."""
    keys: dict[bytes, _Key] = defaultdict(_Key)
    results = list(messages(bootstrap, target))  # first, so that no result is of a row that was not read
    for message in messages(bootstrap, source):
        keys[message.key() or b""].produced_s.append(message.timestamp()[1] / 1000.0)
    for message in results:
        kind, at_ms = message.timestamp()
        if kind != TIMESTAMP_LOG_APPEND_TIME:
            raise EngineError(f"{target}: its timestamps are not those of appending; make it with make_timed_topic")
        _cover(keys[message.key() or b""], covers, message.value() or b"", at_ms / 1000.0)
    return _gathered(list(keys.values()))


def _cover(key: _Key, covers: Covers, value: bytes, at_s: float) -> None:
    covered = len(key.latency_s)
    until = covers(value, covered)
    key.beyond += max(0, until - len(key.produced_s))
    key.latency_s.extend(at_s - produced_s for produced_s in key.produced_s[covered:until])


def _gathered(keys: Sequence[_Key]) -> Observed:
    return Observed(
        produced_s=np.array([at_s for key in keys for at_s in key.produced_s[: len(key.latency_s)]]),
        latency_s=np.array([latency_s for key in keys for latency_s in key.latency_s]),
        rows=sum(len(key.produced_s) for key in keys),
        uncovered=sum(len(key.produced_s) - len(key.latency_s) for key in keys),
        beyond=sum(key.beyond for key in keys),
    )


def messages(bootstrap: str, topic: str) -> Iterator[Message]:
    """All messages that are in the topic now, each partition in its order."""
    ends = {partition: end for partition, end in end_offsets(bootstrap, topic).items() if end > 0}
    consumer = Consumer(
        {"bootstrap.servers": bootstrap, "group.id": "penstock-observer", "enable.auto.commit": False, "log_level": 0}
    )
    try:
        consumer.assign([TopicPartition(topic, partition, 0) for partition in ends])
        at = dict.fromkeys(ends, 0)
        news_s = time.monotonic()
        while any(at[partition] < end for partition, end in ends.items()):
            # It waits for the whole of its time unless there are so many, so that time must be short.
            found = consumer.consume(_AT_ONCE, timeout=_LOOK_EVERY_S)
            news_s = time.monotonic() if found else news_s
            if time.monotonic() - news_s > _READ_WITHIN_S:
                raise EngineError(f"{topic}: nothing came within {_READ_WITHIN_S:.0f} s, though there is more")
            for message in found:
                error = message.error()
                if error is not None:
                    raise EngineError(f"{topic} cannot be read: {error.str()}")
                at[message.partition() or 0] = (message.offset() or 0) + 1
                yield message
    finally:
        consumer.close()
