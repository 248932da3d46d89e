"""A broker that wants more than its address, asked by Kafka's Java client with the very options of a query's source.

So whatever Spark can log in with (SCRAM, OAuth, certificates, stores of Java's), penstock can, and nothing is to be
said twice. The options never leave the driver's JVM: what Python does not have, no log, record or page of it can show.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark import SparkContext

from penstock.errors import ApplicationGoneError, EngineError

_PREFIX = "kafka."
_OF_CLIENTS = ("bootstrap.servers", "security.", "sasl.", "ssl.", "client.dns")  # what an admin's client knows, too
_TELL = {
    "SaslAuthenticationException": "it refuses the login of the source's options",
    "SslAuthenticationException": "its certificate and the source's stores do not go together",
    "TimeoutException": "it did not answer in time",
    "UnknownTopicOrPartitionException": "there is no such topic",
    "TopicAuthorizationException": "the source's user may not describe the topic",
    "NoSuchFileException": "a file that the source's options name is not there",
    "UnrecoverableKeyException": "a store that the source's options name opens with another password",
}


@dataclass(frozen=True, slots=True)
class Login:
    """The options by which a source logs in: `options` is a map in the JVM, of which nobody here asks a value."""

    mark: int  # tells one from another
    options: Any = field(compare=False, repr=False)


def login_of(options: Any) -> Login | None:
    """Of a source's options as Spark holds them; None where its broker wants no more than its address."""
    if not options.containsKey(f"{_PREFIX}security.protocol"):
        return None
    found = options.asCaseSensitiveMap()
    return Login(int(found.hashCode()), found)


class SecuredBroker:
    """Asks one broker, again and again, over one connection of the driver's JVM; `close` ends that."""

    def __init__(self, bootstrap: str, login: Login, within_s: float) -> None:
        self._bootstrap = bootstrap
        self._jvm: Any = _jvm()
        self._within_ms = round(within_s * 1000)
        self._partitions: dict[str, tuple[int, ...]] = {}
        with self._told():
            self._admin = self._jvm.org.apache.kafka.clients.admin.AdminClient.create(self._settings(login))

    def read(self, topics: Sequence[str]) -> Mapping[str, Mapping[int, int]]:
        """The ends of these topics now: by topic and partition the offset of the next row."""
        try:
            with self._told():
                return self._read(topics)
        except EngineError:
            self._partitions.clear()
            raise

    def close(self) -> None:
        """Let go of the connection."""
        with suppress(Py4JError):
            self._admin.close(self._jvm.java.time.Duration.ZERO)

    def _read(self, topics: Sequence[str]) -> Mapping[str, Mapping[int, int]]:
        latest = self._jvm.org.apache.kafka.clients.admin.OffsetSpec.latest()
        asked = self._jvm.java.util.HashMap()
        places = {(topic, number): self._place(topic, number) for topic in topics for number in self._of(topic)}
        for place in places.values():
            asked.put(place, latest)
        found = self._answer(self._admin.listOffsets(asked).all())
        ends: dict[str, dict[int, int]] = {topic: {} for topic in topics}
        for (topic, number), place in places.items():
            ends[topic][number] = int(found.get(place).offset())
        return ends

    def _of(self, topic: str) -> tuple[int, ...]:
        if topic not in self._partitions:
            names = self._jvm.java.util.Collections.singletonList(topic)
            found = self._answer(self._admin.describeTopics(names).allTopicNames()).get(topic)
            self._partitions[topic] = tuple(int(one.partition()) for one in found.partitions())
        return self._partitions[topic]

    def _place(self, topic: str, number: int) -> Any:
        return self._jvm.org.apache.kafka.common.TopicPartition(topic, number)

    def _answer(self, future: Any) -> Any:
        return future.get(self._within_ms, self._jvm.java.util.concurrent.TimeUnit.MILLISECONDS)

    def _settings(self, login: Login) -> Any:
        """A client's, which Kafka itself takes out of a source's: values go from one map of the JVM to another."""
        config = self._jvm.org.apache.kafka.common.config
        given = config.AbstractConfig(config.ConfigDef(), login.options, False).originalsWithPrefix(_PREFIX)
        settings = self._jvm.java.util.HashMap(given)
        for name in list(settings.keySet()):
            if not name.startswith(_OF_CLIENTS):
                settings.remove(name)
        for name in ("default.api.timeout.ms", "request.timeout.ms"):
            settings.put(name, str(self._within_ms))
        settings.put("client.id", "penstock")
        return settings

    @contextmanager
    def _told(self) -> Iterator[None]:
        """What goes wrong becomes an EngineError in our own words: those of Kafka may quote an option."""
        try:
            yield
        except Py4JJavaError as error:
            raise EngineError(f"the broker at {self._bootstrap} does not say: {_why(error)}") from None
        except (Py4JError, TypeError):  # a class that is not there is a package to py4j, and cannot be called
            raise EngineError(
                f"the broker at {self._bootstrap} cannot be asked: Kafka's client is not on the driver's class path"
            ) from None


def _jvm() -> Any:
    context = SparkContext._active_spark_context
    if context is None:
        raise ApplicationGoneError("Spark has ended this application")
    return context._jvm


def _why(error: Py4JJavaError) -> str:
    """By the kinds of error from the outermost to the innermost, without their messages."""
    kinds = [thrown.getClass().getSimpleName() for thrown in _causes(error.java_exception)]
    return next((_TELL[kind] for kind in reversed(kinds) if kind in _TELL), " of ".join(dict.fromkeys(kinds)))


def _causes(thrown: Any) -> Iterator[Any]:
    while thrown is not None:
        yield thrown
        thrown = thrown.getCause()
