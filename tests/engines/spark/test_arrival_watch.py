"""Brokers are asked for all queries at once; what one topic is refused for is the affair of who reads it."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

import pytest

from penstock.engines.spark.jvm.kafka_sources import ArrivalWatch, BrokerTopics
from penstock.errors import EngineError

BROKER = "broker:9092"
FORBIDDEN = "the broker at broker:9092 does not say: the login may not see the topics"
SHOP = {name: (BrokerTopics(BROKER, (name,)),) for name in ("clicks", "fraud")} | {
    "joined": (BrokerTopics(BROKER, ("clicks",)), BrokerTopics(BROKER, ("orders",)))
}


class Broker:
    """Each topic has had ten rows; some are forbidden."""

    def __init__(self, forbidden: set[str]) -> None:
        self.forbidden = forbidden
        self.asked: list[list[str]] = []

    def read_each(self, topics: Sequence[str]) -> Mapping[str, Mapping[int, int] | EngineError]:
        self.asked.append(list(topics))
        return {topic: EngineError(FORBIDDEN) if topic in self.forbidden else {0: 4, 1: 6} for topic in topics}

    def close(self) -> None: ...


class Query:
    """One that runs."""

    def __init__(self, name: str) -> None:
        self.name = self.runId = name


def watching(broker: Broker) -> ArrivalWatch:
    watch = ArrivalWatch()
    watch._brokers[BROKER, None] = broker
    watch._sources.update(SHOP)
    return watch


def read(watch: ArrivalWatch) -> dict[str, float]:
    return watch.read(cast(Any, {name: Query(name) for name in SHOP}))


def test_a_forbidden_topic_leaves_only_its_readers_arrivals_unknown_and_it_is_said_whose(
    caplog: pytest.LogCaptureFixture,
) -> None:
    assert read(watching(Broker({"orders"}))) == {"clicks": 10.0, "fraud": 10.0}
    (told,) = caplog.messages
    assert told == (
        "query joined: arrivals are not known this round, and are from batches alone until they are: " + FORBIDDEN
    )


def test_a_topic_that_was_refused_is_not_asked_for_each_round_and_said_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    broker = Broker({"orders"})
    watch = watching(broker)
    read(watch), read(watch)
    assert broker.asked == [["clicks", "fraud", "orders"], ["clicks", "fraud"]]
    watch._away_until_s.clear()
    read(watch)
    assert (broker.asked[-1], len(caplog.messages)) == (["clicks", "fraud", "orders"], 1)


def test_once_it_may_be_seen_all_is_known() -> None:
    broker = Broker({"orders"})
    watch = watching(broker)
    read(watch)
    broker.forbidden.clear()
    watch._away_until_s.clear()
    assert read(watch) == {"clicks": 10.0, "fraud": 10.0, "joined": 20.0}
