"""Routing tables: where a job's correlated keys live."""

from collections.abc import Callable

from pyspark.sql.streaming.query import StreamingQuery

from penstock.core.levers import Table
from penstock.engines.spark.fleet import Fleet
from penstock.engines.spark.levers.lever import Lever
from penstock.engines.spark.track import Track
from penstock.errors import EngineError


class TableLever(Lever[Table]):
    """Another table comes into force; `runs` is told of the query where it had to start again.

    How it stands is told with its statistics, see RouteFigures.
    """

    kind = "table"

    def __init__(self, fleet: Fleet, runs: Callable[[Track, StreamingQuery], None]) -> None:
        self._fleet = fleet
        self._runs = runs

    def turn(self, move: Table, wall_s: float) -> None:
        track = self._fleet.named(move.job)
        route = track.job.route
        in_place = route is not None and route.moves_no_state
        if track.watch is None or track.query is None or not (in_place or track.job.function is not None):
            raise EngineError(
                f"{track.job.name}: only a running query with a route is re-routed, and one that keeps state without "
                "windows only if penstock started it"
            )
        query = track.watch.carry_out(move, track.query, wall_s)
        if query.runId != track.run_id:
            self._runs(track, query)
