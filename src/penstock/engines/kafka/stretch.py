"""A stretch of a topic as it lies at its broker: the last rows, so many seconds back."""

import time
from collections.abc import Iterator
from dataclasses import dataclass

from confluent_kafka import Consumer, KafkaException, Message, TopicPartition

from penstock.engines.kafka.offsets import end_offsets
from penstock.errors import EngineError

_ANSWERS_WITHIN_S = 20.0
_NEWS_WITHIN_S = 30.0
_WAITS_S = 0.2  # a consumer waits for the whole of its time unless there are so many
_AT_ONCE = 10_000


@dataclass(frozen=True, slots=True)
class TopicRow:
    """A row and its place in time."""

    partition: int
    key: bytes | None
    value: bytes
    at_ms: int


def last_rows(bootstrap: str, topic: str, seconds: float) -> list[TopicRow]:
    """The rows of the last so many seconds, in the order of their timestamps."""
    ends = {partition: end for partition, end in end_offsets(bootstrap, topic).items() if end > 0}
    settings: dict[str, str | int | float | bool] = {
        "bootstrap.servers": bootstrap,
        "group.id": "penstock-recording",
        "enable.auto.commit": False,
        "log_level": 0,
    }
    consumer = Consumer(settings)
    try:
        starts = _starts(consumer, topic, ends, round((time.time() - seconds) * 1000))
        found = list(_rows(consumer, topic, starts, ends))
    except KafkaException as error:
        raise EngineError(f"{topic} at {bootstrap} cannot be read: {error.args[0].str()}") from None
    finally:
        consumer.close()
    return sorted(found, key=lambda row: row.at_ms)


def _starts(consumer: Consumer, topic: str, ends: dict[int, int], at_ms: int) -> dict[int, int]:
    asked = [TopicPartition(topic, partition, at_ms) for partition in ends]
    found = consumer.offsets_for_times(asked, timeout=_ANSWERS_WITHIN_S)
    # Where nothing is so young, the answer is the end.
    return {place.partition: ends[place.partition] if place.offset < 0 else place.offset for place in found}


def _rows(consumer: Consumer, topic: str, starts: dict[int, int], ends: dict[int, int]) -> Iterator[TopicRow]:
    at = {partition: start for partition, start in starts.items() if start < ends[partition]}
    if not at:
        return
    consumer.assign([TopicPartition(topic, partition, start) for partition, start in at.items()])
    news_s = time.monotonic()
    while any(at[partition] < ends[partition] for partition in at):
        found = consumer.consume(_AT_ONCE, timeout=_WAITS_S)
        news_s = time.monotonic() if found else news_s
        if time.monotonic() - news_s > _NEWS_WITHIN_S:
            raise EngineError(f"{topic}: nothing came within {_NEWS_WITHIN_S:.0f} s, though there is more")
        for message in found:
            row = _row(message, topic)
            at[row.partition] = (message.offset() or 0) + 1
            if (message.offset() or 0) < ends[row.partition]:
                yield row


def _row(message: Message, topic: str) -> TopicRow:
    error = message.error()
    if error is not None:
        raise EngineError(f"{topic} cannot be read: {error.str()}")
    key, value = message.key(), message.value()
    return TopicRow(
        partition=message.partition() or 0,
        key=_bytes(key),
        value=_bytes(value) or b"",
        at_ms=message.timestamp()[1],
    )


def _bytes(value: str | bytes | None) -> bytes | None:
    return value.encode() if isinstance(value, str) else value
