"""A broker asked by Kafka's own Java client in the driver, with the very options of a query's source.

So whatever Spark can log in with (SCRAM, OAuth, certificates, stores of Java's), penstock can, and nothing is to be
said twice. The options never leave the driver's JVM: what Python does not have, no log, record or page of it can show.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from typing import Any, TypeVar

from py4j.protocol import Py4JError, Py4JJavaError, Py4JNetworkError
from pyspark import SparkContext

from penstock.errors import ApplicationGoneError, EngineError

_PREFIX = "kafka."
_PROTOCOL = f"{_PREFIX}security.protocol"
# What an admin's client knows, too, of what a consumer is told.
_OF_CLIENTS = ("bootstrap.servers", "security.", "sasl.", "ssl.", "client.dns", "config.providers")
_LEAST_MS = 50
# What one topic is refused for while the broker is well: the innermost kinds, of those below.
_OF_ONE_TOPIC = ("UnknownTopicOrPartitionException", "TopicAuthorizationException", "InvalidTopicException")
_NUMBERS = count(1)  # two clients of one name are a warning in the driver's log
_Asked = TypeVar("_Asked")
_Told = TypeVar("_Told")
# By the kind of the innermost error that is known: what is wrong, and the options or the right that mend it.
_TELL = {
    "SaslAuthenticationException": "it refuses the login; mend kafka.sasl.jaas.config of the query's source",
    "UnsupportedSaslMechanismException": "it has no such login; write one that it has in kafka.sasl.mechanism",
    "SslAuthenticationException": "it and the query's source do not trust each other; mend kafka.ssl.truststore.*, and"
    " kafka.ssl.keystore.* where it wants a certificate",
    "TimeoutException": "it did not answer in time; see that it runs, and that kafka.bootstrap.servers is a listener of"
    " kafka.security.protocol",
    "ConfigException": "options of the query's source do not go together; mend kafka.security.*, kafka.sasl.* and"
    " kafka.ssl.*",
    "LoginException": "the driver cannot log in; mend kafka.sasl.jaas.config and kafka.sasl.* of the query's source",
    "NoSuchFileException": "a file is not there; mend kafka.ssl.truststore.location or kafka.ssl.keystore.location",
    "UnrecoverableKeyException": "a store has another password; mend kafka.ssl.truststore.password or"
    " kafka.ssl.keystore.password",
    "UnknownTopicOrPartitionException": "there is no such topic; make it, or mend subscribe",
    "InvalidTopicException": "no topic can have this name; mend subscribe",
    "TopicAuthorizationException": "the login may not see the topics; allow it to describe and read them",
    "GroupAuthorizationException": "the login may not commit for the group; allow it to read the group",
    "UnknownMemberIdException": "somebody consumes with this group; name another, for nobody else to use",
}


@dataclass(frozen=True, slots=True)
class Login:
    """All by which a source reaches its broker: `settings` is a map in the JVM, of which nobody here asks a value."""

    mark: int = field(repr=False)  # tells one from another
    settings: Any = field(compare=False, repr=False)


def login_to(options: Any) -> Login:
    """Of a source's options as Spark holds them; values go from one map of the JVM to another, by Kafka's own hand."""
    jvm = _jvm()
    config = jvm.org.apache.kafka.common.config
    with _told("the broker of a query's source"):
        given = config.AbstractConfig(config.ConfigDef(), options.asCaseSensitiveMap(), False)
        settings = jvm.java.util.HashMap(given.originalsWithPrefix(_PREFIX))
    for name in list(settings.keySet()):
        if not name.startswith(_OF_CLIENTS):
            settings.remove(name)
    return Login(int(settings.hashCode()), settings)


def login_of(options: Any) -> Login | None:
    """The same; None where the broker wants no more than its address."""
    return login_to(options) if options.containsKey(_PROTOCOL) else None


class BrokerAdmin:
    """Asks one broker, again and again, over one connection of the driver's JVM; `close` ends that."""

    def __init__(self, bootstrap: str, login: Login, within_s: float) -> None:
        self._who = f"the broker at {bootstrap}"
        self._jvm: Any = _jvm()
        self._within_s = within_s
        self._until_s = 0.0
        self._partitions: dict[str, tuple[int, ...]] = {}
        with _told(self._who):
            self._admin = self._jvm.org.apache.kafka.clients.admin.AdminClient.create(self._settings(login))

    def read_each(self, topics: Sequence[str]) -> Mapping[str, Mapping[int, int] | EngineError]:
        """The ends of these topics now, by partition the offset of the next row; or why that of one is not known."""
        try:
            with self._asking():
                return self._read_each(topics)
        except EngineError:
            self._partitions.clear()
            raise

    def commit(self, group: str, offsets: Mapping[str, Mapping[int, int]]) -> None:
        """Let the group have read up to here: by topic and partition the offset of its next row."""
        with self._asking():
            asked = self._jvm.java.util.HashMap()
            for topic, of_topic in offsets.items():
                for number, offset in of_topic.items():
                    reached = self._jvm.org.apache.kafka.clients.consumer.OffsetAndMetadata(offset)
                    asked.put(self._place(topic, number), reached)
            self._answer(self._admin.alterConsumerGroupOffsets(group, asked).all(), _LEAST_MS)

    def close(self) -> None:
        """Let go of the connection."""
        with suppress(Py4JError):
            self._admin.close(self._jvm.java.time.Duration.ZERO)

    def _read_each(self, topics: Sequence[str]) -> Mapping[str, Mapping[int, int] | EngineError]:
        refused = self._learn([topic for topic in topics if topic not in self._partitions])
        known = [topic for topic in topics if topic in self._partitions]
        ends, not_told = self._ends(known) if known else ({}, {})
        for topic in not_told:
            del self._partitions[topic]
        refused |= not_told
        if not ends:
            _raise_the_brokers_own(refused.values())
        return {
            **ends,
            **{topic: EngineError(f"{self._who} does not say: {_why(why)}") for topic, why in refused.items()},
        }

    def _ends(self, topics: Sequence[str]) -> tuple[dict[str, Mapping[int, int]], dict[str, Py4JJavaError]]:
        """Of all at once; of each by itself only where somebody's are not told."""
        latest = self._jvm.org.apache.kafka.clients.admin.OffsetSpec.latest()
        asked = self._jvm.java.util.HashMap()
        places = {topic: {number: self._place(topic, number) for number in self._partitions[topic]} for topic in topics}
        for of_topic in places.values():
            for place in of_topic.values():
                asked.put(place, latest)
        listed = self._admin.listOffsets(asked)
        with suppress(Py4JJavaError):  # which of them, is asked below
            found = self._answer(listed.all(), _LEAST_MS)
            return {topic: _offsets(of_topic, found.get) for topic, of_topic in places.items()}, {}
        return _of_each(
            places, lambda of_topic: _offsets(of_topic, lambda at: self._answer(listed.partitionResult(at)))
        )

    def _learn(self, topics: Sequence[str]) -> dict[str, Py4JJavaError]:
        """How many partitions these have; and of which of them that is not told."""
        if not topics:
            return {}
        names = self._jvm.java.util.ArrayList()
        for topic in topics:
            names.add(topic)
        described = self._admin.describeTopics(names).topicNameValues()
        found, refused = _of_each({topic: described.get(topic) for topic in topics}, self._answer)
        for topic, told in found.items():
            self._partitions[topic] = tuple(int(one.partition()) for one in told.partitions())
        return refused

    def _place(self, topic: str, number: int) -> Any:
        return self._jvm.org.apache.kafka.common.TopicPartition(topic, number)

    def _answer(self, future: Any, least_ms: int = 0) -> Any:
        left_ms = max(least_ms, round((self._until_s - time.monotonic()) * 1000))
        return future.get(left_ms, self._jvm.java.util.concurrent.TimeUnit.MILLISECONDS)

    @contextmanager
    def _asking(self) -> Iterator[None]:
        """All questions inside have the time of one together."""
        self._until_s = time.monotonic() + self._within_s
        with _told(self._who):
            yield

    def _settings(self, login: Login) -> Any:
        settings = self._jvm.java.util.HashMap(login.settings)
        for name in ("default.api.timeout.ms", "request.timeout.ms"):
            settings.put(name, str(round(self._within_s * 1000)))
        settings.put("client.id", f"penstock-{next(_NUMBERS)}")
        return settings


def _of_each(
    asked: Mapping[str, _Asked], answer: Callable[[_Asked], _Told]
) -> tuple[dict[str, _Told], dict[str, Py4JJavaError]]:
    """What is told of each topic, and why it is not of the others."""
    found: dict[str, _Told] = {}
    refused: dict[str, Py4JJavaError] = {}
    for topic, question in asked.items():
        try:
            found[topic] = answer(question)
        except Py4JJavaError as error:
            refused[topic] = error
    return found, refused


def _offsets(places: Mapping[int, Any], told: Callable[[Any], Any]) -> Mapping[int, int]:
    return {number: int(told(place).offset()) for number, place in places.items()}


def _raise_the_brokers_own(refused: Iterable[Py4JJavaError]) -> None:
    """Where no topic was told of, the broker is in trouble unless each topic has one of its own."""
    for error in refused:
        if not any(kind in _OF_ONE_TOPIC for kind in _kinds(error)):
            raise error


@contextmanager
def _told(who: str) -> Iterator[None]:
    """What goes wrong becomes an EngineError in our own words: those of Kafka may quote an option."""
    try:
        yield
    except Py4JJavaError as error:
        raise EngineError(f"{who} does not say: {_why(error)}") from None
    except Py4JNetworkError:
        raise ApplicationGoneError("Spark's JVM does not answer any more") from None
    except (Py4JError, TypeError):  # a class that is not there is a package to py4j, and cannot be called
        raise EngineError(
            f"{who} cannot be asked: Kafka's client is not on the driver's class path; name its connector in"
            " spark.jars or spark.jars.packages"
        ) from None


def _jvm() -> Any:
    context = SparkContext._active_spark_context
    if context is None:
        raise ApplicationGoneError("Spark has ended this application")
    return context._jvm


def _why(error: Py4JJavaError) -> str:
    """By the kinds of error from the outermost to the innermost, without their messages."""
    kinds = _kinds(error)
    return next((_TELL[kind] for kind in reversed(kinds) if kind in _TELL), " of ".join(dict.fromkeys(kinds)))


def _kinds(error: Py4JJavaError) -> list[str]:
    return [thrown.getClass().getSimpleName() for thrown in _causes(error.java_exception)]


def _causes(thrown: Any) -> Iterator[Any]:
    while thrown is not None:
        yield thrown
        thrown = thrown.getCause()
