"""Making and removing topics at a broker that stands still."""

from concurrent.futures import Future

import pytest
from confluent_kafka import KafkaError, KafkaException

from penstock.engines.kafka import topics
from penstock.engines.kafka.topics import _done
from penstock.errors import EngineError

THERE = KafkaError.TOPIC_ALREADY_EXISTS


def test_a_broker_that_stands_still_in_between_is_told_by_what_it_was_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(topics, "_MADE_WITHIN_S", 0.0)
    with pytest.raises(EngineError, match="the topic ads could not be made: no answer came within 0 s"):
        _done(Future(), THERE, "the topic ads could not be made")


def test_what_is_so_already_is_no_error_and_anything_else_is() -> None:
    there, refused = Future[None](), Future[None]()
    there.set_exception(KafkaException(KafkaError(THERE)))
    refused.set_exception(KafkaException(KafkaError(KafkaError.TOPIC_AUTHORIZATION_FAILED)))
    _done(there, THERE, "the topic ads could not be made")
    with pytest.raises(EngineError, match="the topic ads could not be made: "):
        _done(refused, THERE, "the topic ads could not be made")
