"""One real Kafka broker for all tests that want one."""

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from penstock.engines.kafka.topics import make_topics
from penstock.local.kafka import broker
from tests.harness.ports import own_port
from tests.patience import patiently

PARTITIONS = 2


@pytest.fixture(scope="session")
def kafka_state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The state file of a broker that runs."""
    state = tmp_path_factory.mktemp("kafka") / "kafka.json"
    patiently(broker)
    broker.up(state, port=own_port(), partitions=PARTITIONS)
    yield state
    broker.down(state)


@pytest.fixture(scope="session")
def kafka(kafka_state: Path) -> str:
    """Where the broker listens."""
    found = broker.status(kafka_state)
    assert found is not None
    return found.bootstrap


@pytest.fixture
def topic(kafka: str) -> str:
    """A topic of this test's own, there and empty."""
    name = f"topic_{uuid.uuid4().hex[:8]}"
    make_topics(kafka, [name], PARTITIONS)
    return name
