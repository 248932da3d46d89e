"""A driver beside this process behind the port: what `LiveSpark` is to a driver of our own.

Queries of all its sessions are seen, not those of one: a pipeline's run in sessions that nobody hands out. What happens
to them is fetched; nothing in the driver calls this process, or waits for it.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from py4j.protocol import Py4JNetworkError
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from penstock.engines.spark.application.shares import PoolShare
from penstock.engines.spark.jobs.query import Query
from penstock.engines.spark.jvm.beside.context import BesideContext
from penstock.engines.spark.jvm.beside.names import Names
from penstock.engines.spark.jvm.class_homes import class_of
from penstock.engines.spark.jvm.live import LiveSpark
from penstock.engines.spark.port import Pools, Stages
from penstock.engines.spark.watch.events import Event, Idled, Progressed, Started, Terminated
from penstock.engines.spark.watch.stages import StageReading
from penstock.errors import ApplicationGoneError, first_line

_UNATTENDED = PoolShare(weight=1, min_share=0)  # as Spark makes pools: nobody gave it this share
_RECORD, _FIELD = "\x1e", "\x1f"  # as the plugin writes them


class BesideSpark(LiveSpark):
    """Fulfils `port.Spark` for a driver that a plugin lets us into."""

    def __init__(self, spark: SparkSession, tenants: Sequence[str]) -> None:
        super().__init__(spark)
        self._beside: BesideContext = spark.sparkContext  # type: ignore[assignment]
        self._names = Names(frozenset(tenants))
        self._wrapper = class_of(self._beside._jvm, "StreamingQueryWrapper")
        self.pools: Pools = NamedPools(self.pools, self._names)
        self.stages: Stages = _NamedStages(self.stages, self._names)

    def check_alive(self) -> None:
        """See the port."""
        try:
            super().check_alive()
        except (Py4JNetworkError, OSError) as error:
            raise ApplicationGoneError(f"the driver does not answer any more ({first_line(error)})") from error

    def events(self, name_pools: bool) -> "FetchedEvents":  # type: ignore[override]
        """See the port; the plugin puts queries into pools as they start, whoever governs."""
        return FetchedEvents(self._beside, self._names)

    def queries(self) -> Sequence[Query]:
        """See the port."""
        state: Any = self.session._jsparkSession.sharedState()
        # One that ended since it was listed is None.
        running = [self._wrapper(found) for found in state.activeStreamingQueries().values() if found is not None]
        return [_TenantsQuery(wrapped, self._names.tenant(wrapped.name())) for wrapped in running]


class FetchedEvents:
    """What the plugin's listeners heard in all sessions."""

    def __init__(self, context: BesideContext, names: Names) -> None:
        self._entry = context._entry
        self._names = names
        self.heard: deque[Event] = deque()

    def attach(self, begins: Callable[[Query], None] | None = None) -> None:
        """Have events kept from now on; a query of another process begins before anybody here hears of it."""
        self._entry.listen()

    def detach(self) -> None:
        """Have none kept."""
        self._entry.ignore()

    def fetch(self) -> None:
        """See the port."""
        self.heard += [_named(event, self._names) for event in fetched(self._entry.fetch())]


def fetched(text: str) -> list[Event]:
    r"""The plugin's records as events.

    >>> fetched("idled\x1frun-1\x1f2026-01-01T00:00:00.000Z\x1eterminated\x1frun-1\x1f")
    [Idled(run_id='run-1', timestamp='2026-01-01T00:00:00.000Z'), Terminated(run_id='run-1', error=None)]
    """
    return [_event(*record.split(_FIELD)) for record in text.split(_RECORD) if record]


def _event(kind: str, *fields: str) -> Event:
    if kind == "started":
        run_id, timestamp, name = fields
        return Started(run_id, name or None, timestamp)
    if kind == "progressed":
        return Progressed(fields[0])
    if kind == "idled":
        return Idled(*fields)
    run_id, error = fields
    return Terminated(run_id, error or None)


def _named(event: Event, names: Names) -> Event:
    return replace(event, name=names.tenant(event.name)) if isinstance(event, Started) else event


class _TenantsQuery(StreamingQuery):
    """A query by its tenant's name."""

    def __init__(self, wrapped: Any, name: str | None) -> None:
        super().__init__(wrapped)
        self._name = name

    @property
    def name(self) -> str | None:  # type: ignore[override]
        return self._name


class NamedPools:
    """Pools by tenants' names; each has its query's."""

    def __init__(self, inner: Pools, names: Names) -> None:
        self._inner = inner
        self._names = names

    def share(self, name: str) -> PoolShare | None:
        found = self._inner.share(self._names.query(name))
        return None if found == _UNATTENDED else found

    def set(self, shares: Mapping[str, PoolShare]) -> None:
        self._inner.set({self._names.query(name): share for name, share in shares.items()})


class _NamedStages:
    """Stages whose pools have tenants' names."""

    def __init__(self, inner: Stages, names: Names) -> None:
        self._inner = inner
        self._names = names

    def read(self) -> Sequence[StageReading]:
        return [
            replace(reading, pool=self._names.tenant(reading.pool) or reading.pool) for reading in self._inner.read()
        ]

    def name(self, stage_id: int) -> str | None:
        return self._inner.name(stage_id)
