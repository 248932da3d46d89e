"""Keeping places: after each batch of a routed job its state partitions go back to where Spark moved them from."""

import logging
from dataclasses import dataclass

from penstock.engines.deed_log import DeedLog
from penstock.engines.spark.jobs.query import Query
from penstock.engines.spark.port import Route, Spark
from penstock.engines.spark.routing.pins import Pins, RanTask, homes
from penstock.engines.spark.state.routes import Routes
from penstock.engines.spark.state.state import EngineState
from penstock.engines.spark.told.apart import Apart

_KEPT_TOGETHER = "equal partitions of all its operators stay on one executor"

_log = logging.getLogger("penstock.spark")


@dataclass(frozen=True, slots=True)
class _SeenBatch:
    """The last batch of a job of which it is known where it ran; the tasks of one that was answered are gone."""

    run_id: str
    batch: int
    tasks: tuple[RanTask, ...]


class KeepingPlaces:
    """Looks at each batch of a routed job once; between two batches nothing moves, so nothing is asked."""

    def __init__(self, spark: Spark, state: EngineState, routes: Routes) -> None:
        self._spark = spark
        self._state = state
        self._routes = routes
        self._seen: dict[str, _SeenBatch] = {}
        self._pins: dict[str, Pins] = {}

    def pins(self, job: str) -> Pins:
        """Where the partitions of that job belong, and how many tasks ran elsewhere."""
        return self._pins.get(job, Pins())

    def look(self) -> None:
        """Note where they are."""
        apart = Apart()
        for name, route, query in self._routes.queried():
            with apart.trying(name):  # a query may end meanwhile, or its book be damaged; the next batch tells again
                self._look(name, route, query)
        for name, why in apart.errors:
            _log.warning("%s: %s", name, why)

    def keep(self, deeds: DeedLog) -> None:
        """That, and what is not where it belongs is sent there."""
        apart = Apart()
        for name, route, query in self._routes.queried():
            with apart.trying(name):  # the same
                self._look(name, route, query)
                if sent := self._send(name, route, query):
                    deeds.note(name, f"{sent} state partitions sent to their executors", self._why(name))
        for name, why in apart.errors:
            deeds.note(name, "state partitions were to be sent to their executors", _KEPT_TOGETHER, why)

    def _look(self, name: str, route: Route, query: Query) -> None:
        batches, seen = self._state.named(name).batches, self._seen.get(name)
        if not batches or (
            seen is not None and (seen.run_id, seen.batch) == (batches[-1].run_id, batches[-1].batch_id)
        ):
            return
        newest = batches[-1]
        ran = self._spark.places.ran(query, newest.batch_id) if newest.run_id == str(query.runId) else ()
        if ran is None:  # Spark has not written all of it down; it is asked again a moment later
            return
        self._seen[name] = _SeenBatch(newest.run_id, newest.batch_id, tuple(ran))
        if ran:
            living = {executor.id: executor for executor in self._spark.executor_list()}
            route.housed({place: living[home] for place, home in homes(ran).items() if home in living})

    def _send(self, name: str, route: Route, query: Query) -> int:
        """How many partitions."""
        seen = self._seen.get(name)
        if seen is None or not seen.tasks:
            return 0
        living = [executor.id for executor in self._spark.executor_list()]
        pins, sends = self.pins(name).after(seen.tasks, living, route.loads)
        if sends:
            self._spark.places.send(query, sends)
        self._pins[name], self._seen[name] = pins, _SeenBatch(seen.run_id, seen.batch, ())
        return len(sends)

    def _why(self, name: str) -> str:
        pins = self.pins(name)
        if pins.astray is None:
            return _KEPT_TOGETHER
        return f"{_KEPT_TOGETHER}; {pins.astray:.0%} of the last batches' tasks ran elsewhere"
