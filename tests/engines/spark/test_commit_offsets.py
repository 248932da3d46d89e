"""What queries have read is at the broker after each batch, and a broker that does not take it stops none of them."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from threading import Event
from typing import Any

import pytest
from confluent_kafka import Consumer
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

import penstock as ps
from penstock.errors import EngineError
from tests.engines.spark.committed import committed
from tests.engines.spark.kafka_jobs import passing, read, send
from tests.patience import eventually
from tests.real_kafka import PARTITIONS


@contextmanager
def running(spark: SparkSession, kafka: str, topic: str, name: str) -> Iterator[StreamingQuery]:
    query = passing(kafka, topic)(spark).queryName(name).start()
    yield query
    query.stop()


def test_the_groups_offsets_are_at_the_broker_after_each_batch(
    spark: SparkSession, kafka: str, topic: str, name: str
) -> None:
    def reached(rows: int) -> bool:
        return committed(kafka, f"shop-{name}", topic, PARTITIONS) == rows

    with ps.commit_offsets(spark, "shop-{query}"), running(spark, kafka, topic, name):
        for rows in (100, 150):
            send(kafka, topic, 50 if rows > 100 else 100)
            eventually(partial(reached, rows))


def test_a_query_that_runs_already_and_one_that_ends_at_once_are_committed_too(
    spark: SparkSession, kafka: str, topic: str, name: str
) -> None:
    send(kafka, topic, 70)
    with running(spark, kafka, topic, name) as query:
        eventually(lambda: query.lastProgress)
        with ps.commit_offsets(spark, f"{name}-all"):
            eventually(lambda: committed(kafka, f"{name}-all", topic, PARTITIONS) == 70)
    with ps.commit_offsets(spark, "once-{query}"):
        writer = read(spark, kafka, topic).writeStream.format("noop").trigger(availableNow=True)
        writer.queryName(name).start().awaitTermination()
    assert committed(kafka, f"once-{name}", topic, PARTITIONS) == 70  # closing waits for it


def test_a_broker_that_does_not_answer_slows_no_query(spark: SparkSession, kafka: str, topic: str, name: str) -> None:
    with ps.commit_offsets(spark, name) as commits, running(spark, kafka, topic, name) as query:
        send(kafka, topic, 10)
        eventually(lambda: committed(kafka, name, topic, PARTITIONS) == 10)
        (address,) = commits._known.addresses
        answers = commits._admins.at(address)
        with silent() as broker:  # its thread waits for that one now
            commits._admins._admins[address] = broker
            for _ in range(2):
                before = batch(query)
                send(kafka, topic, 10)
                eventually(partial(has_gone_on, query, before))
            eventually(lambda: broker.asked)
            assert (broker.asked, committed(kafka, name, topic, PARTITIONS)) == (1, 10)
        answers.close()


def batch(query: StreamingQuery) -> int:
    progress = query.lastProgress
    assert progress is not None
    return int(progress["batchId"])


def has_gone_on(query: StreamingQuery, before: int) -> bool:
    return batch(query) > before


class Silent:
    """A broker that takes a question and does not answer."""

    def __init__(self) -> None:
        self.asked = 0
        self.goes_on = Event()

    def commit(self, group: str, offsets: object) -> None:
        self.asked += 1
        self.goes_on.wait()
        raise EngineError("it did not answer in time")

    def close(self) -> None:
        pass


@contextmanager
def silent() -> Iterator[Any]:
    broker = Silent()
    try:
        yield broker
    finally:
        broker.goes_on.set()


def test_a_group_that_somebody_consumes_with_is_left_to_them(
    spark: SparkSession, kafka: str, topic: str, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    member = Consumer({"bootstrap.servers": kafka, "group.id": name, "log_level": 0})
    member.subscribe([topic])
    eventually(lambda: member.poll(0.1) is None and member.assignment())
    with caplog.at_level(logging.WARNING), ps.commit_offsets(spark, name), running(spark, kafka, topic, name) as query:
        send(kafka, topic, 10)
        told = (
            f"offsets of group {name} are not committed, and will be once that is mended: the broker at {kafka} does "
        )
        told += "not say: somebody consumes with this group; name another, for nobody else to use"
        eventually(lambda: told in caplog.text)
        assert query.isActive
    member.close()


def test_a_group_has_a_name(spark: SparkSession) -> None:
    with pytest.raises(ps.ConfigError, match=r"group: ' ' cannot be used; name a consumer group, such as shop-{query}"):
        ps.commit_offsets(spark, " ")
