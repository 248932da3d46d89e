"""A broker on loopback: up, used, killed, up again with its records, and down to the last process."""

import os
import signal
import sys
from pathlib import Path

import pytest
from confluent_kafka import OFFSET_BEGINNING, Consumer, Producer, TopicPartition

from penstock.errors import ConfigError, EngineError
from penstock.local import processes
from penstock.local.kafka import broker
from penstock.local.processes import Process
from tests.harness.ports import own_port
from tests.patience import patience_s, patiently


def sent(bootstrap: str, topic: str, value: bytes) -> None:
    producer = Producer({"bootstrap.servers": bootstrap, "log_level": 0})
    producer.produce(topic, value, partition=0)
    assert producer.flush(patience_s()) == 0


def first(bootstrap: str, topic: str) -> bytes | None:
    """The first record of its first partition; no group of readers must be formed for it."""
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "test", "auto.offset.reset": "earliest"})
    consumer.assign([TopicPartition(topic, 0, OFFSET_BEGINNING)])
    message = consumer.poll(patience_s())
    consumer.close()
    return None if message is None else message.value()


def test_a_topic_is_made_on_demand(kafka: str) -> None:
    sent(kafka, "on_demand", b"hello")
    assert first(kafka, "on_demand") == b"hello"


def test_a_second_broker_in_the_same_state_file_is_refused(kafka_state: Path) -> None:
    with pytest.raises(EngineError, match="a broker runs already"):
        broker.up(kafka_state, port=own_port())


def test_a_port_that_is_taken_is_refused(kafka: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="the port is in use"):
        broker.up(tmp_path / "kafka.json", port=int(kafka.rpartition(":")[2]))


@pytest.mark.jvm
def test_a_broker_that_was_killed_comes_back_with_its_records_and_goes_down_whole(tmp_path: Path) -> None:
    state = tmp_path / "kafka.json"
    patiently(broker)
    started = broker.up(state, port=own_port())
    assert started.process is not None
    sent(started.bootstrap, "kept", b"precious")
    processes.send(started.process, signal.SIGKILL)
    processes.wait(lambda: not started.alive, patience_s(), "the broker did not die")
    processes.wait(lambda: not processes.listens(started.port), patience_s(), "its port was not given back")
    again = broker.up(state)
    assert processes.found_by("broker", str(again.properties)) == (again.process,)
    assert first(again.bootstrap, "kept") == b"precious"
    assert broker.down(state) == again.process
    assert not again.alive
    assert list(tmp_path.iterdir()) == []
    assert broker.down(state) is None


def test_a_broker_whose_starter_died_before_it_was_noted_is_ended_too(tmp_path: Path) -> None:
    state = tmp_path / "kafka.json"
    planned = broker.Broker(1024, 1025, 1, tmp_path / "place")
    broker._file(state).write(planned)  # and here it died; a broker's command line ends with its settings
    command = [sys.executable, "-c", "import time; time.sleep(600)", str(planned.properties)]
    started = processes.start("broker", command, tmp_path / "log", {})
    broker.down(state)
    assert not started.alive


def test_a_process_that_only_has_the_same_number_is_left_alone(tmp_path: Path) -> None:
    state = tmp_path / "kafka.json"
    broker._file(state).write(broker.Broker(1024, 1025, 1, tmp_path / "gone", Process("broker", os.getpid(), ticks=1)))
    assert broker.down(state) is None


def test_a_file_that_is_no_state_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("buy milk")
    with pytest.raises(ConfigError, match="no broker's state file"):
        broker.status(tmp_path / "notes")
