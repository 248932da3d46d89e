"""What queries read from Kafka, and how many rows its topics were given: asked of the broker, not of the query.

A batch's progress says what had arrived when the batch began. The broker knows now, however long a batch takes.
"""

import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Any, Protocol

from py4j.protocol import Py4JError
from pyspark.sql.streaming.query import StreamingQuery

from penstock.engines.hand import Awaited
from penstock.engines.spark.jvm.askers import Asker
from penstock.engines.spark.jvm.kafka_admin import BrokerAdmin, Login, login_of
from penstock.engines.spark.jvm.private_fields import value_of
from penstock.engines.spark.told.said_once import SaidOnce
from penstock.errors import EngineError, GoverningEndsError
from penstock.extras import MissingExtraError, check_extra

_ASKED_FOR_S = 2.0  # a broker that is away must not hold up the round
_LATE_S = 0.5  # whoever asks it says so by then, unless that hangs too
_RESTS_FOR_S = 10.0  # nor every round
_NOT_KNOWN = "arrivals are not known this round, and are from batches alone until they are"
_CLASS = "org.apache.spark.sql.kafka010.KafkaMicroBatchStream"
BOOTSTRAP = "kafka.bootstrap.servers"

Address = tuple[str, Login | None]
_Ends = Mapping[str, Mapping[int, int] | EngineError]

_log = logging.getLogger("penstock.spark")


@dataclass(frozen=True, slots=True)
class BrokerTopics:
    """One source of a query: where its broker listens, and its topics.

    `login` is what the broker wants beside its address.
    """

    bootstrap: str
    topics: tuple[str, ...]
    login: Login | None = None

    @property
    def broker(self) -> Address:
        """Who is asked."""
        return self.bootstrap, self.login


class AskedBroker(Protocol):
    """Says where topics end; an EngineError where it says nothing at all."""

    def read_each(self, topics: Sequence[str]) -> _Ends:
        """By topic: by partition the offset of the next row, or why that is not known of this one."""

    def close(self) -> None:
        """Let go of the connection."""


@dataclass(frozen=True, slots=True)
class _BrokerAsked:
    """One broker, about the topics of these sources."""

    broker: Address
    here: Sequence[BrokerTopics]
    answer: Awaited[_Ends]

    def ends(self, within_s: float) -> _Ends:
        """What it says by then; an EngineError where it does not."""
        if not self.answer.over.wait(max(0.0, within_s)):
            raise EngineError(f"the broker at {self.broker[0]} did not answer within {_ASKED_FOR_S:g} s")
        return self.answer.result()


def kafka_sources(query: StreamingQuery) -> tuple[BrokerTopics, ...] | None:
    """What the query reads; None while that is not known, or where not all of it is topics that can be asked for."""
    sources = list(streams(query))
    found = tuple(source for source in map(_kafka_source, sources) if source is not None)
    return found if found and len(found) == len(sources) else None


class ArrivalWatch:
    """Asks the brokers how many rows each query's topics were ever given: all at once, for an outage is one of many.

    Each login, and each spelling of an address, is a broker of its own here.
    """

    def __init__(self) -> None:
        self._away_until_s: dict[Address | BrokerTopics, float] = {}
        self._brokers: dict[Address, AskedBroker] = {}
        self._askers: dict[Address, Asker[_Ends]] = {}
        self._sources: dict[str, tuple[BrokerTopics, ...]] = {}
        self._said = SaidOnce()

    def read(self, queries: Mapping[str, StreamingQuery]) -> dict[str, float]:
        """Rows by the query's name; without those that read something else, or whose broker does not answer."""
        self._learn(queries.values())
        wanted = {name: self._sources[query.runId] for name, query in queries.items() if query.runId in self._sources}
        ends: dict[BrokerTopics, float | EngineError] = {}
        all_sources = {source for sources in wanted.values() for source in sources}
        self._let_go({source.broker for source in all_sources})
        asked = list(self._asked(all_sources))
        until_s = time.monotonic() + _ASKED_FOR_S + _LATE_S
        for one in asked:
            ends.update(self._told(one, until_s - time.monotonic()))
        found = {name: self._rows(name, [ends.get(source) for source in of]) for name, of in wanted.items()}
        return {name: rows for name, rows in found.items() if rows is not None}

    def _rows(self, name: str, ends: list[float | EngineError | None]) -> float | None:
        """Of one query; where its own topics are not told of, that is said of it and is nobody else's affair."""
        for end in ends:
            if isinstance(end, EngineError):
                self._not_known(name, end)
        known = [end for end in ends if isinstance(end, float)]
        if len(known) < len(ends):
            return None
        self._said.well(name)
        return sum(known)

    def _not_known(self, name: str, why: EngineError) -> None:
        self._said.warn(name, f"query {name}: {_NOT_KNOWN}", why)

    def _learn(self, queries: Any) -> None:
        running = {query.runId: query for query in queries}
        self._sources = {run_id: found for run_id, found in self._sources.items() if run_id in running}
        for run_id in running.keys() - self._sources.keys():
            query = running[run_id]
            try:
                found = kafka_sources(query)
            except GoverningEndsError:
                raise
            except EngineError as error:  # the other queries' are known
                self._not_known(query.name, error)
                continue
            if found is not None:
                self._sources[run_id] = found

    def _let_go(self, wanted: set[Address]) -> None:
        """Of brokers from which nobody reads any more."""
        for gone in self._brokers.keys() - wanted:
            self._brokers.pop(gone).close()
        self._askers = {broker: asker for broker, asker in self._askers.items() if broker in wanted}

    def _asked(self, sources: set[BrokerTopics]) -> Iterator[_BrokerAsked]:
        """Of each broker once, without those that rest or still owe an answer."""
        wanted = [source for source in sources if not self._rests(source) and not self._rests(source.broker)]
        for broker in sorted({source.broker for source in wanted}, key=_by_name):
            here = [source for source in wanted if source.broker == broker]
            asker = self._askers.setdefault(broker, Asker())
            if not asker.waits:
                yield _BrokerAsked(broker, here, asker.ask(partial(self._read, broker, here)))

    def _read(self, broker: Address, here: Sequence[BrokerTopics]) -> _Ends:
        return self._broker(broker).read_each(sorted({topic for source in here for topic in source.topics}))

    def _told(self, asked: _BrokerAsked, within_s: float) -> dict[BrokerTopics, float | EngineError]:
        broker = asked.broker
        try:
            ends = asked.ends(within_s)
        except MissingExtraError as error:
            _log.warning("what arrives at %s is known from each batch only: %s", broker[0], error)
            self._away_until_s[broker] = inf
            return {}
        except EngineError as error:
            self._said.warn(broker, _NOT_KNOWN, error)
            self._rest(broker)
            return {}
        self._said.well(broker)
        found = {source: _end([ends[topic] for topic in source.topics]) for source in asked.here}
        for source, end in found.items():
            if isinstance(end, EngineError):
                self._rest(source)
        return found

    def _rests(self, who: Address | BrokerTopics) -> bool:
        return time.monotonic() < self._away_until_s.get(who, -inf)

    def _rest(self, who: Address | BrokerTopics) -> None:
        self._away_until_s[who] = time.monotonic() + _RESTS_FOR_S

    def _broker(self, broker: Address) -> AskedBroker:
        if broker not in self._brokers:
            self._brokers[broker] = broker_at(*broker, within_s=_ASKED_FOR_S)
        return self._brokers[broker]


def broker_at(bootstrap: str, login: Login | None, within_s: float) -> AskedBroker:
    """Whoever can ask it: the JVM's client where it wants a login, else the extra's, which costs the driver less."""
    if login is not None:
        return BrokerAdmin(bootstrap, login, within_s)
    check_extra("kafka")
    from penstock.engines.kafka.offsets import TopicEnds

    return TopicEnds(bootstrap, within_s)


def _end(topics: list[Mapping[int, int] | EngineError]) -> float | EngineError:
    """Rows that all of them were ever given; or why that is not known."""
    rows = 0.0
    for topic in topics:
        if isinstance(topic, EngineError):
            return topic
        rows += sum(topic.values())
    return rows


def _by_name(broker: Address) -> tuple[str, int]:
    bootstrap, login = broker
    return bootstrap, 0 if login is None else login.mark


def streams(query: StreamingQuery) -> Iterator[Any]:
    """The sources as the query's execution holds them; none before its first trigger."""
    jsq: Any = query._jsq
    try:
        keys = jsq.streamingQuery().uniqueSources().keysIterator()
        while keys.hasNext():
            yield keys.next()
    except Py4JError as error:  # a query of another kind has no such list
        _log.debug("the sources of %s are not known: %s", query.name, error)


def _kafka_source(stream: Any) -> BrokerTopics | None:
    options = options_of(stream)
    topics = None if options is None else options.get("subscribe")
    if topics is None:  # a pattern's topics may change
        return None
    bootstrap = options.get(BOOTSTRAP)
    return BrokerTopics(bootstrap, tuple(sorted(topic.strip() for topic in topics.split(","))), login_of(options))


def options_of(stream: Any) -> Any:
    """Those of a Kafka source, as a map in the JVM; None for any other."""
    if stream.getClass().getName() != _CLASS:
        return None
    return value_of(stream, "options")
