"""The listener: puts each query into the pool of its name as it starts, and enqueues what Spark tells of it.

A listener that blocks blocks the query, so nothing is worked out here; the engine takes the events from the
queue in its own time. Only what has to be done before the first batch is done at once.
"""

import logging
from collections import deque
from collections.abc import Callable
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.streaming.listener import StreamingQueryListener
from pyspark.sql.streaming.query import StreamingQuery

from penstock.engines.spark.jvm.pools import POOL_PROPERTY
from penstock.engines.spark.jvm.single_writer import OWNERS
from penstock.engines.spark.watch.events import Event, Idled, Progressed, Started, Terminated
from penstock.errors import told

_log = logging.getLogger("penstock.spark")

_QUEUED_AT_MOST = 20_000  # an engine that is not asked any more must not fill the memory


class JvmListener(StreamingQueryListener):
    """A listener that is handed Java's events as they are: PySpark's own makes a call for every field of each."""

    def __init__(self, spark: SparkSession) -> None:
        self._session = spark

    def attach(self) -> None:
        """Begin to listen."""
        self._session.streams.addListener(self)

    def detach(self) -> None:
        """Cease to listen."""
        self._session.streams.removeListener(self)

    @property
    def _jlistener(self) -> Any:
        if not hasattr(self, "_jlistenerobj"):
            jvm: Any = self._session.sparkContext._jvm
            self._jlistenerobj = jvm.PythonStreamingQueryListenerWrapper(_Bridge(self))
        return self._jlistenerobj


class QueryEvents(JvmListener):
    """The events of all queries of a session, in the order they came."""

    def __init__(self, spark: SparkSession, name_pools: bool = True) -> None:
        super().__init__(spark)
        self._jsc: Any = spark.sparkContext._jsc
        self._name_pools = name_pools
        self.heard: deque[Event] = deque(maxlen=_QUEUED_AT_MOST)
        self._begins: Callable[[StreamingQuery], None] | None = None

    def attach(self, begins: Callable[[StreamingQuery], None] | None = None) -> None:
        """Begin to listen; `begins` is handed each query that has a name, before its first batch and on its thread."""
        self._begins = begins
        super().attach()

    def fetch(self) -> None:
        """See the port."""

    def onQueryStarted(self, event: Any) -> None:  # noqa: N802
        """Runs on the query's own thread, which keeps the pool for its life."""
        name = event.name()
        if name is not None and self._name_pools:  # what is not governed by shares stays where it is
            self._jsc.setLocalProperty(POOL_PROPERTY, name)
        self.heard.append(Started(event.runId().toString(), name, event.timestamp()))
        if name is not None and self._begins is not None:
            self._hand_over(event, self._begins)

    def _hand_over(self, event: Any, begins: Callable[[StreamingQuery], None]) -> None:
        """An error here is no reason for the query not to begin, and Spark would tell of it at length."""
        try:
            manager: Any = self._session._jsparkSession.streams()
            query = manager.get(event.id())
            if query is not None:  # one of another session of this application is not in this one's list
                begins(StreamingQuery(query))
        except Exception as error:
            _log.warning("%s begins with whatever waits for it: %s", event.name(), told(error))

    def onQueryProgress(self, event: Any) -> None:  # noqa: N802
        """One string over the bridge."""
        self.heard.append(Progressed(event.progress().json()))

    def onQueryIdle(self, event: Any) -> None:  # noqa: N802
        """No new rows for a while."""
        self.heard.append(Idled(event.runId().toString(), event.timestamp()))

    def onQueryTerminated(self, event: Any) -> None:  # noqa: N802
        """The query ended."""
        error, run_id = event.exception(), event.runId().toString()
        why = error.get() if error.isDefined() else OWNERS.why_stopped(run_id)
        self.heard.append(Terminated(run_id, why))


class _Bridge:
    """The Java interface, handing on Java events as they are."""

    def __init__(self, events: JvmListener) -> None:
        self.onQueryStarted = events.onQueryStarted
        self.onQueryProgress = events.onQueryProgress
        self.onQueryIdle = events.onQueryIdle
        self.onQueryTerminated = events.onQueryTerminated

    class Java:
        implements = ("org.apache.spark.sql.streaming.PythonStreamingQueryListener",)
