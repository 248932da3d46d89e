"""What queries read from Kafka, and how many rows its topics were given: asked of the broker, not of the query.

A batch's progress says what had arrived when the batch began. The broker knows now, however long a batch takes.
"""

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JError
from pyspark.sql.streaming.query import StreamingQuery

from penstock.errors import EngineError
from penstock.extras import MissingExtraError, check_extra

if TYPE_CHECKING:
    from penstock.engines.kafka.offsets import TopicEnds

_ASKED_FOR_S = 2.0  # a broker that is away must not hold up the round
_RESTS_FOR_S = 10.0  # nor every round
_CLASS = "org.apache.spark.sql.kafka010.KafkaMicroBatchStream"

_log = logging.getLogger("penstock.spark")


@dataclass(frozen=True, slots=True)
class BrokerTopics:
    """One source of a query: where its broker listens, and its topics."""

    bootstrap: str
    topics: tuple[str, ...]


def kafka_sources(query: StreamingQuery) -> tuple[BrokerTopics, ...] | None:
    """What the query reads; None while that is not known, or where not all of it is topics that can be asked for."""
    sources = list(_streams(query))
    found = tuple(source for source in map(_kafka_source, sources) if source is not None)
    return found if found and len(found) == len(sources) else None


class ArrivalWatch:
    """Asks the brokers how many rows each query's topics were ever given."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._away_until_s: dict[str, float] = {}
        self._brokers: dict[str, TopicEnds] = {}
        self._sources: dict[str, tuple[BrokerTopics, ...]] = {}

    def read(self, queries: Mapping[str, StreamingQuery]) -> dict[str, float]:
        """Rows by the query's name; without those that read something else, or whose broker does not answer."""
        self._learn(queries.values())
        wanted = {name: self._sources[query.runId] for name, query in queries.items() if query.runId in self._sources}
        ends: dict[BrokerTopics, float] = {}
        for bootstrap in sorted({source.bootstrap for sources in wanted.values() for source in sources}):
            ends.update(self._ask(bootstrap, {s for sources in wanted.values() for s in sources}))
        return {
            name: sum(ends[source] for source in sources)
            for name, sources in wanted.items()
            if all(source in ends for source in sources)
        }

    def _learn(self, queries: Any) -> None:
        running = {query.runId: query for query in queries}
        self._sources = {run_id: found for run_id, found in self._sources.items() if run_id in running}
        for run_id in running.keys() - self._sources.keys():
            found = kafka_sources(running[run_id])
            if found is not None:
                self._sources[run_id] = found

    def _ask(self, bootstrap: str, sources: set[BrokerTopics]) -> dict[BrokerTopics, float]:
        if self._clock() < self._away_until_s.get(bootstrap, -inf):
            return {}
        here = [source for source in sources if source.bootstrap == bootstrap]
        try:
            broker = self._broker(bootstrap)
            ends = broker.read(sorted({topic for source in here for topic in source.topics}))
        except MissingExtraError as error:
            _log.warning("what arrives at %s is known from each batch only: %s", bootstrap, error)
            self._away_until_s[bootstrap] = inf
            return {}
        except EngineError as error:
            _log.warning("arrivals are not known this round: %s", error)
            self._away_until_s[bootstrap] = self._clock() + _RESTS_FOR_S
            return {}
        return {source: float(sum(sum(ends[topic].values()) for topic in source.topics)) for source in here}

    def _broker(self, bootstrap: str) -> "TopicEnds":
        if bootstrap not in self._brokers:
            check_extra("kafka")
            from penstock.engines.kafka.offsets import TopicEnds  # the client is an extra's

            self._brokers[bootstrap] = TopicEnds(bootstrap, _ASKED_FOR_S)
        return self._brokers[bootstrap]


def _streams(query: StreamingQuery) -> Iterator[Any]:
    """The sources as the query's execution holds them; none before its first trigger."""
    jsq: Any = query._jsq
    try:
        keys = jsq.streamingQuery().uniqueSources().keysIterator()
        while keys.hasNext():
            yield keys.next()
    except Py4JError as error:  # a query of another kind has no such list
        _log.debug("the sources of %s are not known: %s", query.name, error)


def _kafka_source(stream: Any) -> BrokerTopics | None:
    if stream.getClass().getName() != _CLASS:
        return None
    field = stream.getClass().getDeclaredField("options")
    field.setAccessible(True)
    options = field.get(stream)
    bootstrap, topics = options.get("kafka.bootstrap.servers"), options.get("subscribe")
    # A pattern's topics may change; a broker that wants credentials is not asked without them.
    if topics is None or options.get("kafka.security.protocol") is not None:
        return None
    return BrokerTopics(bootstrap, tuple(sorted(topic.strip() for topic in topics.split(","))))
