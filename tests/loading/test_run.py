"""A load on a real broker: what the account says is what the topic holds, each row once."""

import json
from collections import Counter
from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest
from confluent_kafka import Producer
from observer import messages

from penstock.loading.keys import KeySettings
from penstock.loading.report import LoadReport
from penstock.loading.run import Load, run_load
from penstock.loading.schedule import Schedule
from penstock.workloads.rates import constant, spike
from tests.patience import patience_s


def records(bootstrap: str, topic: str) -> list[dict[str, Any]]:
    """All JSON rows of a topic."""
    return [json.loads(message.value() or b"") for message in messages(bootstrap, topic)]


def test_every_row_of_the_account_is_in_the_topic_once(kafka: str, topic: str) -> None:
    load = Load(kafka, topic, Schedule.of(spike(1000.0, 3.0, 1, 2, 3)), KeySettings(keys=50, zipf=1.0))
    report = run_load(load)
    found = records(kafka, topic)
    assert report.delivered == report.asked == 5000
    assert sorted(row["id"] for row in found) == list(range(5000))
    assert Counter(row["key"] for row in found) == report.per_key
    assert sum(end - begin for begin, end in report.offsets.values()) == 5000


def test_event_times_are_those_of_the_curve(kafka: str, topic: str) -> None:
    run_load(Load(kafka, topic, Schedule.of(constant(100.0, 1)), start_ms=1_000_000))
    times = {row["id"]: row["event_ms"] for row in records(kafka, topic)}
    assert [times[number] for number in (0, 1, 99)] == [1_000_000, 1_000_010, 1_000_990]


def test_a_generator_that_cannot_keep_up_says_so_and_drops_nothing(kafka: str, topic: str) -> None:
    # A hundred million rows within the first second are more than any core sends.
    said: list[str] = []
    load = Load(kafka, topic, Schedule.of(constant(1e8, 1)))
    report: LoadReport = run_load(load, stop=lambda: bool(said), tell=said.append)
    assert "cannot keep up" in said[0]
    assert not report.kept_up
    assert sum(end - begin for begin, end in report.offsets.values()) == report.delivered == report.sent


@pytest.fixture
def client_broker() -> Iterator[str]:
    """A broker inside Kafka's client: it takes rows and starts at once."""
    inside = Producer({"bootstrap.servers": "nowhere:1", "test.mock.num.brokers": 1, "log_level": 0})
    (broker,) = inside.list_topics(timeout=patience_s()).brokers.values()
    inside.list_topics("rows", timeout=patience_s())
    yield f"{broker.host}:{broker.port}"
    inside.flush()  # it lives until now


def test_rows_that_are_due_within_the_linger_leave_together(client_broker: str) -> None:
    looks = count()
    load = Load(client_broker, "rows", Schedule.of(constant(200.0, 1)), linger_s=0.25)
    report = run_load(load, stop=lambda: next(looks) < 0)
    assert report.delivered == 200
    assert next(looks) <= 8  # at 0, 0.25, ... 1 s, and a look or two at the ends; slower machines look less often
