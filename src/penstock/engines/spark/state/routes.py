"""The routes of the jobs that have one, and their windows of key pairs."""

from collections.abc import Iterable, Iterator, Mapping

from penstock.core.seen.key_placement import KeyPlacement
from penstock.core.seen.routes import RouteFigures
from penstock.engines.deed_log import DeedLog
from penstock.engines.spark.application.ours import while_ours
from penstock.engines.spark.jobs.query import Query
from penstock.engines.spark.port import Route
from penstock.engines.spark.state.shared import Shared
from penstock.engines.spark.state.state import EngineState
from penstock.engines.spark.told.apart import Apart
from penstock.engines.spark.watch.progress import Batch


class Routes:
    """Looks after them; only those of queries that run are told of."""

    def __init__(self, state: EngineState, routes: Mapping[str, Route] | None = None) -> None:
        self._state = state
        self._routes = dict(routes or {})
        self._newest: dict[str, Batch] = {}  # that is in a window, by job

    def open(self, shared: Shared, wall_s: float) -> None:
        """Find them."""
        spark, how, jobs = shared.spark, shared.settings, [while_ours(shared.lease, track.job) for track in self._state]
        found = {job.name: spark.route(job, how.route_window_s, how.route_memory_s, wall_s) for job in jobs}
        self._routes = {name: route for name, route in found.items() if route is not None}

    def of(self, job: str) -> Route | None:
        """The job's; None where it has none."""
        return self._routes.get(job)

    def add(self, batches: Iterable[Batch]) -> None:
        """They were committed: to the windows of key pairs, which a re-routing that is under way makes void."""
        for batch in batches:
            track = self._state.fleet.of_run(batch.run_id)
            if track is not None and track.restarts:
                continue
            route = None if track is None else self._routes.get(track.job.name)
            # A query that waits may tell of its last batch again.
            if track is not None and route is not None and batch != self._newest.get(track.job.name):
                self._newest[track.job.name] = batch
                route.add(batch)

    def close_windows(self, wall_s: float, deeds: DeedLog) -> None:
        """Windows of key pairs that are full end. A job's book may be lost or damaged: the others' end all the same."""
        apart = Apart()
        for name, route in self._running():
            with apart.trying(name):
                route.close_window(wall_s, self._state.named(name).key_bytes)
        for name, why in apart.errors:
            deeds.note(name, "its window of key pairs was to end", "it was full", why)

    def told(self) -> tuple[RouteFigures, ...]:
        """Each by its last window that has ended."""
        return tuple(route.told for _, route in self._running() if route.told is not None)

    def keys(self, job: str) -> tuple[KeyPlacement, ...]:
        """Where the keys of the job's route are; none where it has none."""
        route = self._routes.get(job)
        return () if route is None else route.placements

    def queried(self) -> Iterator[tuple[str, Route, Query]]:
        """The jobs whose queries run, with their routes."""
        for name, route in self._running():
            query = self._state.named(name).query
            if query is not None:
                yield name, route, query

    def _running(self) -> Iterator[tuple[str, Route]]:
        return ((name, route) for name, route in self._routes.items() if self._is_open(name))

    def _is_open(self, job: str) -> bool:
        track = self._state.named(job)
        return track.runs and not track.restarts
