"""Brokers are asked for all queries at once; what one topic is refused for is the affair of who reads it."""

from collections.abc import Callable, Mapping, Sequence
from threading import Barrier, Event, Thread, current_thread
from typing import Any, cast

import pytest

from penstock.engines.spark.jvm.askers import Asker
from penstock.engines.spark.jvm.kafka_sources import ArrivalWatch, BrokerTopics
from penstock.errors import EngineError
from tests.patience import eventually, patience_s

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


class Waiting(Broker):
    """Answers once the others are asked as well, or once a test lets it."""

    def __init__(self, awaits: Callable[[], object]) -> None:
        super().__init__(set())
        self.awaits = awaits

    def read_each(self, topics: Sequence[str]) -> Mapping[str, Mapping[int, int] | EngineError]:
        self.asked.append(list(topics))
        self.awaits()
        return {topic: {0: 4, 1: 6} for topic in topics}


def test_brokers_that_are_away_are_waited_for_together_and_not_one_after_the_other() -> None:
    # One outage is that of all logins, and of all spellings of an address: a dozen took 24 s of a round's 19 s.
    all_asked, watch = Barrier(12), ArrivalWatch()
    for number in range(12):
        watch._brokers[f"broker-{number}", None] = Waiting(lambda: all_asked.wait(patience_s()))
        watch._sources[str(number)] = (BrokerTopics(f"broker-{number}", ("clicks",)),)
    assert watch.read(cast(Any, {name: Query(name) for name in watch._sources})) == dict.fromkeys(watch._sources, 10.0)


def test_a_broker_that_hangs_leaves_the_others_known_and_is_not_asked_again_while_it_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    let_go = Event()
    hangs, answers, watch = Waiting(lambda: let_go.wait(patience_s())), Broker(set()), ArrivalWatch()
    watch._brokers.update({("away", None): hangs, ("here", None): answers})
    watch._sources.update({"a": (BrokerTopics("away", ("clicks",)),), "b": (BrokerTopics("here", ("clicks",)),)})

    def known() -> dict[str, float]:
        watch._away_until_s.clear()
        return watch.read(cast(Any, {name: Query(name) for name in watch._sources}))

    monkeypatch.setattr("penstock.engines.spark.jvm.kafka_sources._ASKED_FOR_S", 0.0)
    for _ in range(2):
        eventually(lambda: known() == {"b": 10.0})
    assert len(hangs.asked) == 1
    let_go.set()
    eventually(lambda: known() == {"a": 10.0, "b": 10.0})


def test_a_thread_that_asks_ends_with_who_has_it_ask() -> None:
    asker = Asker[Thread]()
    answer = asker.ask(current_thread)
    assert answer.over.wait(patience_s())
    thread = answer.result()
    del asker
    thread.join(patience_s())
    assert not thread.is_alive()
