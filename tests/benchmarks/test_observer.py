"""Latency as a reader of the topics sees it."""

import pytest
from confluent_kafka import Producer
from observer import count, each, make_timed_topic, observe

from penstock.engines.kafka.topics import make_topics
from penstock.errors import EngineError
from tests.patience import patience_s


def write(bootstrap: str, topic: str, *rows: tuple[str, str]) -> None:
    producer = Producer({"bootstrap.servers": bootstrap, "log_level": 0})
    for key, value in rows:
        producer.produce(topic, value, key)
    assert producer.flush(patience_s()) == 0


def test_each_result_covers_the_next_row_of_its_key(kafka: str, topic: str) -> None:
    make_timed_topic(kafka, f"{topic}_out", 2)
    write(kafka, topic, ("a", "1"), ("b", "1"), ("a", "2"))
    write(kafka, f"{topic}_out", ("a", "x"), ("b", "x"))
    seen = observe(kafka, topic, f"{topic}_out", each)
    assert (seen.rows, seen.uncovered, seen.beyond) == (3, 1, 0)
    assert len(seen.latency_s) == 2
    assert seen.latency_s.min() >= 0


def test_a_running_count_covers_all_rows_up_to_it_and_more_than_there_were_is_told(kafka: str, topic: str) -> None:
    make_timed_topic(kafka, f"{topic}_out", 1)
    write(kafka, topic, *[("a", "row")] * 5)
    write(kafka, f"{topic}_out", ("a", "3"), ("a", "3"), ("a", "5"), ("a", "6"))
    seen = observe(kafka, topic, f"{topic}_out", count)
    assert (seen.rows, seen.uncovered, seen.beyond) == (5, 0, 1)


def test_a_target_that_does_not_say_when_rows_were_appended_is_refused(kafka: str, topic: str) -> None:
    make_topics(kafka, [f"{topic}_out"], 1)
    write(kafka, f"{topic}_out", ("a", "1"))
    with pytest.raises(EngineError, match="not those of appending"):
        observe(kafka, topic, f"{topic}_out", count)
