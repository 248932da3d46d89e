"""`commit_offsets`: Kafka is told after each batch how far queries have read, as consumer groups.

Spark keeps that in its checkpoints alone, so dashboards of lag and scalers that ask the broker see nothing of it. Of
use with governing and without: the listener notes whose batch has ended, and a thread of its own asks and tells.
"""

import json
import logging
import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager, suppress
from math import inf
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Any, cast

from py4j.protocol import Py4JError, Py4JNetworkError
from pyspark.sql import SparkSession

from penstock.engines.spark.jobs.group_offsets import GroupOffsets, Reached
from penstock.engines.spark.jvm.features import check_kind
from penstock.engines.spark.jvm.kafka_admin import BrokerAdmin, Login, login_to
from penstock.engines.spark.jvm.kafka_sources import BOOTSTRAP, options_of
from penstock.engines.spark.jvm.listener import JvmListener
from penstock.errors import ConfigError, EngineError, GoverningEndsError, first_line
from penstock.threads import BesideThread

_ASKED_FOR_S = 5.0
_ENDS_WITHIN_S = 3 * _ASKED_FOR_S
_QUERY = "{query}"

_log = logging.getLogger("penstock.spark")


def commit_offsets(spark: SparkSession, group: str) -> "OffsetCommits":
    """Commit what the session's queries have read of Kafka, as consumer group `group`, after each of their batches.

    `{query}` stands for a query's name, as in `"shop-{query}"`. Without it all queries are one group, which has read
    of each partition what the slowest of them has. Name a group that nobody consumes with: no query starts from what is
    committed, and Kafka takes nothing for a group that has members. Brokers are reached by the options of the query's
    own source. One that is away slows no query, and is told the newest once it is back. It goes on until the
    application ends, or `close()`, or the end of a `with` block.
    """
    check_kind(spark)
    if not isinstance(group, str) or not group.strip():
        raise ConfigError("group", group, "name a consumer group, such as shop-{query}")
    commits = OffsetCommits(spark, group)
    commits.open()
    return commits


class OffsetCommits:
    """Commits that go on until `close`."""

    def __init__(self, spark: SparkSession, group: str) -> None:
        self._spark = spark
        self._group = group
        self._news: SimpleQueue[_News | None] = SimpleQueue()
        self._listener = _BatchEnds(spark, self._news.put)
        self._admins = _Admins()
        self._known = GroupOffsets()
        self._queries: dict[str, _Followed] = {}
        self._thread = BesideThread(self._run, "penstock-offsets")

    def __enter__(self) -> "OffsetCommits":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def open(self) -> None:
        """Begin, with the queries that run already."""
        self._listener.attach()
        for query in self._spark.streams.active:
            self._news.put((str(query.runId), cast(Any, query)._jsq, False))
        self._thread.start()

    def close(self) -> None:
        """Commit what is known, and end; twice is once."""
        if self._thread.is_alive():
            with suppress(Py4JError):  # the application has ended first
                self._listener.detach()
            self._news.put(None)
            self._thread.join(_ENDS_WITHIN_S)

    def _run(self) -> None:
        goes_on = True
        while goes_on:
            heard = self._hear()
            goes_on = None not in heard
            try:
                self._take([news for news in heard if news is not None])
                self._known.commit(self._admins, time.monotonic())
                self._admins.keep(self._known.addresses)
            except (GoverningEndsError, Py4JError):  # nobody is left to ask
                return
        self._admins.keep(frozenset())

    def _hear(self) -> list["_News | None"]:
        """What came meanwhile; waits for something, or until a broker is to be told once more."""
        again_at = self._known.again_at
        left_s = None if again_at == inf else max(0.0, again_at - time.monotonic())
        found = []
        with suppress(Empty):
            found.append(self._news.get(timeout=left_s))
            while True:
                found.append(self._news.get_nowait())
        return found

    def _take(self, heard: list["_News"]) -> None:
        """A query is asked once, however many of its batches have ended meanwhile."""
        self._queries |= {run: _Followed(query, self._group) for run, query, _ in heard if query is not None}
        for run in dict.fromkeys(run for run, _, _ in heard if run in self._queries):
            with self._on_its_own(run):
                self._known.take(run, self._queries[run].reached())
        for run in [run for run, _, ended in heard if ended]:
            self._known.end(run)
            self._queries.pop(run, None)

    @contextmanager
    def _on_its_own(self, run: str) -> Iterator[None]:
        """What cannot be asked for is said once, and is no trouble of others."""
        try:
            yield
        except (GoverningEndsError, Py4JNetworkError):
            raise
        except (EngineError, Py4JError) as error:
            del self._queries[run]
            _log.warning("offsets of query %s are not committed to group %s: %s", run, self._group, first_line(error))


_News = tuple[str, Any, bool]  # a run, its query where it is new, and whether it has ended


class _BatchEnds(JvmListener):
    """Tells of each batch of which query it was."""

    def __init__(self, spark: SparkSession, tell: Callable[[_News], None]) -> None:
        super().__init__(spark)
        self._tell = tell

    def onQueryStarted(self, event: Any) -> None:  # noqa: N802
        """One that ends at once is in no list any more when somebody looks."""
        streams: Any = self._session.streams
        self._tell((event.runId().toString(), streams._jsqm.get(event.id()), False))

    def onQueryProgress(self, event: Any) -> None:  # noqa: N802
        """A batch has ended."""
        self._tell((event.progress().runId().toString(), None, False))

    def onQueryIdle(self, event: Any) -> None:  # noqa: N802
        """Kafka forgets a group that commits nothing for a week."""
        self._tell((event.runId().toString(), None, False))

    def onQueryTerminated(self, event: Any) -> None:  # noqa: N802
        """Its last batch has ended before."""
        self._tell((event.runId().toString(), None, True))


class _Admins:
    """The connections, one for each broker and login."""

    def __init__(self) -> None:
        self._admins: dict[Hashable, BrokerAdmin] = {}

    def at(self, address: Hashable) -> BrokerAdmin:
        """The connection to it, made when it is first asked for."""
        if address not in self._admins:
            bootstrap, login = cast(tuple[str, Login], address)
            self._admins[address] = BrokerAdmin(bootstrap, login, _ASKED_FOR_S)
        return self._admins[address]

    def keep(self, addresses: frozenset[Hashable]) -> None:
        """And let go of all others."""
        for gone in self._admins.keys() - addresses:
            self._admins.pop(gone).close()


class _Followed:
    """A run of a query, whose sources stay as they are."""

    def __init__(self, query: Any, group: str) -> None:
        self._execution = query.streamingQuery()
        self._group = group.replace(_QUERY, query.name() or query.id().toString())
        self._addresses: dict[int, tuple[str, Login] | None] = {}

    def reached(self) -> Reached:
        """What its checkpoint holds as read, by its broker."""
        found: dict[Hashable, dict[str, dict[int, int]]] = {}
        for stream, offset in self._committed():
            address = self._address(stream)
            if address is not None:
                topics = found.setdefault(address, {})
                for topic, ends in json.loads(offset.json()).items():
                    topics[topic] = {int(partition): end for partition, end in ends.items()}
        return Reached(self._group, found)

    def _committed(self) -> Iterator[tuple[Any, Any]]:
        pairs = self._execution.committedOffsets().iterator()
        while pairs.hasNext():
            pair = pairs.next()
            yield pair._1(), pair._2()

    def _address(self, stream: Any) -> tuple[str, Login] | None:
        known = stream.hashCode()
        if known not in self._addresses:
            options = options_of(stream)
            self._addresses[known] = None if options is None else (options.get(BOOTSTRAP), login_to(options))
        return self._addresses[known]
