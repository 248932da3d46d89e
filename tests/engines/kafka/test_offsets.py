"""Where topics end, asked of a broker that librdkafka plays itself."""

from collections.abc import Iterator

import pytest
from confluent_kafka import Producer

from penstock.engines.kafka.offsets import TopicEnds
from penstock.errors import EngineError
from tests.patience import patience_s


@pytest.fixture
def bootstrap() -> Iterator[str]:
    """A broker with topics `ads` and `cars`, of one row each."""
    within = Producer({"bootstrap.servers": "its own", "test.mock.num.brokers": 1, "log_level": 0})
    for topic in ("ads", "cars"):
        within.produce(topic, b"row")
    within.flush(patience_s())
    (broker,) = within.list_topics(timeout=patience_s()).brokers.values()
    yield f"{broker.host}:{broker.port}"
    within.purge()  # until now it has the broker


def test_a_topic_that_was_made_anew_with_fewer_partitions_keeps_nobody_elses_ends_unknown(bootstrap: str) -> None:
    ends = TopicEnds(bootstrap, patience_s())
    ends._partitions["cars"] = (0, 99)
    found = ends.read_each(["ads", "cars"])
    assert not isinstance(found["ads"], EngineError)
    assert sum(found["ads"].values()) == 1
    assert "Unknown partition" in str(found["cars"])
    assert sum(ends.read(["cars"])["cars"].values()) == 1  # its partitions were asked for anew


def test_who_asks_for_all_is_told_why_one_is_not_known(bootstrap: str) -> None:
    ends = TopicEnds(bootstrap, patience_s())
    ends._partitions["cars"] = (99,)
    with pytest.raises(EngineError, match=r"does not say: .*Unknown partition"):
        ends.read(["ads", "cars"])
